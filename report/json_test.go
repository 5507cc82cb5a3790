package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"heddle/rt/wire"
)

// session runs a package with a finding, subtests, a skip and a pass, a package that does not
// build and one without tests.
func session(r *Reporter) int {
	p := r.Package("example.com/bank")
	p.Record(&wire.Record{Type: "begin", Test: "TestTransfer"})
	p.Finding("TestTransfer", dataRace(), "/home/me/bank/testdata/heddle/TestTransfer/3f9a02c1")
	p.Record(&wire.Record{Type: "end", Test: "TestTransfer", Executions: 37, Elapsed: 0.011,
		Strategy: "sample", Result: "pass"})
	p.Record(&wire.Record{Type: "begin", Test: "TestSub"})
	for _, s := range []string{
		"=== RUN   TestSub\n=== RUN   TestSub/a\n    x_test.go:3: <hello> & \xff\n=== PAUSE TestSub/a\n=== RUN   TestSub/b/c\n",
		"=== CONT  TestSub/a\n=== NAME  TestSub\npart of ", "a line\n--- PASS: TestSub (0.03s)\n    --- PASS: TestSub/a (0.02s)\n    --- SKIP: TestSub/b/c (0.01s)\nno newline",
	} {
		p.Record(&wire.Record{Type: "output", Test: "TestSub", Text: s})
	}
	p.Record(&wire.Record{Type: "end", Test: "TestSub", Executions: 12096, Elapsed: 0.21, Strategy: "dpor",
		Complete: true, Result: "pass"})
	p.Record(&wire.Record{Type: "begin", Test: "TestSkip"})
	p.Record(&wire.Record{Type: "end", Test: "TestSkip", Executions: 1, Result: "skip", Reason: "no"})
	p.Record(&wire.Record{Type: "done"})
	p.End(412*time.Millisecond, errors.New("exit status 1"))
	r.NoTests("example.com/none")
	r.BuildFailed("example.com/wrong", "# example.com/wrong\nx.go:1: no")
	return r.Close()
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	o := options(&out)
	o.JSON = true
	if code := session(New(o)); code != 1 {
		t.Errorf("exit code %d", code)
	}
	// encoding/json writes an invalid byte as an escape until go1.26, and as the character from
	// go1.27 on.
	golden(t, "json", strings.ReplaceAll(out.String(), "\ufffd", `\ufffd`))

	var plain bytes.Buffer
	for line := range strings.Lines(out.String()) {
		var e struct{ Action, Output string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Action == "output" {
			plain.WriteString(e.Output)
		}
	}
	golden(t, "json_output", plain.String())
}

// The fields of heddle's own events, and their order.
func TestJSONShapes(t *testing.T) {
	var out bytes.Buffer
	o := options(&out)
	o.JSON = true
	session(New(o))
	for _, want := range []string{
		`{"Action":"finding","Package":"example.com/bank","Test":"TestTransfer","Kind":"data race","Message":"two goroutines access a.balance at the same time, and at least one writes",` +
			`"Places":[{"File":"bank.go","Line":21,"Op":"write","Object":"a.balance","Goroutine":"main/2"},{"File":"bank.go","Line":20,"Op":"read","Object":"a.balance","Goroutine":"main/1"}],` +
			`"Executions":37,"Clip":"testdata/heddle/TestTransfer/3f9a02c1","Cause":"3f9a02c1","Hint":"let one access wait for the other: by a lock held around both, a channel, or an atomic"}` + "\n",
		`{"Action":"summary","Package":"example.com/bank","Test":"TestSub","Strategy":"dpor","Executions":12096,"Complete":true,"Findings":0,"Elapsed":0.21}` + "\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}

// The rules of cmd/test2json that readers rely on: a package starts first and ends last, every
// test that runs ends once, and ends have an elapsed time.
func TestJSONStream(t *testing.T) {
	var out bytes.Buffer
	o := options(&out)
	o.JSON = true
	session(New(o))
	state := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var e struct {
			Time                          *time.Time
			Action, Package, Test, Output string
			ImportPath, FailedBuild       string
			Elapsed                       *float64
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		id := e.Package + " " + e.Test
		switch e.Action {
		case "start", "run":
			if state[id] != "" {
				t.Errorf("%s twice: %s", e.Action, line)
			}
			if e.Action == "run" && state[e.Package+" "] != "open" {
				t.Errorf("before start: %s", line)
			}
			state[id] = "open"
		case "output", "pause", "cont":
			if state[id] != "open" {
				t.Errorf("outside its test: %s", line)
			}
		case "pass", "fail", "skip":
			if state[id] != "open" || e.Elapsed == nil {
				t.Errorf("not open, or without elapsed: %s", line)
			}
			state[id] = "ended"
		case "finding", "summary":
			if state[e.Package+" "] != "open" {
				t.Errorf("outside its package: %s", line)
			}
		case "build-output", "build-fail":
			if e.ImportPath == "" {
				t.Errorf("no ImportPath: %s", line)
			}
			continue
		default:
			t.Errorf("unknown action: %s", line)
		}
	}
	for id, s := range state {
		if s != "ended" {
			t.Errorf("%s never ended", id)
		}
	}
}
