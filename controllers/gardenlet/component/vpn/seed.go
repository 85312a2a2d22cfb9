// Package vpn builds both ends of the tunnel of a shoot. Through the server, beside the control plane, the API server
// reaches nodes, pods and services of the shoot. The client, in the shoot, dials the front door of the seed. As
// reversed VPN they are called vpn-seed-server and vpn-shoot-client, as API server network proxy proxy-server and
// proxy-agent.
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
	// serverComponent and clientComponent are the components of the binary, in both modes.
	serverComponent = "vpn-seed-server"
	clientComponent = "vpn-shoot-client"
	// egressName is the name of the client certificate of the API server for the tunnel server.
	egressName = "kube-apiserver-http-proxy"

	dirServer = "/srv/secrets/vpn-server"
	dirCA     = "/srv/secrets/vpn-ca"
)

// Secrets of the tunnel: names of Secrets in the seed, and the content of those that are copied into the shoot.
type Secrets struct {
	// CA is the bundle with which both ends verify each other, Server the certificate of the server, Egress that of the
	// API server.
	CA, Server, Egress string
	// ClientData is the certificate of the client, CAData the bundle.
	ClientData map[string][]byte
	CAData     []byte
}

// GenerateSecrets generates the certificates. The CA of the VPN must be generated before.
func (m Mode) GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
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
			secretsmanager.Certificate{Name: m.Server, CommonName: m.Server, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(m.Server, sm.Namespace)},
			func(s *corev1.Secret) { out.Server = s.Name },
		},
		{
			secretsmanager.Certificate{Name: egressName, CommonName: egressName, Usage: secretsmanager.Client, OmitCA: true},
			func(s *corev1.Secret) { out.Egress = s.Name },
		},
		{
			secretsmanager.Certificate{Name: m.Client, CommonName: m.Client, Usage: secretsmanager.Client, OmitCA: true},
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

func (m Mode) serverLabels() map[string]string {
	return map[string]string{constants.LabelApp: m.Server}
}

// ServerObjects builds the objects in the seed, the Deployment last.
func (m Mode) ServerObjects(namespace, image string, replicas int32, secrets Secrets) ([]client.Object, *appsv1.Deployment) {
	deployment := pod.Deployment(pod.Spec{
		Name: m.Server, Namespace: namespace, Image: image, Labels: m.serverLabels(), Component: serverComponent,
		Args: []string{
			fmt.Sprintf("--agent-address=$(POD_IP):%d", m.agentPort),
			fmt.Sprintf("--bind-address=$(POD_IP):%d", m.egressPort),
			fmt.Sprintf("--health-address=$(POD_IP):%d", m.healthPort),
			"--ca-file=" + pod.File(dirCA, secretsmanager.KeyBundle),
			"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
			"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
		},
		Replicas: replicas, Port: m.egressPort,
		Ready: pod.Plain(pod.Ready("/healthz", m.healthPort)), Live: pod.Plain(pod.Live("/healthz", m.healthPort)),
		Mounts:        []pod.Mount{{Path: dirServer, Secrets: []string{secrets.Server}}, {Path: dirCA, Secrets: []string{secrets.CA}}},
		PriorityClass: constants.PriorityClassNameShootControlPlane300,
	})
	service := &corev1.Service{
		// The front door connects from the network of a node.
		ObjectMeta: metav1.ObjectMeta{Name: m.Server, Namespace: namespace, Labels: m.serverLabels(), Annotations: names.FromWorld(m.agentPort)},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: m.serverLabels(),
			Ports: []corev1.ServicePort{
				{Name: "openvpn", Port: m.agentPort, TargetPort: intstr.FromInt32(m.agentPort), Protocol: corev1.ProtocolTCP},
				{Name: "http-proxy", Port: m.egressPort, TargetPort: intstr.FromInt32(m.egressPort), Protocol: corev1.ProtocolTCP},
			},
		},
	}
	return []client.Object{service, deployment}, deployment
}

// Stale are the objects in the seed of the other mode, which the shoot may have used before.
func (m Mode) Stale(namespace string) []client.Object {
	meta := metav1.ObjectMeta{Name: m.other().Server, Namespace: namespace}
	return []client.Object{&appsv1.Deployment{ObjectMeta: meta}, &corev1.Service{ObjectMeta: meta}}
}
