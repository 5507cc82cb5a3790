package report

// A Row is a row of the table of a replay, as a debugger wants it.
type Row struct {
	Number int // of its step in the table; the events of one step have one number; 0: none
	G, Op  string
	Text   string // the operation with its object and value
	Object string // the object as the source calls it, "" where it does not
	ID     int    // equal for operations on one object; 0: none
	File   string
	Line   int
	Source string
	Switch bool
	Inside bool // it is inside the standard library, or quiet
}

// Rows returns all rows of the table, one for each event.
func (p *Replay) Rows() []Row {
	p.learnNames()
	rows := make([]Row, len(p.events))
	for i := range p.events {
		e := &p.events[i]
		w := p.place(e)
		object := nameAt(w)
		if object == "" {
			object = p.names[e.Object]
		}
		rows[i] = Row{Number: e.Step + 1, G: e.G, Op: e.Op, Text: p.told(e, e.Value), Object: object,
			ID: e.Obj, File: w.File, Line: w.Line, Source: p.r.source(w), Switch: e.Switch,
			Inside: quietly(e) || p.inside(e) != ""}
	}
	return rows
}
