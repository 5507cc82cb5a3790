// Package servers uses parts of Go servers by several goroutines: real subjects for the rows of
// PECAN's Table 1 that are servers. It is a module of its own, so that heddle does not depend on
// them. docs/results/prediction-servers.md has what heddle predict says of its tests.
//
// Each test is written as a user of the subject would: goroutines that call its API, and checks of
// what they must see in every order. Native times come from go test -bench.
package servers
