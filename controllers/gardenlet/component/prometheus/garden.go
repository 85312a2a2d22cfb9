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

// Garden is the name of the Prometheus of a Garden in a cluster, of its Service, and of its service account in the virtual garden.
const Garden = "prometheus-garden"

// gardenServer is the configuration of its certificate.
const gardenServer = Garden + "-server"

// GardenSecretNames are the configurations of the secrets that GenerateGardenSecrets makes.
func GardenSecretNames() []string { return []string{gardenServer} }

// dirCAGardener has the authority of Gardener's own servers.
const dirCAGardener = "/etc/prometheus/ca-gardener"

// Server serves its metrics at a port of its pods.
type Server struct {
	Name string
	Port int32
	// Pods are the labels of its pods.
	Pods map[string]string
}

// service leads to all pods, ready or not: each is asked.
func (s Server) service(namespace string) *corev1.Service {
	out := pod.Service(metav1.ObjectMeta{Name: component + "-" + s.Name, Namespace: namespace, Labels: gardenLabels()}, s.Pods, "metrics", s.Port)
	out.Spec.ClusterIP, out.Spec.PublishNotReadyAddresses = corev1.ClusterIPNone, true
	return out
}

// host is the name of that Service.
func (s Server) host(namespace string) string {
	return component + "-" + s.Name + "." + namespace + ".svc"
}

// GardenValues are the inputs for the Prometheus of a Garden. All fields are required unless said otherwise.
type GardenValues struct {
	// Namespace of the Garden in the runtime cluster.
	Namespace string
	// Prefix begins the names of the components of the virtual garden.
	Prefix  string
	Image   string
	Members int32 // of each etcd
	// APIServer is that of the virtual garden, and Gardener that of Gardener, whose certificate the authority in the Secret CAGardener has signed. It
	// asks the virtual garden who may read.
	APIServer, Gardener Server
	CAGardener          string
	// Plain are servers that speak HTTP, and let in whom network policies let in. May be empty.
	Plain []Server
	// Secrets are those of GenerateGardenSecrets, and the password.
	Secrets Secrets
}

// GenerateGardenSecrets generates the certificate. The authority of the virtual garden, which must be there, signs it. The password is not among
// the secrets: the operator keeps it.
func GenerateGardenSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	ca := sm.Bundle(constants.SecretNameCACluster)
	if ca == nil {
		return Secrets{}, fmt.Errorf("the authority for %s has not been generated", Garden)
	}
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: gardenServer, CommonName: Garden, Usage: secretsmanager.Server, OmitCA: true, DNSNames: append(names.ServiceNames(Garden, sm.Namespace), "localhost"),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Garden, err)
	}
	return Secrets{CA: ca.Name, Server: server.Name}, nil
}

// GardenAccess builds the Secret that gets the token for the virtual garden.
func GardenAccess(namespace string) *corev1.Secret { return access.ShootAccess(Garden, namespace) }

// GardenRights builds the permissions in the virtual garden: to read metrics, and nothing else.
func GardenRights() []client.Object {
	meta := metav1.ObjectMeta{Name: "gardener.cloud:monitoring:" + Garden}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: Garden, Namespace: metav1.NamespaceSystem}},
		},
	}
}

func gardenLabels() map[string]string {
	return map[string]string{constants.LabelApp: component, constants.LabelRole: "garden"}
}

// controllerManager is that of the virtual garden.
func (v GardenValues) controllerManager() Server {
	return Server{Name: v.Prefix + constants.DeploymentNameKubeControllerManager, Port: portControllers, Pods: names.ControlPlane("controller-manager")}
}

// GardenObjects builds the objects in the runtime cluster. The StatefulSet is the last.
func GardenObjects(v GardenValues) ([]client.Object, *appsv1.StatefulSet, error) {
	targets := etcdServices(v.Namespace, component+"-"+v.Prefix, gardenLabels())
	for _, server := range append([]Server{v.APIServer, v.Gardener, v.controllerManager()}, v.Plain...) {
		targets = append(targets, server.service(v.Namespace))
	}
	out, reaches := []client.Object{GardenAccess(v.Namespace)}, []string{constants.LabelNetworkPolicyToDNS}
	for _, service := range targets {
		out, reaches = append(out, service), append(reaches, names.Reach(service.Name, service.Spec.Ports[0].Port))
	}
	objects, set, err := deployment{
		name: Garden, namespace: v.Namespace, image: v.Image, replicas: 1, labels: gardenLabels(), config: v.configuration(),
		server: v.Secrets.Server, users: v.Secrets.Users, priority: constants.PriorityClassNameGardenSystem100, reaches: reaches, loopback: true,
		mounts: []pod.Mount{
			{Path: dirCA, Secrets: []string{v.Secrets.CA}}, {Path: dirCAGardener, Secrets: []string{v.CAGardener}},
			{Path: dirAccess, Secrets: []string{GardenAccess(v.Namespace).Name}},
		},
	}.objects()
	return append(out, objects...), set, err
}

func (v GardenValues) configuration() configuration {
	virtual := forShoot("")
	gardener := virtual
	gardener.ca = beside(dirCAGardener, secretsmanager.KeyBundle)
	asked := func(as api, job string, server Server, name string) scrape {
		return as.pods(job, server.host(v.Namespace), server.Port, name)
	}
	scrapes := []scrape{
		asked(virtual, "kube-apiserver", v.APIServer, v.APIServer.Name+"."+v.Namespace+".svc"),
		asked(virtual, "kube-controller-manager", v.controllerManager(), constants.DeploymentNameKubeControllerManager), // its certificate has no other name
		members(v.Namespace, v.Prefix, v.Members),
		asked(gardener, v.Gardener.Name, v.Gardener, v.Gardener.Name+"."+v.Namespace+".svc"),
	}
	for _, server := range v.Plain {
		scrapes = append(scrapes, plain(server.Name, server.host(v.Namespace), server.Port))
	}
	return newConfiguration("garden", scrapes...)
}
