// Package podreach reaches ports of pods from the process of a landscape.
package podreach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	//lint:ignore SA1019 the dialer of client-go has types of this package
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// Reach returns an address of this machine that leads to the port of the pod, until end is called. Pods of embedded seeds have such
// addresses. To all others, the API server of the seed forwards.
func Reach(ctx context.Context, seed *rest.Config, pod types.NamespacedName, ip, port string) (address string, end func(), err error) {
	if parsed := net.ParseIP(ip); parsed != nil && parsed.IsLoopback() {
		return net.JoinHostPort(ip, port), func() {}, nil
	}
	local, end, err := forward(ctx, seed, pod, port)
	if err != nil {
		return "", nil, fmt.Errorf("forward to pod %s: %w", pod.Name, err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(local))), end, nil
}

// forward forwards a free port of this machine.
func forward(ctx context.Context, seed *rest.Config, pod types.NamespacedName, port string) (local uint16, end func(), err error) {
	dialer, err := dialerOf(seed, pod)
	if err != nil {
		return 0, nil, err
	}
	said, stop, ready := &bytes.Buffer{}, make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.New(dialer, []string{"0:" + port}, stop, ready, io.Discard, said)
	if err != nil {
		return 0, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- forwarder.ForwardPorts() }()
	end = func() { close(stop); <-done }
	select {
	case <-ready:
	case err := <-done:
		return 0, nil, errors.Join(err, errors.New(said.String()))
	case <-ctx.Done():
		end()
		return 0, nil, ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		end()
		return 0, nil, err
	}
	return ports[0].Local, end, nil
}

// dialerOf dials the API server of the seed for connections to a pod.
func dialerOf(seed *rest.Config, pod types.NamespacedName) (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(seed)
	if err != nil {
		return nil, err
	}
	host, err := url.Parse(seed.Host)
	if err != nil {
		return nil, err
	}
	where := host.JoinPath("api/v1/namespaces", pod.Namespace, "pods", pod.Name, "portforward")
	return spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, where), nil
}
