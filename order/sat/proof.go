package sat

// A proof records from which clauses every clause was derived, by numbers only: enough to find the
// named constraints that a refutation used.
type proof struct {
	tag  []int32 // by node: the tag of a leaf, -1 of a derived clause
	from []int32 // by node: where its premises begin in refs; they end where the next node's begin
	refs []int32
}

const noNode = int32(-1)

// leaf makes the node of a clause that was given.
func (p *proof) leaf(tag int) int32 {
	p.tag = append(p.tag, int32(tag))
	p.from = append(p.from, int32(len(p.refs)))
	return int32(len(p.tag) - 1)
}

// derived makes the node of a clause that follows from premises.
func (p *proof) derived(premises []int32) int32 {
	p.tag = append(p.tag, -1)
	p.from = append(p.from, int32(len(p.refs)))
	for _, n := range premises {
		if n != noNode {
			p.refs = append(p.refs, n)
		}
	}
	return int32(len(p.tag) - 1)
}

// tags returns the tags of the leaves under the nodes, each once, in order of appearance of the
// leaves.
func (p *proof) tags(nodes []int32) []int {
	seen := make([]bool, len(p.tag))
	stack := append([]int32(nil), nodes...)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == noNode || seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, p.premises(n)...)
	}
	var tags []int
	have := make(map[int32]bool)
	for n, s := range seen {
		if t := p.tag[n]; s && t >= 0 && !have[t] {
			have[t] = true
			tags = append(tags, int(t))
		}
	}
	return tags
}

func (p *proof) premises(n int32) []int32 {
	end := len(p.refs)
	if int(n)+1 < len(p.from) {
		end = int(p.from[n+1])
	}
	return p.refs[p.from[n]:end]
}
