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

// Names of the secrets in a seed.
const (
	seedAuthority = "ca-vpa"
	seedServer    = Admission + "-seed-server"
)

// SeedHolder holds the lease of the admission controller of a seed. By it the gardenlet knows its own.
const SeedHolder = "gardenlet"

// labelSeed marks what the gardenlet has deployed for a seed. The names alone are those of any autoscaler.
const labelSeed = "seed.gardener.cloud/vertical-pod-autoscaler"

// OfSeed selects the objects of SeedObjects.
func OfSeed() client.MatchingLabels { return client.MatchingLabels{labelSeed: SeedHolder} }

// IsOfSeed reports whether an object is one of SeedObjects.
func IsOfSeed(object client.Object) bool { return object.GetLabels()[labelSeed] == SeedHolder }

// SeedSecretNames are the configurations of all secrets in a seed.
func SeedSecretNames() []string {
	return []string{seedAuthority, seedAuthority + "-bundle", seedServer}
}

// GenerateSeedSecrets generates the authority and the certificate of the webhook in the garden namespace of a seed.
func GenerateSeedSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	if _, err := sm.Generate(ctx, secretsmanager.Certificate{Name: seedAuthority, CommonName: "vpa", Usage: secretsmanager.CA}); err != nil {
		return Secrets{}, err
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: seedServer, CommonName: Admission, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(Service, sm.Namespace),
	}, secretsmanager.SignedBy(seedAuthority))
	if err != nil {
		return Secrets{}, err
	}
	return Secrets{Server: server.Name, CA: sm.Bundle(seedAuthority).Data[secretsmanager.KeyBundle]}, nil
}

// SeedObjects builds the autoscaler of a seed without its kinds, all with the label of OfSeed: first the ServiceAccounts, then permissions, the registration of the webhook, and, last, the Deployments in the
// garden namespace.
func SeedObjects(image string, settings gardencorev1beta1.SeedSettingVerticalPodAutoscaler, secrets Secrets) []client.Object {
	config := &gardencorev1beta1.VerticalPodAutoscaler{FeatureGates: settings.FeatureGates, MaxAllowed: settings.MaxAllowed}
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
			CABundle: secrets.CA,
			Service:  &admissionregistrationv1.ServiceReference{Namespace: constants.GardenNamespace, Name: Service, Port: ptr.To[int32](pod.WebhookPort)},
		}),
		seedDeployment(Recommender, image, recommenderArgs(config)),
		seedDeployment(Updater, image, updaterArgs(config)),
		seedDeployment(Admission, image, append(admissionArgs(config), "--holder="+SeedHolder), pod.Mount{Path: dirServer, Secrets: []string{secrets.Server}}),
	)
	for _, object := range objects {
		marked := maps.Clone(object.GetLabels())
		if marked == nil {
			marked = map[string]string{}
		}
		marked[labelSeed] = SeedHolder
		object.SetLabels(marked)
	}
	return objects
}

func seedDeployment(part, image string, args []string, mounts ...pod.Mount) *appsv1.Deployment {
	out := pod.Deployment(pod.Spec{
		Name: part, Namespace: constants.GardenNamespace, Image: image, Labels: labels(part), Component: part,
		Args:     append([]string{fmt.Sprintf("--address=$(POD_IP):%d", healthPort)}, args...),
		Replicas: 1, Port: healthPort,
		Ready: pod.Plain(pod.Ready("/health-check", healthPort)), Live: pod.Plain(pod.Live("/health-check", healthPort)),
		Mounts: mounts, ServiceAccount: part, PriorityClass: constants.PriorityClassNameSeedSystem700, Reaches: pod.ReachesOfSeed(),
	})
	out.Spec.Strategy = strategy(part)
	pod.OfSeed(out)
	return out
}
