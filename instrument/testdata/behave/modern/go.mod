module behave

go 1.26
