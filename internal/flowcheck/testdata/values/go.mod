module ex.com/values

go 1.24
