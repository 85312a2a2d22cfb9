package cli

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

// ranges are address ranges for pods and Services that no other landscape of this package uses at the same time, in
// any process. A listener on the last address of the pod range, which no pod gets, reserves them while the landscape
// is down.
type ranges struct {
	pods, services string
	reserved       net.Listener
}

// Second octets to choose from: even ones are for pods, the odd ones after them for Services. Below are the
// defaults, above the ranges of shoots' pods.
const (
	firstOctet = 66
	endOctet   = 128
	// defaultServices belongs to the landscape of the machine's owner, which may be down now and start later.
	defaultServices = 96
)

// reserveRanges tries ranges, beginning with a random one.
func reserveRanges() (*ranges, error) {
	const count = (endOctet - firstOctet) / 2
	start := rand.IntN(count)
	for i := range count {
		n := firstOctet + 2*((start+i)%count)
		if n == defaultServices {
			continue
		}
		reserved, err := net.Listen("tcp", fmt.Sprintf("127.%d.255.254:10250", n))
		if err != nil {
			continue
		}
		if taken(n) || answers(n) || answers(n+1) { // a landscape has its Services here
			_ = reserved.Close()
			continue
		}
		return &ranges{pods: fmt.Sprintf("127.%d.0.0/16", n), services: fmt.Sprintf("127.%d.0.0/16", n+1), reserved: reserved}, nil
	}
	return nil, errors.New("no free address range below 127.0.0.0/8")
}

// taken tells whether a landscape that has chosen the range by itself holds it, since it starts, or has its node there.
func taken(n int) bool {
	for _, address := range []string{fmt.Sprintf("127.%d.255.253:10250", n), fmt.Sprintf("127.%d.0.1:10250", n)} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return true
		}
		_ = listener.Close()
	}
	return false
}

// answers tells whether an API server of a cluster has the first address of the range.
func answers(n int) bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.%d.0.1:443", n), time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
