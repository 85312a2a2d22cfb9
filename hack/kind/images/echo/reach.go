package main

import (
	"fmt"
	"net"
	"time"
)

// reachTimeout is short, since networks that forbid a connection say nothing.
const reachTimeout = 2 * time.Second

// reach prints a line for each target that a TCP connection is possible to, in their order. All are tried at the same time.
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
