package probes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/probe"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
)

// Pod is what is probed.
type Pod struct {
	// Address is that of the pod.
	Address netip.Addr
	// Dial connects to a TCP port of the pod, and reaches nothing else.
	Dial func(ctx context.Context, port uint16) (net.Conn, error)
}

// Run makes a probe or hook. A timeout of zero is none. It returns whether the pod passed, and what the kubelet would tell of it. An error means that the
// probe cannot be made.
func Run(ctx context.Context, p pods.Probe, pod Pod, timeout time.Duration) (passed bool, said string, err error) {
	switch {
	case p.HTTPGet != nil && p.Hook:
		said, err = hook(ctx, p.HTTPGet, pod)
	case p.HTTPGet != nil:
		said, err = get(ctx, p.HTTPGet, pod, timeout)
	case p.TCPSocket != nil:
		said, err = connect(ctx, p.TCPSocket, pod, timeout)
	case p.GRPC != nil:
		said, err = check(ctx, p.GRPC, pod, timeout)
	default:
		err = errors.New("the probe names nothing that can be probed")
	}
	var failure failed
	if errors.As(err, &failure) {
		return false, string(failure), nil
	}
	return err == nil, said, err
}

// failed is the reason why a pod did not pass.
type failed string

func (f failed) Error() string { return string(f) }

// connect checks that the pod accepts connections.
func connect(ctx context.Context, action *corev1.TCPSocketAction, pod Pod, timeout time.Duration) (string, error) {
	port, err := probe.ResolveContainerPort(action.Port, &corev1.Container{})
	if err != nil {
		return "", err
	}
	ctx, cancel := within(ctx, timeout)
	defer cancel()
	conn, err := pod.dial(ctx, "tcp", pod.hostPort(port))
	if err != nil {
		return "", failed(err.Error())
	}
	return "", conn.Close()
}

// within ends a context after the timeout, if there is one.
func within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

func (p Pod) hostPort(port int) string {
	return net.JoinHostPort(p.Address.String(), strconv.Itoa(port))
}

// dial connects to the pod. It has the form that clients ask for, and refuses every other host.
func (p Pod) dial(ctx context.Context, _, address string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil || at.Addr() != p.Address {
		return nil, fmt.Errorf("%s is not the pod %s", address, p.Address)
	}
	return p.Dial(ctx, at.Port())
}
