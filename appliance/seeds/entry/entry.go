// Package entry connects to the shoots of a seed from outside the seed: the address of the seed's front door, and clients that
// connect to shoots through the front door.
package entry

import (
	"context"
	"net"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// AnswerTimeout is how long the API server of a seed may take for the first answer, and how long the search for its front door
// may take.
const AnswerTimeout = 15 * time.Second

const dialTimeout = 10 * time.Second

// Address finds host:port of a seed's front door, as this process reaches it.
type Address func(context.Context) (string, error)

// Always is an address that does not change.
func Always(address string) Address {
	return func(context.Context) (string, error) { return address, nil }
}

// rememberFor is how long an address may be outdated: it changes when a container is started again.
const rememberFor = 5 * time.Second

// Remember caches the address that find returns, because some addresses cost a process to find. Errors are not cached.
func Remember(find Address) Address {
	r := &remembered{find: find}
	return r.get
}

type remembered struct {
	find Address

	mu    sync.Mutex
	value string
	until time.Time
}

func (r *remembered) get(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.until) {
		return r.value, nil
	}
	value, err := r.find(ctx)
	if err != nil {
		return "", err
	}
	r.value, r.until = value, time.Now().Add(rememberFor)
	return value, nil
}

// ShootConfig is the configuration of a client of a shoot outside the seed, where the names of the seed's Services do not
// resolve. The client connects to the front door, whatever server the kubeconfig names. The front door routes it to the API
// server by that name.
func ShootConfig(frontDoor Address, kubeconfig []byte) (*rest.Config, error) {
	shoot, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, err
	}
	shoot.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		address, err := frontDoor(ctx)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address)
	}
	return shoot, nil
}
