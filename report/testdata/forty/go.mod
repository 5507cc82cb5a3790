module heddle.forty

go 1.26
