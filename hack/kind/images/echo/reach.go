package main

import (
	"fmt"
	"net"
	"time"
)

// reachTimeout is short, since networks that deny a connection drop packets without a response.
const reachTimeout = 2 * time.Second

// reach prints a line for each target that accepts a TCP connection, in their order. It tries all targets at the same
// time.
func reach(targets []string) {
	results := make([]chan error, len(targets))
	for i, target := range targets {
		results[i] = make(chan error, 1)
		go func() {
			conn, err := net.DialTimeout("tcp", target, reachTimeout)
			if err == nil {
				_ = conn.Close()
			}
			results[i] <- err
		}()
	}
	for i, target := range targets {
		if err := <-results[i]; err == nil {
			fmt.Println(target)
		}
	}
}
