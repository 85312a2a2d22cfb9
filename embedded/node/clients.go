package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/certificate"
	"k8s.io/kubernetes/pkg/kubelet/certificate/bootstrap"
)

// clients of the kubelet differ in how long and how often they may ask.
type clients struct {
	base               *rest.Config
	kube, heartbeat    kubernetes.Interface
	events             typedcorev1.EventsGetter
	onHeartbeatFailure func()
}

func newClients(ctx context.Context, c Config, server *options.KubeletServer) (*clients, error) {
	base, closeConnections, err := clientConfig(ctx, c, server.RotateCertificates)
	if err != nil {
		return nil, err
	}
	kube := forKubelet(base, float32(server.KubeAPIQPS), int(server.KubeAPIBurst))
	events := forKubelet(base, float32(server.EventRecordQPS), int(server.EventBurst))
	heartbeat := forKubelet(base, -1, 0)
	heartbeat.Timeout = min(server.NodeStatusUpdateFrequency.Duration, time.Duration(server.NodeLeaseDurationSeconds)*time.Second)

	all := &clients{base: base, onHeartbeatFailure: closeConnections}
	kubeClient, err := kubernetes.NewForConfig(kube)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	heartbeatClient, err := kubernetes.NewForConfig(heartbeat)
	if err != nil {
		return nil, fmt.Errorf("create client of heartbeats: %w", err)
	}
	shown := versions{own: version.Get().String(), shown: c.KubernetesVersion}
	all.kube, all.heartbeat = showing(kubeClient, shown), showing(heartbeatClient, shown)
	if all.events, err = typedcorev1.NewForConfig(events); err != nil {
		return nil, fmt.Errorf("create client of events: %w", err)
	}
	return all, nil
}

func forKubelet(base *rest.Config, qps float32, burst int) *rest.Config {
	config := rest.CopyConfig(base)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.QPS, config.Burst = qps, burst
	return config
}

// clientConfig returns the configuration to reach the API server, after getting a certificate if needed, and what to
// do when the API server no longer answers.
func clientConfig(ctx context.Context, c Config, rotate bool) (*rest.Config, func(), error) {
	if c.Client != nil {
		return c.Client, func() { utilnet.CloseIdleConnectionsFor(c.Client.Transport) }, nil
	}
	if c.BootstrapKubeconfig != "" {
		if err := bootstrap.LoadClientCert(ctx, c.Kubeconfig, c.BootstrapKubeconfig, c.CertDir, types.NodeName(c.Name)); err != nil {
			return nil, nil, fmt.Errorf("get client certificate of node %s: %w", c.Name, err)
		}
		if rotate {
			return rotatingConfig(ctx, c)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("load kubeconfig of node: %w", err)
	}
	return config, func() { utilnet.CloseIdleConnectionsFor(config.Transport) }, nil
}

// rotatingConfig keeps the client certificate valid by requesting a new one in time.
func rotatingConfig(ctx context.Context, c Config) (*rest.Config, func(), error) {
	logger := klog.FromContext(ctx)
	requesting, using, err := bootstrap.LoadClientConfig(logger, c.Kubeconfig, c.BootstrapKubeconfig, c.CertDir)
	if err != nil {
		return nil, nil, fmt.Errorf("load client certificate of node: %w", err)
	}
	manager, err := certificate.NewKubeletClientCertificateManager(c.CertDir, types.NodeName(c.Name),
		using.CertData, using.KeyData, using.CertFile, using.KeyFile,
		func(current *tls.Certificate) (kubernetes.Interface, error) {
			if current != nil {
				return kubernetes.NewForConfig(using)
			}
			return kubernetes.NewForConfig(requesting)
		})
	if err != nil {
		return nil, nil, fmt.Errorf("manage client certificate of node: %w", err)
	}
	config := rest.AnonymousClientConfig(using) // the manager's certificate is used instead
	// zero: turns off the kubelet's own reaction, which ends the process without a certificate
	closeConnections, err := certificate.UpdateTransport(logger, ctx.Done(), config, manager, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("use client certificate of node: %w", err)
	}
	manager.Start()
	return config, closeConnections, nil
}
