// Package deployed is a host of Gardens that runs the components in a cluster: as Etcds, and as Deployments of the appliance image, in the
// namespace garden. It reuses the components of the control planes of shoots: a virtual garden is nearly a shoot without workers. The
// package does not reconcile Gardens, and runs no controllers: somebody else has to run the druid, which turns Etcds into pods.
package deployed

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// fieldOwner owns the fields of all objects in the runtime cluster that the host writes.
const fieldOwner = runtimecluster.Operator

// patience is for nodes that have to pull the image and to make volumes. A change of the Garden has to wait for its end.
const patience = 3 * time.Minute

// Inputs of the host. Fields without a comment about their zero value are required.
type Inputs struct {
	// Client of the runtime cluster. It reads without a cache. The CustomResourceDefinitions of Etcds and ManagedResources must exist there,
	// and so must the namespace.
	Client client.Client
	// Namespace of the components: garden.
	Namespace string
	// Image is the appliance image.
	Image string
	// PullPolicy of the image; IfNotPresent if it is empty.
	PullPolicy corev1.PullPolicy
	// Gardener is written to the status of the Garden.
	Gardener gardencorev1beta1.Gardener
	// Registration builds the objects that make an API server forward requests for Gardener's groups to the server at this host and port,
	// which the CA has signed. The Service that they name is in the namespace kube-system. It is gardenapi.Registered.
	Registration func(host string, port int32, ca []byte) []client.Object
	// Versions of Kubernetes that the image can run as virtual garden; empty if it can run any.
	Versions []string
	// Elsewhere are reasons, by the name of the component, why this host does not deploy a component: somebody else runs it.
	Elsewhere map[string]string
	// Druid returns nil if the druid of the runtime cluster serves. Nil if nobody can tell.
	Druid func(context.Context) error
	// ServiceType of the Service by which users reach the virtual garden; ClusterIP if it is empty.
	ServiceType corev1.ServiceType
	// Reach changes a configuration that names a Service of the runtime cluster so that this process reaches it. Nil if the process is a pod.
	Reach func(*rest.Config) *rest.Config
	// Pods signs the pods; nil signs none.
	Pods *podsignature.Signer
	// Clock is the real one if it is nil.
	Clock clock.PassiveClock
}

// New returns the host.
func New(in Inputs) (host.Host, error) {
	if in.Client == nil || in.Namespace == "" || in.Image == "" || in.Registration == nil {
		return host.Host{}, errors.New("a host of Gardens needs a client, a namespace, the appliance image, and the registration of the Gardener API")
	}
	if in.Clock == nil {
		in.Clock = clock.RealClock{}
	}
	out := host.Host{
		Gardener: in.Gardener, Versions: in.Versions, Components: in.components(), Access: in.access, Inert: inert, Patience: patience,
		Credentials: host.Credentials{Observability: true}, // see package monitoring
		Deploy: func(ctx context.Context, garden *operatorv1alpha1.Garden, stage host.Stage) error {
			return in.deploy(ctx, garden, stage)
		},
		Destroy: func(ctx context.Context, _ *operatorv1alpha1.Garden, stage host.Stage) error {
			return in.destroy(ctx, stage)
		},
	}
	return out, out.Validate()
}

// deploy writes the components of a stage.
func (in Inputs) deploy(ctx context.Context, garden *operatorv1alpha1.Garden, stage host.Stage) error {
	r, err := in.begin(ctx, garden)
	if err != nil {
		return err
	}
	switch stage {
	case host.ResourceManager:
		return r.deployRuntime(ctx)
	case host.SystemComponents:
		return r.deploySystem(ctx)
	case host.ETCD:
		return r.deployEtcds(ctx)
	case host.VirtualGarden:
		return r.deployVirtualGarden(ctx)
	case host.ControlPlane:
		return gardener{r}.deploy(ctx)
	case host.Monitoring:
		return r.deployObservability(ctx)
	}
	return nil
}
