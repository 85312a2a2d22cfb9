package gardenapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/internal/apply"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/rbac"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

const (
	// Namespace holds the system objects of Gardener.
	Namespace = "garden"
	// ServiceName is that of the Service that APIServices refer to.
	ServiceName = "gardener-apiserver"
	// ServerName is the TLS server name that the garden's kube-apiserver uses for this server.
	ServerName = ServiceName + "." + Namespace + ".svc"

	groupPriority   = 10000
	versionPriority = 20
)

// Registration says where the garden's kube-apiserver reaches this server.
type Registration struct {
	Host     string // IP address or DNS name, as seen from the kube-apiserver
	Port     int
	CABundle []byte // PEM; has signed the serving certificate, which is valid for ServerName
	// ServiceNamespace is the namespace of the Service, Namespace if it is empty. The certificate must be valid for the Service there.
	ServiceNamespace string
}

// Registered returns what Register writes, for somebody who applies it to a garden that this process does not reach. The Service is in the
// namespace kube-system, as in Gardener.
func Registered(host string, port int32, caBundle []byte) (out []client.Object) {
	r := Registration{Host: host, Port: int(port), CABundle: caBundle, ServiceNamespace: metav1.NamespaceSystem}
	for _, object := range slices.Concat(r.objects(), rbac.Objects()) {
		out = append(out, object.Object.(client.Object))
	}
	return out
}

// Register makes the garden's kube-apiserver forward requests for Gardener's groups to this server, and writes the
// cluster roles of a garden. cfg needs all rights in the garden. Register may be repeated. Call it when the server is
// ready: a failed first check delays the availability of the groups.
func Register(ctx context.Context, cfg *rest.Config, r Registration) error {
	if r.Host == "" || r.Port == 0 || len(r.CABundle) == 0 {
		return errors.New("register gardener-apiserver: host, port and CA bundle are required")
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	garden, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("register gardener-apiserver: %w", err)
	}
	for _, object := range r.objects() {
		if err := apply.Write(ctx, garden, object); err != nil {
			return fmt.Errorf("register gardener-apiserver: %w", err)
		}
	}
	if err := rbac.Apply(ctx, garden); err != nil {
		return fmt.Errorf("register gardener-apiserver: %w", err)
	}
	return nil
}

// objects lists the objects in the order of writing. The Service is an ExternalName Service, because the aggregator
// resolves only these without a service network. The port is set in the APIService.
func (r Registration) objects() []apply.Object {
	host := r.Host
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		host = "localhost" // an IPv6 address cannot be the name of an ExternalName Service
	}
	out := []apply.Object{
		{Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Object: &corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: map[string]string{
				constants.GardenRole: constants.GardenRoleProject, constants.ProjectName: Namespace, // a Project of this name may adopt it
			}},
		}},
		{Resource: corev1.SchemeGroupVersion.WithResource("services"), Object: &corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: metav1.ObjectMeta{Name: ServiceName, Namespace: cmp.Or(r.ServiceNamespace, Namespace), Labels: map[string]string{"app": "gardener", "role": "apiserver"}},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: host},
		}},
	}
	for _, version := range scheme.Registered() {
		out = append(out, r.apiService(version))
	}
	return out
}

func (r Registration) apiService(version schema.GroupVersion) apply.Object {
	port := int32(r.Port)
	return apply.Object{Resource: apiregistrationv1.SchemeGroupVersion.WithResource("apiservices"), Object: &apiregistrationv1.APIService{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiregistrationv1.SchemeGroupVersion.String(), Kind: "APIService"},
		ObjectMeta: metav1.ObjectMeta{Name: version.Version + "." + version.Group, Labels: map[string]string{"app": "gardener", "role": "apiserver"}},
		Spec: apiregistrationv1.APIServiceSpec{
			Service:              &apiregistrationv1.ServiceReference{Namespace: cmp.Or(r.ServiceNamespace, Namespace), Name: ServiceName, Port: &port},
			Group:                version.Group,
			Version:              version.Version,
			CABundle:             r.CABundle,
			GroupPriorityMinimum: groupPriority,
			VersionPriority:      versionPriority,
		},
	}}
}

// Available returns nil when the garden's kube-apiserver serves every group of this server and lists it in discovery,
// which clients rely on. It takes two requests.
func Available(ctx context.Context, cfg *rest.Config) error {
	clients, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // discovery takes no context
		return err
	}
	_, resources, failed, err := clients.DiscoveryClient.GroupsAndMaybeResources()
	if err != nil {
		return fmt.Errorf("discover the groups of the garden: %w", err)
	}
	for _, version := range scheme.Registered() {
		if err := failed[version]; err != nil {
			return fmt.Errorf("group %s: %w", version, err)
		}
		if resources[version] == nil || len(resources[version].APIResources) == 0 {
			return fmt.Errorf("group %s is not served yet", version)
		}
	}
	return nil
}
