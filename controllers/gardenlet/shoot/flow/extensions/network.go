package extensions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Network is the network plugin of a shoot.
type Network struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	Space    seed.Space
}

func (n Network) object() *extensionsv1alpha1.Network {
	return &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Name: n.Shoot.Name, Namespace: n.Space.Name}}
}

// Deploy requests the Network as the Shoot specifies.
func (n Network) Deploy(ctx context.Context) (seed.Requests, error) {
	object := n.object()
	object.Labels = names.Mutated()
	object.Spec = extensionsv1alpha1.NetworkSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: n.Networks.Type}, PodCIDR: n.Networks.Pods, ServiceCIDR: n.Networks.Services,
	}
	if networking := n.Shoot.Spec.Networking; networking != nil {
		object.Spec.ProviderConfig = networking.ProviderConfig
		for _, family := range networking.IPFamilies {
			object.Spec.IPFamilies = append(object.Spec.IPFamilies, extensionsv1alpha1.IPFamily(family))
		}
	}
	return n.Space.Extensions.Request(ctx, object)
}

// Await waits for the response to the request of this run.
func (n Network) Await(ctx context.Context, requests seed.Requests) error {
	return n.Space.Extensions.Await(ctx, n.object(), requests)
}

// Destroy deletes the object.
func (n Network) Destroy(ctx context.Context) error {
	return n.Space.Extensions.Delete(ctx, n.object())
}

// AwaitGone waits until the extension has finished the deletion.
func (n Network) AwaitGone(ctx context.Context) error {
	return n.Space.Extensions.WaitGone(ctx, n.object())
}
