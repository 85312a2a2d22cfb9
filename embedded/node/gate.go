package node

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"k8s.io/client-go/util/connrotation"
)

// gate is between the kubelet's clients and the API server. The kubelet cannot be stopped within its process: parts
// of it continue to send requests. A closed gate ends their connections and refuses new ones, so that the API server
// can end.
type gate struct {
	dialer *connrotation.Dialer
	closed atomic.Bool
}

func newGate() *gate {
	return &gate{dialer: connrotation.NewDialer((&net.Dialer{}).DialContext)}
}

func (g *gate) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if g.closed.Load() {
		return nil, errors.New("the node has stopped")
	}
	return g.dialer.DialContext(ctx, network, address)
}

func (g *gate) close() {
	g.closed.Store(true)
	g.dialer.CloseAll()
}
