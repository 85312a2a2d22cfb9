package vpn

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Resource is the name of the ManagedResource. It is the same in both modes, so that one mode replaces the other.
const Resource = "shoot-core-vpn-shoot"

const (
	dirClient   = "/srv/secrets/vpn-client"
	flagGateway = "--gateway="
)

// ClientObjects builds the objects in the shoot. gateway is host:port of the front door of the seed for tunnels; its
// host is the name of the API server of the shoot, which nodes can resolve. namespace is that of the shoot in the seed.
// The pod uses the host network, which resolves that name and reaches everything in the shoot. It listens on no port.
func (m Mode) ClientObjects(namespace, image, gateway string, secrets Secrets) []client.Object {
	meta := metav1.ObjectMeta{Name: m.Client, Namespace: metav1.NamespaceSystem, Labels: m.clientLabels()}
	data := map[string][]byte{
		secretsmanager.KeyBundle:     secrets.CAData,
		secretsmanager.KeyCert:       secrets.ClientData[secretsmanager.KeyCert],
		secretsmanager.KeyPrivateKey: secrets.ClientData[secretsmanager.KeyPrivateKey],
	}
	secret := pod.Secret(m.Client, metav1.NamespaceSystem, data)
	no := false
	return []client.Object{
		secret,
		&corev1.ServiceAccount{ObjectMeta: meta, AutomountServiceAccountToken: &no},
		&appsv1.Deployment{
			ObjectMeta: meta,
			Spec: appsv1.DeploymentSpec{
				Replicas: ptr.To[int32](1), RevisionHistoryLimit: ptr.To[int32](1),
				Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType},
				Selector: &metav1.LabelSelector{MatchLabels: m.ClientSelector()},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: m.clientLabels()},
					Spec: corev1.PodSpec{
						HostNetwork: true, DNSPolicy: corev1.DNSDefault, ServiceAccountName: m.Client, AutomountServiceAccountToken: &no,
						PriorityClassName: "system-cluster-critical", TerminationGracePeriodSeconds: ptr.To[int64](5),
						NodeSelector: map[string]string{constants.LabelWorkerPoolSystemComponents: "true"},
						Tolerations:  []corev1.Toleration{{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists}},
						Containers: []corev1.Container{{
							Name: m.Client, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
							Args: []string{
								"component", clientComponent,
								flagGateway + gateway,
								fmt.Sprintf("--destination=outbound|%d||%s.%s.svc.%s", m.agentPort, m.Server, namespace, names.ClusterDomain),
								"--server-name=" + m.Server,
								"--ca-file=" + pod.File(dirClient, secretsmanager.KeyBundle),
								"--tls-cert-file=" + pod.File(dirClient, secretsmanager.KeyCert),
								"--tls-private-key-file=" + pod.File(dirClient, secretsmanager.KeyPrivateKey),
							},
							Resources:    corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi")}},
							VolumeMounts: []corev1.VolumeMount{{Name: "secrets", MountPath: dirClient}},
						}},
						Volumes: []corev1.Volume{{Name: "secrets", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret.Name}}}},
					},
				},
			},
		},
	}
}

// GatewayOf returns the host:port that the Deployment of a client dials; it is empty if there is none.
func GatewayOf(client *appsv1.Deployment) string {
	for _, container := range client.Spec.Template.Spec.Containers {
		for _, arg := range container.Args {
			if gateway, found := strings.CutPrefix(arg, flagGateway); found {
				return gateway
			}
		}
	}
	return ""
}

// ClientSelector selects the client pods in the shoot.
func (m Mode) ClientSelector() map[string]string {
	return map[string]string{constants.LabelApp: m.Client}
}

func (m Mode) clientLabels() map[string]string {
	return map[string]string{constants.LabelApp: m.Client, constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener", "type": "tunnel"}
}
