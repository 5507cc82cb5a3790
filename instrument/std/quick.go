package std

// Package testing/quick: a property is called once in an execution, with a part of the input of the
// test. added/quick.go.txt has its arguments.
var quickPatch = &pkg{
	added: embedded("quick.go.txt"),
	files: map[string]file{"quick.go": {edits: []edit{
		replace("	arguments := make([]reflect.Value, fType.NumIn())\n	rand := config.getRand()\n	maxCount := config.getMaxCount()\n",
			"	arguments := make([]reflect.Value, fType.NumIn())\n	rand := config.getRand()\n	maxCount := config.getMaxCount(); h := heddleBegin(fType, config, &maxCount, &rand)\n"),
		replace("	arguments := make([]reflect.Value, xType.NumIn())\n	rand := config.getRand()\n	maxCount := config.getMaxCount()\n",
			"	arguments := make([]reflect.Value, xType.NumIn())\n	rand := config.getRand()\n	maxCount := config.getMaxCount(); h := heddleBegin(xType, config, &maxCount, &rand)\n"),
		replace("		err := arbitraryValues(arguments, fType, config, rand)\n",
			"		err := h.values(arguments, fType, config, rand)\n"),
		replace("		err := arbitraryValues(arguments, xType, config, rand)\n",
			"		err := h.values(arguments, xType, config, rand)\n"),
		replace("		if !fVal.Call(arguments)[0].Bool() {\n",
			"		if !h.call(fVal, arguments)[0].Bool() {\n"),
		replace("toInterfaces(x.Call(arguments))", "toInterfaces(h.call(x, arguments))"),
		replace("toInterfaces(y.Call(arguments))", "toInterfaces(h.call(y, arguments))"),
	}}},
}
