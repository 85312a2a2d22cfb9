package deployed

import (
	"context"
	"net/netip"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Ports of Gardener's own components, which are those of their Services: any user can serve them.
const (
	portAPIServer         = 8443
	portAdmission         = 2719
	portAdmissionHealth   = 2722
	portControllerManager = 2718
	portScheduler         = 10251
)

// Ports of their metrics, as in Gardener. Whoever reaches one may read: network policies let in the Prometheus of the Garden only.
const (
	portAdmissionMetrics         = 2723
	portControllerManagerMetrics = 2719
	portSchedulerMetrics         = 19251
)

// Directories of the pods.
const (
	dirServer     = "/pki/server"
	dirCAEtcd     = "/pki/ca-etcd"
	dirEtcd       = "/pki/etcd"
	dirCAClient   = "/pki/ca-client"
	dirEncryption = "/etc/gardener/encryption"
	dirConfig     = "/etc/gardener/config"
	dirAudit      = "/etc/gardener/audit"
	dirAdmission  = "/etc/gardener/admission"
)

// gardener writes Gardener's own components.
type gardener struct{ run }

// deploy writes Gardener's own API server, makes the virtual garden forward requests to it, and then writes what needs its API.
func (g gardener) deploy(ctx context.Context) error {
	if _, err := g.prepare(ctx); err != nil {
		return err
	}
	if err := g.deployServer(ctx); err != nil {
		return err
	}
	if err := g.awaitRolledOut(ctx, gardenerAPIServer); err != nil {
		return err
	}
	if err := g.register(ctx); err != nil {
		return err
	}
	for _, build := range []func() ([]client.Object, error){g.admissionController, g.controllers, g.scheduler} {
		objects, err := build()
		if err != nil {
			return err
		}
		if err := g.applyAll(ctx, objects...); err != nil {
			return err
		}
	}
	return g.awaitRolledOut(ctx, gardenerAdmission, gardenerControllerManager, gardenerScheduler)
}

// register makes the virtual garden serve Gardener's groups, gives the components their rights, and waits until the groups are served.
func (g gardener) register(ctx context.Context) error {
	host := gardenerAPIServer + "." + g.Namespace + ".svc." + names.ClusterDomain
	endpoints, err := g.endpoints(ctx)
	if err != nil {
		return err
	}
	objects := append(g.Registration(host, portAPIServer, g.bundle(secretCAGardener)), endpoints...)
	if err := g.deployManaged(ctx, resourceGardenerAPI, objects...); err != nil {
		return err
	}
	if err := g.deployManaged(ctx, resourceSystem, g.rights()...); err != nil {
		return err
	}
	return await.Poll(ctx, func() error {
		for _, name := range []string{resourceGardenerAPI, resourceSystem} {
			if err := g.resource(name)(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// endpoints tell users of the virtual garden the address of the API server: that of its Service in the runtime cluster. Nothing connects to it,
// since the registration names the host. There are none in a cluster whose Services have loopback addresses, which Endpoints refuse.
func (g gardener) endpoints(ctx context.Context) ([]client.Object, error) {
	service := &corev1.Service{}
	if err := g.get(ctx, gardenerAPIServer, service); err != nil {
		return nil, err
	}
	address, err := netip.ParseAddr(service.Spec.ClusterIP)
	if err != nil || address.IsLoopback() {
		return nil, nil
	}
	return []client.Object{&unstructured.Unstructured{Object: map[string]any{ // its type is deprecated
		"apiVersion": "v1", "kind": "Endpoints",
		"metadata": map[string]any{"namespace": metav1.NamespaceSystem, "name": gardenerAPIServer},
		"subsets": []any{map[string]any{
			"addresses": []any{map[string]any{"ip": address.String()}},
			"ports":     []any{map[string]any{"name": "https", "port": int64(portAPIServer), "protocol": "TCP"}},
		}},
	}}}, nil
}

// rights bind the users of components to the roles that come with the registration, and let the Prometheus of the Garden read metrics. The others are
// administrators.
func (g gardener) rights() (out []client.Object) {
	for _, component := range []string{gardenerAdmission, gardenerScheduler} {
		name := userOf(component)
		out = append(out, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		})
	}
	return append(out, prometheus.GardenRights()...)
}

// component is a Deployment of one of Gardener's own components.
func (g gardener) component(name, component, class string, spec pod.Spec) *appsv1.Deployment {
	spec.Name, spec.Namespace, spec.Image, spec.Component, spec.PriorityClass = name, g.Namespace, g.Image, component, class
	spec.Labels = gardenerLabels(name)
	spec.Mounts = append([]pod.Mount{g.made.accesses[name]}, spec.Mounts...)
	spec.Reaches = append(spec.Reaches, constants.LabelNetworkPolicyToDNS, names.Reach(apiServer, names.APIServerPort))
	return pod.Deployment(spec)
}

func gardenerLabels(name string) map[string]string {
	return map[string]string{constants.LabelApp: name}
}

// service is for servers that authenticate clients themselves.
func (g gardener) service(name string, port int32) *corev1.Service {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.Namespace, Labels: gardenerLabels(name)}
	return pod.Service(meta, gardenerLabels(name), "https", port)
}
