module fired

go 1.26
