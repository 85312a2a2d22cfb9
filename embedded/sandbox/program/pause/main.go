// Command pause does nothing. It is the first container of each sandboxed pod, which keeps the sandbox while other containers come and go.
package main

import "time"

func main() {
	for {
		time.Sleep(time.Hour)
	}
}
