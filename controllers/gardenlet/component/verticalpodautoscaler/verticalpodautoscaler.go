// Package verticalpodautoscaler builds the vertical pod autoscaler of a shoot: three Deployments beside its API server,
// and their objects in the shoot. It also builds that of a seed. It writes nothing to a cluster.
package verticalpodautoscaler

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Names of the Deployments.
const (
	Recommender = "vpa-recommender"
	Updater     = "vpa-updater"
	Admission   = "vpa-admission-controller"
)

// Resource is the name of the ManagedResource.
const Resource = "shoot-core-vpa"

// Service leads to the webhook of the admission controller.
const Service = "vpa-webhook"

const (
	healthPort = 8942
	dirServer  = "/pki/server"
)

// Deployments are the names of all Deployments.
func Deployments() []string { return []string{Recommender, Updater, Admission} }

// User is the name of a part in the shoot.
func User(part string) string { return "system:" + part }

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image string
	// Config is the configuration in the Shoot; fields that it leaves open have the defaults of the API.
	Config  gardencorev1beta1.VerticalPodAutoscaler
	Secrets Secrets
}

// Secrets of the three Deployments.
type Secrets struct {
	// Access by the name of the part.
	Access map[string]pod.Mount
	// Server is the name of the Secret with the certificate of the webhook, CA the CA that signed it.
	Server string
	CA     []byte
}

// GenerateSecrets generates the client certificates for the shoot and the certificate of the webhook. The CAs must be
// generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	out := Secrets{Access: map[string]pod.Mount{}}
	for _, part := range Deployments() {
		mount, err := access.Client{Component: part, User: User(part)}.Mount(ctx, sm)
		if err != nil {
			return out, fmt.Errorf("generate secrets of %s: %w", part, err)
		}
		out.Access[part] = mount
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: Admission + "-server", CommonName: Admission, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(Service, sm.Namespace),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return out, fmt.Errorf("generate secrets of %s: %w", Admission, err)
	}
	out.Server, out.CA = server.Name, sm.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	return out, nil
}

// Objects builds the objects in the seed: the Service of the webhook and, last, the Deployments.
func Objects(v Values) ([]client.Object, []*appsv1.Deployment) {
	config := v.Config.DeepCopy()
	gardencorev1beta1.SetDefaults_VerticalPodAutoscaler(config)
	deployments := []*appsv1.Deployment{
		v.deployment(Recommender, recommenderArgs(config)),
		v.deployment(Updater, updaterArgs(config)),
		v.deployment(Admission, admissionArgs(config), pod.Mount{Path: dirServer, Secrets: []string{v.Secrets.Server}}),
	}
	objects := []client.Object{service(v.Namespace)}
	for _, deployment := range deployments {
		objects = append(objects, deployment)
	}
	return objects, deployments
}

func labels(part string) map[string]string { return map[string]string{constants.LabelApp: part} }

// deployment builds one part with one replica, since two would recommend and evict twice.
func (v Values) deployment(part string, args []string, mounts ...pod.Mount) *appsv1.Deployment {
	out := pod.Deployment(pod.Spec{
		Name: part, Namespace: v.Namespace, Image: v.Image, Labels: labels(part), Component: part,
		Args: append([]string{
			"--kubeconfig=" + access.Kubeconfig(),
			fmt.Sprintf("--address=$(POD_IP):%d", healthPort),
			"--kube-api-qps=100", "--kube-api-burst=120",
		}, args...),
		Replicas: v.Replicas, Port: healthPort,
		Ready: pod.Plain(pod.Ready("/health-check", healthPort)), Live: pod.Plain(pod.Live("/health-check", healthPort)),
		Mounts:        append([]pod.Mount{v.Secrets.Access[part]}, mounts...),
		PriorityClass: constants.PriorityClassNameShootControlPlane200,
		Reaches:       []string{constants.LabelNetworkPolicyToDNS, names.Reach(names.APIServer, names.APIServerPort)},
	})
	out.Spec.Strategy = strategy(part)
	return out
}

func strategy(part string) appsv1.DeploymentStrategy {
	if part == Admission { // while the webhook is unavailable, pods get no recommendations
		return appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType}
	}
	return appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
}

func service(namespace string) *corev1.Service {
	meta := metav1.ObjectMeta{Name: Service, Namespace: namespace, Labels: names.WithRole(labels(Admission)), Annotations: names.FromShootAPIServer(pod.WebhookPort)}
	return pod.Service(meta, labels(Admission), "webhooks", pod.WebhookPort)
}
