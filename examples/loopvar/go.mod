module heddle.examples/loopvar

go 1.21
