package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var count, number, sum int
	fmt.Fscan(in, &count)
	for ; count > 0; count-- {
		fmt.Fscan(in, &number)
		sum += max(number, -number)
	}
	fmt.Println(sum)
}
