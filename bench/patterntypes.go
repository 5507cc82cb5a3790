package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
)

// A paperClass is a row of the paper's Tables 3 to 6, as published.
type paperClass struct {
	name, class, bug string
	typ              string // ours, in bench/programs/classes
	size             [3]int // Table 3: fields, methods, lines of code

	// Table 4: schedules to the first bug, milliseconds, and the share of runs in which MAPTest
	// covered the intended pattern
	pcr, maptest, pcrTime, maptestTime, intended float64
	pcrBugs, maptestBugs                         float64 // Table 5
	mcr, pcrSolved, mcrSolved                    float64 // Table 6: schedules, constraints
	pcrMilliseconds, mcrMillisec                 float64
}

var paperClasses = []paperClass{
	{"V1", "PerUserPoolDataSource", "data race", "PerUserPool", [3]int{35, 65, 682},
		5.0, 15.2, 482.5, 1180.8, 0.68, 4.0, 2.3, 3.0, 15.2, 5.0, 482.5, 758.0},
	{"V2", "SharedPoolDataSource", "atomicity", "SharedPool", [3]int{30, 51, 516},
		6.4, 411.6, 684.0, 7769.2, 1.00, 5.0, 0.5, 3.0, 29.9, 8.0, 684.0, 126.0},
	{"V3", "InputBuffer", "data race", "InputBuffer", [3]int{20, 22, 575},
		5.0, 35.1, 2685.9, 6230.2, 0, 3.0, 1.4, 11.6, 16.1, 70.5, 1543.8, 2321.5},
	{"V4", "Request", "data race", "Request", [3]int{59, 143, 3736},
		9.5, 10, 3607.8, 3114.3, 0, 13.0, 20.1, 4.3, 20, 14.5, 3607.8, 854.1},
	{"V5", "BufferedInputStream", "atomicity", "BufferedInput", [3]int{7, 9, 237},
		2.0, 4.8, 325.7, 418.0, 0, 6.6, 4.4, 5.0, 5.2, 12.9, 325.7, 705.2},
	{"V6", "ConcurrentHashMap", "atomicity", "ShardedMap", [3]int{15, 29, 1007},
		2.8, 1.0, 5953.3, 411.9, 0, 2.6, 11.5, 6.8, 36.9, 24.8, 5953.3, 3863.7},
	{"V7", "Hashtable", "data race", "Hashtable", [3]int{14, 31, 558},
		2.0, 31.4, 1174.0, 3202.1, 0, 11.6, 5.8, 21.3, 50.5, 192.1, 1174.0, 3967.3},
	{"V8", "Logger", "atomicity", "Logger", [3]int{18, 44, 530},
		5.0, 9.0, 3744.6, 3763.7, 0, 4.2, 1.4, 4.7, 24.0, 39.6, 3744.6, 2078.8},
	{"V9", "StringBuffer", "atomicity", "StringBuffer", [3]int{5, 52, 845},
		1.0, 6.3, 168.5, 645.5, 0, 34.4, 2.1, 1.0, 1.0, 1.1, 168.5, 528.8},
	{"V10", "Vector 1.1.7", "atomicity", "Vector", [3]int{3, 22, 177},
		2.0, 14.0, 241.2, 2083.1, 0, 4.0, 1.3, 3.0, 3.0, 14.0, 241.2, 398.7},
	{"V11", "Vector 1.4.2", "atomicity", "Vector", [3]int{5, 51, 660},
		3.0, 44.9, 1421.7, 4944.5, 0, 5.0, 0.4, 4.0, 9.1, 5.0, 1421.7, 559.6},
	{"V12", "NumberAxis", "atomicity", "NumberAxis", [3]int{43, 110, 1637},
		11.0, 149.0, 1060.4, 6997.6, 0, 3.0, 0.5, 7, 41.9, 12, 1060.4, 520.3},
	{"V13", "PeriodAxis", "data race", "PeriodAxis", [3]int{45, 125, 1681},
		6.8, 22.0, 2583.7, 3624.5, 0.26, 1.6, 0.0, 5.8, 26.0, 23.0, 2583.7, 269.8},
	{"V14", "TimeSeries", "data race", "TimeSeries", [3]int{12, 41, 331},
		2.0, 1.0, 267.8, 348.7, 0, 3.0, 2.0, 2.0, 2.0, 2.0, 267.8, 682.3},
	{"V15", "XYPlot", "data race", "Plot", [3]int{84, 217, 2788},
		3.0, 24.6, 776.1, 2355.5, 0.50, 7.0, 2.9, 3.0, 8.2, 17.9, 776.1, 196.0},
	{"V16", "XYSeries", "data race", "Series", [3]int{7, 25, 198},
		4.9, 17.0, 344.7, 1038.7, 0, 2.0, 1.7, 3.1, 14.3, 5.1, 344.7, 239.7},
	{"V17", "AppenderAttachableImpl", "data race", "Appenders", [3]int{1, 8, 92},
		2.0, 86.2, 1235.2, 12328.7, 0, 20.7, 0.0, 8.2, 9.0, 176.0, 1235.2, 2634.5},
	{"V18", "FileAppender", "atomicity", "FileAppender", [3]int{7, 33, 410},
		3.0, 21.7, 418.5, 1458.2, 0.72, 11.0, 3.3, 2.8, 8.0, 19.4, 418.5, 523},
	{"V19", "NullAppender", "atomicity", "NullAppenders", [3]int{8, 19, 138},
		2.0, 20.4, 211.1, 1056.0, 0, 4.8, 2.0, 3.3, 5.5, 6.4, 211.1, 257.1},
	{"V20", "XStream", "atomicity", "Mapper", [3]int{88, 66, 798},
		3.0, 670.3, 5981.5, 67461.8, 0, 1.0, 0.1, 3.0, 8.0, 11.0, 5981.5, 5018.8},
}

