package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heddle/explore"
)

// completeCommand is what the scripts of completions call: heddle -complete WORD..., the words of
// the line behind heddle, the last one not yet finished. It prints the words that may stand in its
// place, each on a line with a tab and a description. ":files" and ":folders" stand for those: the
// shell knows them.
const completeCommand = "-complete"

// A candidate is a word that may come.
type candidate struct{ word, what string }

// What a shell is to add to the candidates.
const (
	addFiles   = ":files"
	addFolders = ":folders"
)

// shells are the scripts of completions.
var shells = map[string]string{
	"bash": `# heddle for bash: source <(heddle completion bash)
_heddle() {
	local line=${COMP_LINE:0:$COMP_POINT} words out word
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	out=$(heddle -complete "${words[@]:1}" 2>/dev/null)
	local current=${words[${#words[@]}-1]} kept=""
	# bash breaks words at = and : and completes what follows
	case $current in
	*=*) [[ $COMP_WORDBREAKS == *=* ]] && kept=${current%%=*}= ;;
	esac
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		case $word in
		:files) compopt -o default ; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${current#"$kept"}") ;;
		:folders) compopt -o dirnames ; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "${current#"$kept"}") ;;
		?*) COMPREPLY+=("${word#"$kept"}") ;;
		esac
	done <<<"$out"
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=,] ]] && compopt -o nospace
	return 0
}
complete -F _heddle heddle
`,
	"zsh": `#compdef heddle
# heddle for zsh: heddle completion zsh > "${fpath[1]}/_heddle", or source <(heddle completion zsh)
_heddle() {
	local line word what
	local -a found
	while IFS=$'\t' read -r word what; do
		case $word in
		:files) _files ;;
		:folders) _files -/ ;;
		?*) found+=("${word//:/\\:}:$what") ;;
		esac
	done < <(heddle -complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( ${#found} )) && _describe -V heddle found
	return 0
}
if [[ $funcstack[1] == _heddle ]]; then _heddle "$@"; else compdef _heddle heddle; fi
`,
	"fish": `# heddle for fish: heddle completion fish > ~/.config/fish/completions/heddle.fish
function __heddle_complete
	set -l words (commandline -opc)[2..-1] (commandline -ct)
	for line in (heddle -complete $words 2>/dev/null)
		switch $line
			case ':files*'
				__fish_complete_path (commandline -ct)
			case ':folders*'
				__fish_complete_directories (commandline -ct)
			case '*'
				echo $line
		end
	end
end
complete -c heddle -f -a '(__heddle_complete)'
`,
}

// completion is heddle completion: it prints the script of a shell.
func (t *tool) completion(_ context.Context, args []string) int {
	rest, err := t.parse("completion", new(options), args, true)
	if err != nil {
		return t.parseError(err)
	}
	names := slices.Sorted(maps.Keys(shells))
	if len(rest) != 1 || shells[rest[0]] == "" {
		return t.misuse("heddle completion: want one of: %s", strings.Join(names, ", "))
	}
	fmt.Fprint(t.Stdout, shells[rest[0]])
	return exitFine
}

// complete is what the scripts call.
func (t *tool) complete(_ context.Context, words []string) int {
	for _, c := range candidates(words) {
		fmt.Fprintf(t.Stdout, "%s\t%s\n", c.word, c.what)
	}
	return exitFine
}

// candidates returns what may stand in the place of the last word.
func candidates(words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	if len(words) == 1 {
		list := []candidate{{"help", "print the commands, or the help of one"}}
		for _, c := range commands() {
			list = append(list, candidate{c.name, c.what})
		}
		return beginning(last, list)
	}
	name, before := words[0], words[1:len(words)-1]
	switch name {
	case "help":
		var list []candidate
		for _, c := range commands() {
			list = append(list, candidate{c.name, c.what})
		}
		for _, topic := range slices.Sorted(maps.Keys(topics())) {
			list = append(list, candidate{topic, "a topic"})
		}
		return beginning(last, list)
	case "explain":
		return beginning(last, plain(explained()))
	case "completion":
		return beginning(last, plain(slices.Sorted(maps.Keys(shells))))
	}
	fs := flagsOf(name)
	if fs == nil || slices.Contains(before, "-args") {
		return []candidate{{addFiles, ""}}
	}
	if form, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(last, "-") {
		return values(fs, strings.TrimLeft(form, "-"), form+"=", value)
	}
	if strings.HasPrefix(last, "-") {
		return beginning(last, flagWords(fs, last))
	}
	if n := len(before); n > 0 && strings.HasPrefix(before[n-1], "-") && !strings.Contains(before[n-1], "=") {
		if f := fs.Lookup(strings.TrimLeft(before[n-1], "-")); f != nil && !isSwitch(f) {
			return values(fs, f.Name, "", last)
		}
	}
	switch name {
	case "test", "predict", "compare", "ask", "gen":
		return append(beginning(last, []candidate{{"./...", "all packages below this folder"}}),
			candidate{addFolders, ""})
	case "env", "clean", "version", "worker":
		return nil
	}
	return []candidate{{addFiles, ""}}
}

// flagWords are the flags, with as many dashes as the user wrote.
func flagWords(fs *flag.FlagSet, word string) (list []candidate) {
	dashes := "-"
	if strings.HasPrefix(word, "--") {
		dashes = "--"
	}
	fs.VisitAll(func(f *flag.Flag) {
		_, usage := flag.UnquoteUsage(f)
		first, _, _ := strings.Cut(usage, "\n")
		list = append(list, candidate{dashes + f.Name, first})
	})
	return list
}

// isSwitch reports whether a flag needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// values returns the values of a flag that begin with text, each behind a prefix.
func values(fs *flag.FlagSet, name, prefix, text string) []candidate {
	f := fs.Lookup(name)
	if f == nil {
		return nil
	}
	var list []candidate
	switch v := f.Value.(type) {
	case choice:
		list = plain(v.choices)
	case strategy:
		list = strategyWords(text)
	default:
		switch what, _ := flag.UnquoteUsage(f); {
		case name == "strategies":
			list = strategyWords(text)
		case isSwitch(f):
			list = plain([]string{"true", "false"})
		case what == "file":
			return []candidate{{addFiles, ""}}
		case what == "folder":
			return []candidate{{addFolders, ""}}
		}
	}
	list = beginning(text, list)
	for i := range list {
		list[i].word = prefix + list[i].word
	}
	return list
}

// strategyWords are the strategies, or behind a comma the options of the strategy before it.
func strategyWords(text string) (list []candidate) {
	name, _, more := strings.Cut(text, ",")
	u := explore.Lookup(name)
	if !more || u == nil {
		for _, u := range explore.Units() {
			if u.Command == "" {
				list = append(list, candidate{u.Name, u.Does})
			}
		}
		return list
	}
	done := text[:strings.LastIndexByte(text, ',')+1]
	for _, o := range u.Options {
		word := o.Name
		if !o.Switch {
			word += "="
		}
		list = append(list, candidate{done + word, o.Help})
	}
	return list
}

func plain(words []string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, ""})
	}
	return list
}

// beginning keeps the candidates that begin with text.
func beginning(text string, list []candidate) (out []candidate) {
	for _, c := range list {
		if strings.HasPrefix(c.word, text) {
			out = append(out, c)
		}
	}
	return out
}
