package main

import (
	"fmt"
	"net"
)

// freePorts returns two different free ports.
func freePorts() (int32, int32, error) {
	var ports [2]int32
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close()                                // both are held until both are found
		ports[i] = int32(listener.Addr().(*net.TCPAddr).Port) //nolint:gosec // a port
	}
	return ports[0], ports[1], nil
}
