// Command oracle compares heddle with native executions of random Go programs (package
// internal/oracle):
//
//	go run ./scripts/oracle [-n 10000] [-seed 1] [-batch 150] [-failures folder] [program.json ...]
//
// It checks n programs, or those in the files, and prints its progress and final counts. Programs
// for which heddle is wrong are shrunk and stored in the folder as modules, each with a README
// that says what is wrong and how to see it. The exit code is 1 if there are any.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"heddle/internal/gogen"
	"heddle/internal/oracle"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("oracle: ")
	n := flag.Int("n", 10000, "check `N` programs")
	seed := flag.Uint64("seed", 1, "`number` of the first")
	batch := flag.Int("batch", 150, "`programs` in one package")
	heddle := flag.String("heddle", "", "the `command` to use; built from this module if empty")
	failures := flag.String("failures", "oracle-failures", "`folder` for programs that fail")
	shrink := flag.Bool("shrink", true, "make programs that fail smaller")
	flag.Parse()
	if *n < 1 || *batch < 1 {
		log.Fatalf("-n %d and -batch %d: want at least 1", *n, *batch)
	}
	var programs []*gogen.Program
	for i, file := range flag.Args() {
		p, err := oracle.Load(file)
		if err != nil {
			log.Fatal(err)
		}
		p.Seed = uint64(i + 1) // functions are named by numbers
		programs = append(programs, p)
	}
	if len(programs) == 0 {
		for i := range *n {
			programs = append(programs, gogen.Generate(*seed+uint64(i)))
		}
	}
	failed, err := run(programs, *batch, *heddle, *failures, *shrink)
	if err != nil {
		log.Fatal(err)
	}
	if failed {
		os.Exit(1)
	}
}

// each is how many failures of a kind are shrunk and stored.
const each = 3

func run(programs []*gogen.Program, batch int, heddle, failures string,
	shrink bool) (failed bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "heddle-oracle-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if heddle == "" {
		heddle = filepath.Join(dir, "heddle")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", heddle, "heddle/cmd/heddle")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return false, err
		}
	}
	o := oracle.New(heddle, dir)
	total := oracle.NewCount(o.Strategies)
	began := time.Now()
	for list := range slices.Chunk(programs, batch) {
		reports, err := o.Check(ctx, list)
		if ctx.Err() != nil { // interrupted: print the results so far
			break
		}
		if err != nil {
			return false, err
		}
		for _, r := range reports {
			total.Add(r)
			if len(r.Wrong) == 0 || total.Seen(r) > each {
				continue
			}
			if shrink {
				r = o.Shrink(ctx, r)
			}
			path, err := oracle.Save(failures, r)
			if err != nil {
				return false, err
			}
			fmt.Printf("program %d: %s\n\t%s\n", r.Program.Seed, r.Wrong[0].Text, path)
		}
		fmt.Printf("%s: to program %d; %s\n", time.Since(began).Round(time.Second), list[len(list)-1].Seed,
			total)
	}
	fmt.Print(total.Table())
	for _, f := range o.Failures {
		fmt.Printf("heddle failed: %s\n", f)
	}
	fmt.Printf("processor time: %s\n", o.Spent())
	return total.Failed+len(o.Failures) > 0, nil
}
