module example.com/points

go 1.25
