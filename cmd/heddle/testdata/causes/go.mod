module example.com/causes

go 1.26.0
