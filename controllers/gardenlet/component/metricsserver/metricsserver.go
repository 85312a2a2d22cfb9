// Package metricsserver builds the server of metrics.k8s.io, which reports the usage of CPU and memory in a shoot. It
// writes nothing to a cluster.
//
// The API server of the shoot must be able to reach the metrics server. Through a tunnel it reaches Services of the
// shoot, so the metrics server is a Deployment in the shoot. Without a tunnel, nodes are in the network of the seed and
// Services of the shoot cannot be reached. The metrics server is then part of the control plane, and the Service in the
// shoot is only an alias for its name in the seed.
package metricsserver

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Name of the Deployment and its related objects, in the seed or in the shoot.
	Name = constants.SecretNameMetricsServer
	// Resource is the name of the ManagedResource.
	Resource = "shoot-core-metrics-server"
	// User is the user name in the shoot of a metrics server that runs in the seed.
	User = "system:metrics-server"

	// Port of the server, in the pod and in the Service of the seed.
	Port = 8443
)

// Values are the inputs for the objects.
type Values struct {
	// Namespace of the shoot in the seed.
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image string
	// InShoot means that the server runs in the shoot.
	InShoot bool
	Secrets Secrets
}

// Secrets are the names of Secrets in the seed, and the content that a server in the shoot needs.
type Secrets struct {
	Server, KubeletCA, KubeletClient string
	CAData, ServerCert, ServerKey    []byte
	KubeletCAData                    []byte
	Access                           pod.Mount
}

// GenerateSecrets generates the secrets that only this server uses. The CAs must be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	fail := func(err error) (Secrets, error) {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	ca, kubelets := sm.Bundle(constants.SecretNameCAMetricsServer), sm.Bundle(constants.SecretNameCAKubelet)
	if ca == nil || kubelets == nil {
		return fail(fmt.Errorf("CAs %q and %q have not been generated", constants.SecretNameCAMetricsServer, constants.SecretNameCAKubelet))
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: constants.SecretNameMetricsServer, CommonName: Name, Usage: secretsmanager.Server, OmitCA: true,
		DNSNames: append(names.ServiceNames(Name, metav1.NamespaceSystem), names.ServiceNames(Name, sm.Namespace)...),
	}, secretsmanager.SignedBy(constants.SecretNameCAMetricsServer))
	if err != nil {
		return fail(err)
	}
	toKubelets, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "metrics-server-kubelet", CommonName: User, Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedByOld(constants.SecretNameCAKubelet))
	if err != nil {
		return fail(err)
	}
	mount, err := access.Client{Component: "metrics-server", User: User}.Mount(ctx, sm)
	if err != nil {
		return fail(err)
	}
	return Secrets{
		Server: server.Name, KubeletCA: kubelets.Name, KubeletClient: toKubelets.Name, Access: mount,
		CAData: ca.Data[secretsmanager.KeyBundle], KubeletCAData: kubelets.Data[secretsmanager.KeyBundle],
		ServerCert: server.Data[secretsmanager.KeyCert], ServerKey: server.Data[secretsmanager.KeyPrivateKey],
	}, nil
}

const (
	dirServer        = "/pki/server"
	dirKubeletCA     = "/pki/ca-kubelet"
	dirKubeletClient = "/pki/kubelet"
)

// SeedObjects builds the server as part of the control plane: its Service and, last, the Deployment.
func SeedObjects(v Values) ([]client.Object, *appsv1.Deployment) {
	labels := names.ControlPlane(Name)
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: labels, Component: Name,
		Args: append(arguments("$(POD_IP)"),
			"--kubeconfig="+access.Kubeconfig(),
			"--kubelet-name="+names.MachinesHost(v.Namespace),
			"--kubelet-client-certificate="+pod.File(dirKubeletClient, secretsmanager.KeyCert),
			"--kubelet-client-key="+pod.File(dirKubeletClient, secretsmanager.KeyPrivateKey),
		),
		Replicas: v.Replicas, Port: Port, Ready: pod.Ready("/readyz", Port), Live: pod.Live("/livez", Port),
		Mounts: []pod.Mount{
			v.Secrets.Access,
			{Path: dirServer, Secrets: []string{v.Secrets.Server}},
			{Path: dirKubeletCA, Secrets: []string{v.Secrets.KubeletCA}},
			{Path: dirKubeletClient, Secrets: []string{v.Secrets.KubeletClient}},
		},
		PriorityClass: constants.PriorityClassNameShootControlPlane200,
		Reaches:       []string{constants.LabelNetworkPolicyToDNS, names.Reach(names.APIServer, names.APIServerPort), names.ReachShoot},
	})
	meta := metav1.ObjectMeta{Name: Name, Namespace: v.Namespace, Labels: labels, Annotations: names.FromShootAPIServer(Port)}
	return []client.Object{pod.Service(meta, labels, "https", Port), deployment}, deployment
}

// arguments are the flags of a server in the seed or in the shoot.
func arguments(address string) []string {
	return []string{
		"--bind-address=" + address,
		fmt.Sprintf("--secure-port=%d", Port),
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
		"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
		"--kubelet-certificate-authority=" + pod.File(dirKubeletCA, secretsmanager.KeyBundle),
	}
}
