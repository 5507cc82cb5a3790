module heddle.examples

go 1.26
