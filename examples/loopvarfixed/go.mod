module heddle.examples/loopvarfixed

go 1.21
