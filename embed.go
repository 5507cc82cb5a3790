// Package heddle carries the sources that the command heddle lays into the
// programs it tests: an installed heddle binary needs no source tree.
//
// heddle tests concurrent Go programs by deciding, step by step, which goroutine runs next. The
// command is cmd/heddle. What it compiles into the program under test is below rt, with the
// types of trace, the definitions of model, the detectors of detect, the strategies of explore
// and predict, the solver order, and the loop of engine. Package build lays them under
// GOROOT/src/heddlert by an overlay.
package heddle

import "embed"

// Sources holds the packages that are laid (trace, model, rt, detect, explore, order, predict,
// symbolic, engine) and those whose text decides what rewritten code looks like (instrument). A
// hash over all of it names what the build cache may be reused for.
//
//go:embed trace model rt detect explore order predict symbolic engine instrument
var Sources embed.FS
