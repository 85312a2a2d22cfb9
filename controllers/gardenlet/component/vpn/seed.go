// Package vpn builds both ends of a shoot's tunnel: vpn-seed-server beside the control plane, through which the API server
// reaches nodes, pods and services of the shoot, and vpn-shoot-client in the shoot, which dials the front door of the seed.
package vpn

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// ServerName and ClientName are those of the workloads and of their certificates.
	ServerName = "vpn-seed-server"
	ClientName = "vpn-shoot-client"
	// egressName is the API server's certificate for the server.
	egressName = "kube-apiserver-http-proxy"

	agentPort  = 1194
	egressPort = 9443
	healthPort = 8080

	dirServer = "/srv/secrets/vpn-server"
	dirCA     = "/srv/secrets/vpn-ca"
)

// Secrets of the tunnel: names of Secrets in the seed, and the content of those that go into the shoot.
type Secrets struct {
	// CA is the bundle by which both ends check each other, Server the certificate of the server, Egress the one of the API
	// server.
	CA, Server, Egress string
	// ClientData is the certificate of the client, CAData the bundle.
	ClientData map[string][]byte
	CAData     []byte
}

// GenerateSecrets generates the certificates. The VPN authority has to be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	bundle := sm.Bundle(constants.SecretNameCAVPN)
	if bundle == nil {
		return Secrets{}, fmt.Errorf("authority %q has not been generated", constants.SecretNameCAVPN)
	}
	out := Secrets{CA: bundle.Name, CAData: bundle.Data[secretsmanager.KeyBundle]}
	for _, want := range []struct {
		config secretsmanager.Certificate
		use    func(*corev1.Secret)
	}{
		{
			secretsmanager.Certificate{Name: ServerName, CommonName: ServerName, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(ServerName, sm.Namespace)},
			func(s *corev1.Secret) { out.Server = s.Name },
		},
		{
			secretsmanager.Certificate{Name: egressName, CommonName: egressName, Usage: secretsmanager.Client, OmitCA: true},
			func(s *corev1.Secret) { out.Egress = s.Name },
		},
		{
			secretsmanager.Certificate{Name: ClientName, CommonName: ClientName, Usage: secretsmanager.Client, OmitCA: true},
			func(s *corev1.Secret) { out.ClientData = s.Data },
		},
	} {
		secret, err := sm.Generate(ctx, want.config, secretsmanager.SignedBy(constants.SecretNameCAVPN))
		if err != nil {
			return out, fmt.Errorf("generate secrets of the tunnel: %w", err)
		}
		want.use(secret)
	}
	return out, nil
}

// ServerURL is where the API server asks for connections into the shoot.
func ServerURL() string { return fmt.Sprintf("https://%s:%d", ServerName, egressPort) }

// ServerLabels select the pods of the server.
func ServerLabels() map[string]string {
	return map[string]string{constants.LabelApp: ServerName}
}

// ServerObjects builds what runs in the seed, the Deployment last.
func ServerObjects(namespace string, replicas int32, secrets Secrets) ([]client.Object, *appsv1.Deployment) {
	deployment := pod.Deployment(pod.Spec{
		Name: ServerName, Namespace: namespace, Labels: ServerLabels(), Component: ServerName,
		Args: []string{
			fmt.Sprintf("--agent-address=$(POD_IP):%d", agentPort),
			fmt.Sprintf("--bind-address=$(POD_IP):%d", egressPort),
			fmt.Sprintf("--health-address=$(POD_IP):%d", healthPort),
			"--ca-file=" + pod.File(dirCA, secretsmanager.KeyBundle),
			"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
			"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
		},
		Replicas: replicas, Port: egressPort,
		Ready: pod.Plain(pod.Ready("/healthz", healthPort)), Live: pod.Plain(pod.Live("/healthz", healthPort)),
		Mounts:        []pod.Mount{{Path: dirServer, Secrets: []string{secrets.Server}}, {Path: dirCA, Secrets: []string{secrets.CA}}},
		PriorityClass: constants.PriorityClassNameShootControlPlane300,
	})
	service := &corev1.Service{
		// The front door calls it from the network of a node.
		ObjectMeta: metav1.ObjectMeta{Name: ServerName, Namespace: namespace, Labels: ServerLabels(), Annotations: names.FromWorld(agentPort)},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: ServerLabels(),
			Ports: []corev1.ServicePort{
				{Name: "openvpn", Port: agentPort, TargetPort: intstr.FromInt32(agentPort), Protocol: corev1.ProtocolTCP},
				{Name: "http-proxy", Port: egressPort, TargetPort: intstr.FromInt32(egressPort), Protocol: corev1.ProtocolTCP},
			},
		},
	}
	return []client.Object{service, deployment}, deployment
}
