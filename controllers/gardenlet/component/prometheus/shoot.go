package prometheus

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Shoot is the name of the Prometheus of a shoot, and of its Service.
	Shoot = "prometheus-shoot"
	// Resource is the name of the ManagedResource.
	Resource = "shoot-core-prometheus"
)

// serviceAccount in the shoot, whose token the Prometheus uses.
const serviceAccount = component

// Ports of the servers that are asked.
const (
	portControllers = 10257
	portScheduler   = 10259
	portEtcd        = 2381
)

// Values are the inputs for the objects of a shoot.
type Values struct {
	// Namespace of the shoot in the seed.
	Namespace string
	// Cluster is the label of all its metrics, shoot/<namespace>/<name>.
	Cluster    string
	Image      string
	Replicas   int32
	Members    int32 // of each etcd
	Workerless bool
	// CoreDNS means that CoreDNS runs. On embedded nodes it is simulated.
	CoreDNS bool
	Secrets Secrets
}

// Secrets are the names of Secrets in the seed.
type Secrets struct{ CA, Server, Users string }

// GenerateSecrets generates the certificate. The authorities and the password must be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	ca, users := sm.Bundle(constants.SecretNameCACluster), sm.Current(constants.SecretNameObservabilityIngressUsers)
	if ca == nil || users == nil {
		return Secrets{}, fmt.Errorf("the authority or the password of %s has not been generated", Shoot)
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: Shoot + "-server", CommonName: Shoot, Usage: secretsmanager.Server, OmitCA: true, DNSNames: append(names.ServiceNames(Shoot, sm.Namespace), "localhost"),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Shoot, err)
	}
	return Secrets{CA: ca.Name, Server: server.Name, Users: users.Name}, nil
}

// Access builds the Secret that gets the token for the shoot.
func Access(namespace string) *corev1.Secret { return access.ShootAccess(component, namespace) }

func labels() map[string]string {
	return map[string]string{constants.LabelApp: component, constants.LabelRole: constants.GardenRoleMonitoring}
}

// Objects builds the objects in the seed. The StatefulSet is the last.
func Objects(v Values) ([]client.Object, *appsv1.StatefulSet, error) {
	targets := targetServices(v.Namespace, v.Workerless)
	reaches := []string{constants.LabelNetworkPolicyToDNS, names.Reach(names.APIServer, names.APIServerPort)}
	out := []client.Object{}
	for _, service := range targets {
		out, reaches = append(out, service), append(reaches, names.Reach(service.Name, service.Spec.Ports[0].Port))
	}
	objects, set, err := deployment{
		name: Shoot, namespace: v.Namespace, image: v.Image, replicas: v.Replicas, labels: labels(), config: v.configuration(),
		server: v.Secrets.Server, users: v.Secrets.Users, priority: constants.PriorityClassNameShootControlPlane100, reaches: reaches,
		mounts: []pod.Mount{{Path: dirCA, Secrets: []string{v.Secrets.CA}}, {Path: dirAccess, Secrets: []string{Access(v.Namespace).Name}}},
	}.objects()
	return append(out, objects...), set, err
}

// targetServices give names to servers that only the Prometheus asks, and let network policies name them.
func targetServices(namespace string, workerless bool) []*corev1.Service {
	service := func(name, role string, port int32) *corev1.Service {
		return pod.Service(metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels()}, names.ControlPlane(role), "metrics", port)
	}
	out := []*corev1.Service{service(constants.DeploymentNameKubeControllerManager, "controller-manager", portControllers)}
	if !workerless {
		out = append(out, service(constants.DeploymentNameKubeScheduler, "scheduler", portScheduler))
	}
	return append(out, etcdServices(namespace, component+"-", labels())...)
}

// etcdServices lead to the metrics of etcds.
func etcdServices(namespace, prefix string, labels map[string]string) (out []*corev1.Service) {
	for _, role := range etcds {
		selector := map[string]string{constants.LabelApp: "etcd-statefulset", constants.LabelRole: role}
		metrics := pod.Service(metav1.ObjectMeta{Name: prefix + "etcd-" + role, Namespace: namespace, Labels: labels}, selector, "metrics", portEtcd)
		metrics.Spec.ClusterIP = corev1.ClusterIPNone // each member is asked by its own name
		out = append(out, metrics)
	}
	return out
}

var etcds = []string{"main", "events"}

func (v Values) configuration() configuration {
	host := func(service string, port int) string { return fmt.Sprintf("%s.%s.svc:%d", service, v.Namespace, port) }
	shoot := forShoot(host(names.APIServer, names.APIServerPort))
	scrapes := []scrape{
		shoot.server("kube-apiserver", shoot.host, names.APIServer),
		shoot.server("kube-controller-manager", host(constants.DeploymentNameKubeControllerManager, portControllers), constants.DeploymentNameKubeControllerManager),
	}
	scrapes = append(scrapes, members(v.Namespace, "", v.Members))
	if !v.Workerless {
		scrapes = append(scrapes,
			shoot.server("kube-scheduler", host(constants.DeploymentNameKubeScheduler, portScheduler), constants.DeploymentNameKubeScheduler),
			shoot.kubelets("kubelet", "/metrics"), shoot.kubelets("kubelet-resources", "/metrics/resource"),
		)
	}
	if v.CoreDNS {
		scrapes = append(scrapes, shoot.service("coredns", metav1.NamespaceSystem, "kube-dns:metrics"))
	}
	return newConfiguration(v.Cluster, scrapes...)
}

// members are those of all etcds whose names begin with the prefix. Their port for metrics tells nothing else. That for clients would need a certificate
// with which a Prometheus could read and write everything.
func members(namespace, prefix string, number int32) scrape {
	out := scrape{JobName: "etcd", Scheme: "http"}
	for _, role := range etcds {
		etcd := prefix + "etcd-" + role
		for i := range number {
			name := fmt.Sprintf("%s-%d", etcd, i)
			out.Static = append(out.Static, static{
				Targets: []string{fmt.Sprintf("%s.%s-peer.%s.svc:%d", name, etcd, namespace, portEtcd)}, Labels: map[string]string{"instance": name, "role": role},
			})
		}
	}
	return out
}

// ShootObjects builds the permissions in the shoot.
func ShootObjects() []client.Object {
	name := "gardener.cloud:monitoring:" + component
	meta := metav1.ObjectMeta{Name: name}
	read, get := []string{"get", "list", "watch"}, []string{"get"}
	inSystem := metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: serviceAccount, Namespace: metav1.NamespaceSystem}}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: read},
			{APIGroups: []string{""}, Resources: []string{"nodes/metrics", "nodes/proxy"}, Verbs: get},
			{NonResourceURLs: []string{"/metrics"}, Verbs: get},
		}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: subjects},
		&rbacv1.Role{ObjectMeta: inSystem, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"services/proxy"}, ResourceNames: []string{"kube-dns:metrics"}, Verbs: get},
		}},
		&rbacv1.RoleBinding{ObjectMeta: inSystem, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects},
	}
}
