package deployed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/seedadmission"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// deployRuntime writes what the runtime cluster has beside the virtual garden: the priority classes of all pods that follow, and its resource
// manager, unless somebody else runs it.
func (r run) deployRuntime(ctx context.Context) error {
	if err := r.applyAll(ctx, priorityClasses()...); err != nil {
		return err
	}
	if r.Elsewhere[resourcemanager.Name] != "" {
		return nil
	}
	return r.deployResourceManager(ctx)
}

// deployResourceManager writes the resource manager of the runtime cluster. Its label is not that of what the host destroys: a seed keeps it, see
// destroyRuntime.
func (w *writer) deployResourceManager(ctx context.Context) error {
	objects := w.runtimeResourceManager()
	for _, object := range objects {
		labels := map[string]string{labelHost: "runtime"}
		maps.Copy(labels, object.GetLabels())
		object.SetLabels(labels)
		if err := (patch.Applier{Client: w.Client, Owner: fieldOwner}).TakeOver(ctx, object, runtimecluster.Gardenlet); err != nil {
			return err
		}
	}
	return w.applyAll(ctx, objects...)
}

// ResourceManager is the resource manager of the runtime cluster for a host whose other components run elsewhere. Of the inputs it needs the
// client, the namespace and the image. It stays when the Garden goes, for a seed.
func (in Inputs) ResourceManager() host.Component {
	w := &writer{Inputs: in}
	return host.Component{
		Name: resourcemanager.Name, Group: host.Runtime, Stage: host.ResourceManager, Serves: in.deployment(resourcemanager.Name),
		Deploy: func(ctx context.Context) error {
			if err := w.applyAll(ctx, priorityClass(constants.PriorityClassNameSeedSystemCritical)); err != nil {
				return err
			}
			return w.deployResourceManager(ctx)
		},
	}
}

// runtimeResourceManager is that of a seed whose API server cannot call the process of the gardenlet.
func (in Inputs) runtimeResourceManager() []client.Object {
	return resourcemanager.SeedObjects(in.Image)
}

// priorityClasses of the components of a garden, and of the resource manager of the runtime cluster.
func priorityClasses() []client.Object {
	var out []client.Object
	for _, name := range slices.Sorted(maps.Keys(constants.PriorityClassValues)) {
		if !strings.HasPrefix(name, "gardener-garden-system-") && name != constants.PriorityClassNameSeedSystemCritical {
			continue
		}
		out = append(out, priorityClass(name))
	}
	return out
}

func priorityClass(name string) client.Object {
	return &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Value: constants.PriorityClassValues[name],
		Description: "This class is used for components of a garden and its runtime cluster.",
	}
}

// isSeed reports whether the runtime cluster has a gardenlet, what a gardenlet outside of the cluster has deployed, or control planes of shoots. They need
// the resource manager, too.
func (in Inputs) isSeed(ctx context.Context) (bool, error) {
	for _, name := range []string{"gardenlet", seedadmission.Name} {
		if err := in.get(ctx, name, &appsv1.Deployment{}); err == nil || !apierrors.IsNotFound(err) {
			return err == nil, err
		}
	}
	etcds := &druidv1alpha1.EtcdList{}
	if err := in.Client.List(ctx, etcds); err != nil {
		return false, fmt.Errorf("look for control planes of shoots: %w", err)
	}
	return slices.ContainsFunc(etcds.Items, func(e druidv1alpha1.Etcd) bool { return e.Namespace != in.Namespace }), nil
}

// destroyRuntime deletes what deployRuntime has written. The priority class that seeds have, too, stays while a seed may use it.
func (in Inputs) destroyRuntime(ctx context.Context) error {
	var objects []client.Object
	seed, err := in.isSeed(ctx)
	if err != nil {
		return err
	}
	if in.Elsewhere[resourcemanager.Name] == "" && !seed { // a seed cannot be without it
		objects = append(pod.WebhookLeftovers(resourcemanager.Name), in.runtimeResourceManager()...)
		slices.Reverse(objects) // the Deployment first: its pods would register their webhooks again, which refuse all pods without it
	}
	for _, class := range priorityClasses() {
		if class.GetName() != constants.PriorityClassNameSeedSystemCritical {
			objects = append(objects, class)
		}
	}
	for _, object := range objects {
		if err := in.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}
