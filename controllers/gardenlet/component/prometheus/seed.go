package prometheus

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Seed is the name of the Prometheus of a seed, of its Service and of its permissions.
const Seed = "prometheus-seed"

// Names of its secrets.
const (
	seedAuthority = "ca-" + Seed
	seedServer    = Seed + "-server"
	seedUsers     = Seed + "-users"
)

// SeedSecretNames are the configurations of all secrets of the Prometheus of a seed.
func SeedSecretNames() []string {
	return []string{seedAuthority, seedAuthority + "-bundle", seedServer, seedUsers}
}

// accountDir is where nodes put the token of a service account.
const accountDir = "../../../var/run/secrets/kubernetes.io/serviceaccount/"

// GenerateSeedSecrets generates its authority, certificate and password.
func GenerateSeedSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	if _, err := sm.Generate(ctx, secretsmanager.Certificate{Name: seedAuthority, CommonName: Seed, Usage: secretsmanager.CA}); err != nil {
		return Secrets{}, err
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: seedServer, CommonName: Seed, Usage: secretsmanager.Server, OmitCA: true, DNSNames: append(names.ServiceNames(Seed, sm.Namespace), "localhost"),
	}, secretsmanager.SignedBy(seedAuthority))
	if err != nil {
		return Secrets{}, err
	}
	users, err := sm.Generate(ctx, secretsmanager.BasicAuth{Name: seedUsers, Username: "admin", PasswordLength: 32})
	if err != nil {
		return Secrets{}, err
	}
	return Secrets{Server: server.Name, Users: users.Name}, nil
}

// SeedObjects builds the objects in the garden namespace of a seed. The StatefulSet is the last.
func SeedObjects(seed, image string, secrets Secrets) ([]client.Object, *appsv1.StatefulSet, error) {
	// The program replaces the names of the variables that Kubernetes sets.
	server := api{host: "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)", ca: accountDir + "ca.crt", token: accountDir + "token"}
	config := newConfiguration("seed/"+seed,
		server.server("kube-apiserver", server.host, seed), remote(server.kubelets("kubelet", "/metrics")), remote(server.kubelets("kubelet-resources", "/metrics/resource")))
	objects, set, err := deployment{
		name: Seed, namespace: constants.GardenNamespace, image: image, replicas: 1, labels: map[string]string{constants.LabelApp: component, constants.LabelRole: "seed"},
		config: config, server: secrets.Server, users: secrets.Users, account: Seed, priority: constants.PriorityClassNameSeedSystem600, reaches: pod.ReachesOfSeed(),
	}.objects()
	if err != nil {
		return nil, nil, err
	}
	delete(set.Spec.Template.Labels, constants.GardenRole)
	access := pod.Access(Seed,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes/metrics", "nodes/proxy"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}},
	)
	return append(access, objects...), set, nil
}

// remote leaves out nodes at loopback addresses. They are processes of the API server's own machine, whose metrics have those of the kubelet.
func remote(s scrape) scrape {
	s.Relabel = append([]relabel{{Sources: []string{"__meta_kubernetes_node_address_InternalIP"}, Regex: `127\..*`, Action: "drop"}}, s.Relabel...)
	return s
}
