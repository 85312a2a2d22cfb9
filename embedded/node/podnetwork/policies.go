package podnetwork

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/gardener-up/gardener-up/embedded/networkpolicy"
)

// policies are the NetworkPolicies of the cluster, and the labels of its namespaces.
type policies struct {
	factory    informers.SharedInformerFactory
	policies   networkinglisters.NetworkPolicyLister
	namespaces corelisters.NamespaceLister
	synced     []cache.InformerSynced
}

var _ networkpolicy.Cluster = &policies{}

func newPolicies(config *rest.Config) (*policies, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(withoutFields))
	found, namespaces := factory.Networking().V1().NetworkPolicies(), factory.Core().V1().Namespaces()
	return &policies{
		factory: factory, policies: found.Lister(), namespaces: namespaces.Lister(),
		synced: []cache.InformerSynced{found.Informer().HasSynced, namespaces.Informer().HasSynced},
	}, nil
}

// withoutFields removes what no decision depends on.
func withoutFields(object any) (any, error) {
	switch o := object.(type) {
	case *networkingv1.NetworkPolicy:
		o.ManagedFields, o.Annotations = nil, nil
	case *corev1.Namespace:
		o.ManagedFields, o.Annotations = nil, nil
	}
	return object, nil
}

// run follows the cluster until the context ends.
func (p *policies) run(ctx context.Context) {
	p.factory.Start(ctx.Done())
	<-ctx.Done()
	p.factory.Shutdown()
}

func (p *policies) waitForSync(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), p.synced...)
}

// Policies are those of a namespace.
func (p *policies) Policies(namespace string) []*networkingv1.NetworkPolicy {
	found, _ := p.policies.NetworkPolicies(namespace).List(labels.Everything()) // a lister never fails
	return found
}

// Namespace returns the labels of a namespace.
func (p *policies) Namespace(name string) (map[string]string, bool) {
	found, err := p.namespaces.Get(name)
	if err != nil {
		return nil, false
	}
	return found.Labels, true
}
