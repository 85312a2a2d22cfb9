package portserver

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// udpIdle is the idle time after which a session ends. During a session the packets of a client go to one endpoint.
	udpIdle    = 30 * time.Second
	maxPacket  = 65535
	maxUDPPeer = 1024 // sessions of one port at a time
)

// serveUDP relays packets. Each client address gets its own connection to an endpoint.
func (l *Listener) serveUDP(conn *net.UDPConn) {
	var mu sync.Mutex
	sessions := map[netip.AddrPort]net.Conn{}
	buffer := make([]byte, maxPacket)
	for {
		n, client, err := conn.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an endpoint's refusal that the kernel reports here
		}
		mu.Lock()
		backend, known := sessions[client]
		full := len(sessions) >= maxUDPPeer
		mu.Unlock()
		if !known {
			if full {
				continue
			}
			if backend, err = l.config.Dial(l.ctx, client); err != nil {
				continue
			}
			mu.Lock()
			sessions[client] = backend
			mu.Unlock()
			l.conns.Go(backend, func() {
				returnPackets(conn, backend, client)
				mu.Lock()
				defer mu.Unlock()
				delete(sessions, client)
			})
		}
		_ = backend.SetReadDeadline(time.Now().Add(udpIdle))
		_, _ = backend.Write(buffer[:n])
	}
}

// returnPackets sends the endpoint's answers to the client until the session is idle for udpIdle.
func returnPackets(conn *net.UDPConn, backend net.Conn, client netip.AddrPort) {
	buffer := make([]byte, maxPacket)
	for {
		n, err := backend.Read(buffer)
		if err != nil {
			return
		}
		_ = backend.SetReadDeadline(time.Now().Add(udpIdle))
		if _, err := conn.WriteToUDPAddrPort(buffer[:n], client); err != nil {
			return
		}
	}
}
