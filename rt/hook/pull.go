package hook

import "unsafe"

// A Pull is a coroutine of iter.Pull. It is suspended between two calls of next, and for ever if
// stop is not called: no goroutine outside control, and to be ended with the execution.
type Pull struct {
	end func()
	pc  uintptr // of the call of iter.Pull
	at  int     // its index in pulls, -1 when it has ended
}

// pulls are those of the goroutines under test that have not ended.
var pulls []*Pull

// NewPull makes a coroutine known, if a goroutine under test made it by the call at pc. end resumes
// it so that it ends.
func NewPull(pc uintptr, end func()) *Pull {
	if !Here() {
		return nil
	}
	p := &Pull{end, pc, len(pulls)}
	pulls = append(pulls, p)
	return p
}

// Ended is called at p's end; p may be nil.
func (p *Pull) Ended() {
	if p == nil || p.at < 0 {
		return
	}
	last := len(pulls) - 1
	pulls[p.at], pulls[last].at = pulls[last], p.at
	pulls, p.at = pulls[:last], -1
}

// Called is called when next or stop is, which must not be by two goroutines at the same time: that
// is a data race on p.
func (p *Pull) Called(pc uintptr) {
	if p != nil && Here() {
		const kindPC = 15 << 59 // as trace.PCSite has it
		Write(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), Site(pc)&(1<<48-1)|kindPC)
	}
}

// Pulls returns how many there are.
func Pulls() int { return len(pulls) }

// PullCalls appends the places where those that there are were made to pcs.
func PullCalls(pcs []uintptr) []uintptr {
	for _, p := range pulls {
		pcs = append(pcs, p.pc)
	}
	return pcs
}

// EndPulls ends them. It is called outside control, when all hooks are inert.
func EndPulls() {
	for len(pulls) > 0 {
		p := pulls[len(pulls)-1]
		p.end()
		Cur = 0
		p.Ended() // if it has not said so
	}
}
