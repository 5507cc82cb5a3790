package total

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// In heddle's cache every package has its own file below this folder.
const folder = "pasts"

func fileOf(cache, pkg string) string {
	sum := sha256.Sum256([]byte(pkg))
	return filepath.Join(cache, folder, hex.EncodeToString(sum[:10])+".json")
}

// Kept returns what is known of the tests of a package. A file that cannot be read is as none: its
// tests are new.
func Kept(cache, pkg string) map[string]Past {
	pasts := map[string]Past{}
	if data, err := os.ReadFile(fileOf(cache, pkg)); err != nil || json.Unmarshal(data, &pasts) != nil {
		return map[string]Past{}
	}
	return pasts
}

// Keep adds to what is known of the tests of a package.
func Keep(cache, pkg string, tests map[string]Past) error {
	all := Kept(cache, pkg)
	for test, past := range tests {
		all[test] = past
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	file := fileOf(cache, pkg)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename
	_, err = tmp.Write(data)
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
