package verticalpodautoscaler

import (
	"context"
	"fmt"
	"maps"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Names of the secrets of the autoscaler of a cluster.
const (
	clusterAuthority = "ca-vpa"
	clusterServer    = Admission + "-seed-server"
)

// Owner deploys the autoscaler of a cluster, and holds the lease of its admission controller. By it each knows its own.
type Owner string

// Owners of autoscalers.
const (
	Gardenlet Owner = "gardenlet"
	Operator  Owner = "gardener-operator"
)

// labelOwner marks the objects of an owner. The names alone are those of any autoscaler.
const labelOwner = "seed.gardener.cloud/vertical-pod-autoscaler"

// Labels select the objects of ClusterObjects.
func (o Owner) Labels() client.MatchingLabels { return client.MatchingLabels{labelOwner: string(o)} }

// Owns reports whether an object is one of ClusterObjects.
func (o Owner) Owns(object client.Object) bool { return object.GetLabels()[labelOwner] == string(o) }

// ClusterSecretNames are the configurations of all secrets of the autoscaler of a cluster.
func ClusterSecretNames() []string {
	return []string{clusterAuthority, clusterAuthority + "-bundle", clusterServer}
}

// GenerateClusterSecrets generates the authority and the certificate of the webhook of the autoscaler of a cluster.
func GenerateClusterSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	if _, err := sm.Generate(ctx, secretsmanager.Certificate{Name: clusterAuthority, CommonName: "vpa", Usage: secretsmanager.CA}); err != nil {
		return Secrets{}, err
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: clusterServer, CommonName: Admission, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(Service, sm.Namespace),
	}, secretsmanager.SignedBy(clusterAuthority))
	if err != nil {
		return Secrets{}, err
	}
	return Secrets{Server: server.Name, CA: sm.Bundle(clusterAuthority).Data[secretsmanager.KeyBundle]}, nil
}

// ClusterValues are the inputs for the autoscaler of a cluster.
type ClusterValues struct {
	Owner Owner
	// Image is the appliance image.
	Image string
	// PriorityClass of the pods.
	PriorityClass string
	FeatureGates  map[string]bool
	MaxAllowed    corev1.ResourceList
	Secrets       Secrets
}

// ClusterObjects builds the autoscaler of a cluster without its kinds, all with the labels of the owner: first the ServiceAccounts, then permissions,
// the registration of the webhook, and, last, the Deployments in the garden namespace.
func ClusterObjects(v ClusterValues) []client.Object {
	config := &gardencorev1beta1.VerticalPodAutoscaler{FeatureGates: v.FeatureGates, MaxAllowed: v.MaxAllowed}
	gardencorev1beta1.SetDefaults_VerticalPodAutoscaler(config)
	account := func(part string) rbacv1.Subject {
		return rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: constants.GardenNamespace, Name: part}
	}
	var objects []client.Object
	for _, part := range Deployments() {
		objects = append(objects, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: part}})
	}
	for _, part := range Deployments() {
		objects = append(objects, rights("seed", part, account(part))...)
	}
	objects = append(objects, statusRole("seed", account(Admission), account(Updater))...)
	objects = append(objects,
		pod.WebhookService(Service, labels(Admission)),
		configuration("vpa-webhook-config-seed", admissionregistrationv1.WebhookClientConfig{
			CABundle: v.Secrets.CA,
			Service:  &admissionregistrationv1.ServiceReference{Namespace: constants.GardenNamespace, Name: Service, Port: ptr.To[int32](pod.WebhookPort)},
		}),
		clusterDeployment(v, Recommender, recommenderArgs(config)),
		clusterDeployment(v, Updater, updaterArgs(config)),
		clusterDeployment(v, Admission, append(admissionArgs(config), "--holder="+string(v.Owner)), pod.Mount{Path: dirServer, Secrets: []string{v.Secrets.Server}}),
	)
	for _, object := range objects {
		marked := maps.Clone(object.GetLabels())
		if marked == nil {
			marked = map[string]string{}
		}
		maps.Copy(marked, v.Owner.Labels())
		object.SetLabels(marked)
	}
	return objects
}

func clusterDeployment(v ClusterValues, part string, args []string, mounts ...pod.Mount) *appsv1.Deployment {
	out := pod.Deployment(pod.Spec{
		Name: part, Namespace: constants.GardenNamespace, Image: v.Image, Labels: labels(part), Component: part,
		Args:     append([]string{fmt.Sprintf("--address=$(POD_IP):%d", healthPort)}, args...),
		Replicas: 1, Port: healthPort,
		Ready: pod.Plain(pod.Ready("/health-check", healthPort)), Live: pod.Plain(pod.Live("/health-check", healthPort)),
		Mounts: mounts, ServiceAccount: part, PriorityClass: v.PriorityClass, Reaches: pod.ReachesOfSeed(),
	})
	out.Spec.Strategy = strategy(part)
	pod.OfSeed(out)
	return out
}
