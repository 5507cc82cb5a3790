package predict

import "heddle/trace"

// SendOnClosed is the pattern of Misuses: a close of a channel, and a send that came before it and
// need not have.
var SendOnClosed = &Pattern{Name: "send on closed channel", Kind: "misuse"}

// Misuses returns sends that may come after the close of their channel.
func (g *Graph) Misuses() []Candidate {
	closes := map[trace.ObjID]int32{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == trace.OpClose && n.Obj != 0 {
			closes[n.Obj] = int32(i)
		}
	}
	type places struct{ send, close trace.Site }
	known := map[places]int{}
	var out []Candidate
	for i := range g.Nodes {
		if g.Limit.Spent() {
			break
		}
		n := &g.Nodes[i]
		c, ok := closes[n.Obj]
		if n.Op != trace.OpSend || !ok || c < int32(i) || g.Before(int32(i), c) {
			continue
		}
		k := places{n.Site, g.Nodes[c].Site}
		a := Anomaly{Pattern: SendOnClosed, Nodes: []int32{c, int32(i)}}
		j, there := known[k]
		if !there {
			j = len(out)
			known[k] = j
			out = append(out, Candidate{Pattern: SendOnClosed, Sites: []trace.Site{k.close, k.send}})
		}
		if len(out[j].Instances) < maxInstances {
			out[j].Instances = append(out[j].Instances, a)
		}
	}
	return out
}
