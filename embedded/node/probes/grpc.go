package probes

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/version"
)

// check asks the health service of the pod.
func check(ctx context.Context, action *corev1.GRPCAction, pod Pod, timeout time.Duration) (string, error) {
	ctx, cancel := within(ctx, timeout)
	defer cancel()
	own := version.Get()
	conn, err := grpc.NewClient("passthrough:///"+pod.hostPort(int(action.Port)),
		grpc.WithUserAgent(fmt.Sprintf("kube-probe/%s.%s", own.Major, own.Minor)),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return pod.dial(ctx, "tcp", address) }))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	request := &grpc_health_v1.HealthCheckRequest{}
	if action.Service != nil {
		request.Service = *action.Service
	}
	response, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, request)
	switch state := response.GetStatus(); {
	case status.Code(err) == codes.DeadlineExceeded:
		return "", failed(fmt.Sprintf("timeout: health rpc did not complete within %s", timeout))
	case status.Code(err) == codes.Unimplemented:
		return "", failed(fmt.Sprintf("error: this server does not implement the grpc health protocol (grpc.health.v1.Health): %s", status.Convert(err).Message()))
	case err != nil:
		return "", failed(fmt.Sprintf("error: health rpc probe failed: %s", err))
	case state != grpc_health_v1.HealthCheckResponse_SERVING:
		return "", failed(fmt.Sprintf("service unhealthy (responded with %q)", state))
	}
	return "service healthy", nil
}
