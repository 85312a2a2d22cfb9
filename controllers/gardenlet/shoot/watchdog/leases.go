package watchdog

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

// LeaseReader reads the leases of the nodes of the shoot with a namespace in the seed. Leases without a node do not count: they outlive
// their nodes for a while, and a user can make some.
type LeaseReader func(ctx context.Context, namespace string) ([]coordinationv1.Lease, error)

// timeout bounds a question to an API server.
const timeout = 10 * time.Second

// InShoot reads leases with the kubeconfig of the gardenlet in the seed. Its address is one inside the seed: an answer means that the API
// server serves, whether or not others reach it. connect makes a configuration of a kubeconfig.
func InShoot(seed client.Reader, connect func(kubeconfig []byte) (*rest.Config, error)) LeaseReader {
	return func(ctx context.Context, namespace string) ([]coordinationv1.Lease, error) {
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: constants.SecretNameGardenerInternal}, secret); err != nil {
			return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
		}
		config, err := connect(secret.Data[constants.DataKeyKubeconfig])
		if err != nil {
			return nil, err
		}
		config.Timeout = timeout
		return ofNodes(ctx, config)
	}
}

// ofNodes reads the leases of the nodes that exist and are not being deleted. Users can make Nodes and leases, so it keeps little of
// each, and returns an error if there are too many.
func ofNodes(ctx context.Context, config *rest.Config) ([]coordinationv1.Lease, error) {
	shoot, err := client.New(config, client.Options{Scheme: clientgoscheme.Scheme, Mapper: mapper()})
	if err != nil {
		return nil, fmt.Errorf("make client of the shoot: %w", err)
	}
	nodes := &metav1.PartialObjectMetadataList{}
	nodes.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	names := sets.New[string]()
	for page, err := range pages.Of(ctx, shoot, nodes, health.MostNodes) {
		if err != nil {
			return nil, fmt.Errorf("list nodes: %w", err)
		}
		for i := range page.Items {
			if node := &page.Items[i]; node.DeletionTimestamp == nil {
				names.Insert(node.Name)
			}
		}
	}
	var out []coordinationv1.Lease
	for page, err := range pages.Of(ctx, shoot, &coordinationv1.LeaseList{}, 2*health.MostNodes, client.InNamespace(corev1.NamespaceNodeLease)) {
		if err != nil {
			return nil, fmt.Errorf("list leases of nodes: %w", err)
		}
		for _, lease := range only(page.Items, names) {
			out = append(out, coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: lease.Name},
				Spec:       coordinationv1.LeaseSpec{RenewTime: lease.Spec.RenewTime, LeaseDurationSeconds: lease.Spec.LeaseDurationSeconds},
			})
		}
	}
	return out, nil
}

// mapper knows the kinds that are read, so that clients need not ask for them.
var mapper = sync.OnceValue(func() meta.RESTMapper {
	out := meta.NewDefaultRESTMapper(nil)
	out.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	out.Add(coordinationv1.SchemeGroupVersion.WithKind("Lease"), meta.RESTScopeNamespace)
	return out
})

// only returns the leases with the names of some nodes.
func only(leases []coordinationv1.Lease, nodes sets.Set[string]) []coordinationv1.Lease {
	return slices.DeleteFunc(leases, func(lease coordinationv1.Lease) bool { return !nodes.Has(lease.Name) })
}