// A typeSize is what Table 3 says of a type.
type typeSize struct{ fields, methods, lines int }

// sizesOf returns the sizes of the types of bench/programs/classes: fields, exported methods, and
// lines of the declarations of the type, its methods and the functions that return it.
func sizesOf() (map[string]typeSize, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", classes).Output()
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	sizes := map[string]typeSize{}
	add := func(name string, n ast.Node, fields, methods int) {
		s := sizes[name]
		s.fields, s.methods = s.fields+fields, s.methods+methods
		s.lines += files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
		sizes[name] = s
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						if st, ok := t.Type.(*ast.StructType); ok {
							add(t.Name.Name, d, st.Fields.NumFields(), 0)
						}
					}
				}
			case *ast.FuncDecl:
				switch {
				case d.Recv != nil && d.Name.IsExported():
					add(typeName(d.Recv.List[0].Type), d, 0, 1)
				case d.Recv != nil:
					add(typeName(d.Recv.List[0].Type), d, 0, 0)
				case d.Type.Results.NumFields() > 0:
					add(typeName(d.Type.Results.List[0].Type), d, 0, 0)
				}
			}
		}
	}
	return sizes, nil
}

// typeName returns the name of a type or of what it points to.
func typeName(t ast.Expr) string {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// described writes Table 3.
func (b *patternBench) described(rows []paperClass) error {
	sizes, err := sizesOf()
	if err != nil {
		return err
	}
	b.print("## The types (Table 3)\n\nOf the declarations in Go; in brackets the Java class.\n\n| type | in Go | fields | methods | lines | bug |\n| --- | --- | ---: | ---: | ---: | --- |\n")
	for _, c := range rows {
		s := sizes[c.typ]
		b.print("| %s %s | %s | %d (%d) | %d (%d) | %d (%d) | %s |\n", c.name, c.class, c.typ, s.fields,
			c.size[0], s.methods, c.size[1], s.lines, c.size[2], c.bug)
	}
	b.print("\n")
	return nil
}
