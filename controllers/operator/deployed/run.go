package deployed

import (
	"context"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// labelHost is on all objects that the host writes, so that a deletion finds them.
const labelHost, labelHostValue = host.Label, "deployed"

// writer writes to the runtime cluster for one Garden, and reads what the Garden refers to.
type writer struct {
	Inputs
	garden       *operatorv1alpha1.Garden
	availability availability.Setting
}

// run writes one stage.
type run struct{ *credentials }

func (in Inputs) begin(ctx context.Context, garden *operatorv1alpha1.Garden) (run, error) {
	garden = garden.DeepCopy()
	operatorv1alpha1.SetDefaultsGarden(garden)
	w := &writer{Inputs: in, garden: garden}
	if tolerance := tolerance(garden); tolerance != "" {
		nodes := &corev1.NodeList{}
		if err := in.Client.List(ctx, nodes); err != nil {
			return run{}, fmt.Errorf("list nodes of the runtime cluster: %w", err)
		}
		w.availability = availability.Of(tolerance, nodes.Items)
	}
	secrets, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: in.Client, Writer: in.Client, Clock: in.Clock, Namespace: in.Namespace, Identity: constants.SecretManagerIdentityOperator, Names: secretNames,
	})
	if err != nil {
		return run{}, err
	}
	return run{&credentials{writer: w, secrets: secrets, made: made{
		etcds: map[string]etcd.Secrets{}, servers: map[string]pod.Mount{}, accesses: map[string]pod.Mount{},
	}}}, nil
}

// tolerance is what a highly available virtual garden survives: the failure of a zone if the runtime cluster has several zones.
func tolerance(garden *operatorv1alpha1.Garden) gardencorev1beta1.FailureToleranceType {
	plane := garden.Spec.VirtualCluster.ControlPlane
	switch {
	case plane == nil || plane.HighAvailability == nil:
		return ""
	case len(garden.Spec.RuntimeCluster.Provider.Zones) > 1:
		return gardencorev1beta1.FailureToleranceTypeZone
	}
	return gardencorev1beta1.FailureToleranceTypeNode
}

// apply writes an object of the runtime cluster. It spreads the pods of a Deployment if the garden is highly available, and limits their
// disruption.
func (w *writer) apply(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	applier := patch.Applier{Client: w.Client, Owner: fieldOwner, Pods: w.Pods}
	switch set := object.(type) {
	case *appsv1.Deployment:
		place(&set.Spec.Template.Spec, w.PullPolicy)
		if budget := w.availability.Apply(set); budget != nil {
			mark(budget)
			if _, err := applier.Apply(ctx, budget); err != nil {
				return nil, err
			}
		}
	case *appsv1.StatefulSet:
		place(&set.Spec.Template.Spec, w.PullPolicy)
	}
	mark(object)
	return applier.Apply(ctx, object)
}

// place keeps pods away from nodes that cannot run the image. A cluster of a customer may have some without a taint.
func place(pod *corev1.PodSpec, policy corev1.PullPolicy) {
	if policy != "" {
		pod.Containers[0].ImagePullPolicy = policy
	}
	selector := map[string]string{corev1.LabelOSStable: "linux"}
	maps.Copy(selector, pod.NodeSelector)
	pod.NodeSelector = selector
}

func mark(object client.Object) {
	labels := map[string]string{labelHost: labelHostValue}
	for key, value := range object.GetLabels() {
		labels[key] = value
	}
	object.SetLabels(labels)
}

func (w *writer) applyAll(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if _, err := w.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// deployManaged passes objects to the resource manager of the virtual garden. They stay when the Garden is deleted, since the whole virtual
// garden goes then.
func (w *writer) deployManaged(ctx context.Context, name string, objects ...client.Object) error {
	secret, resource, err := managedresource.Build(name, w.Namespace, true, objects...)
	if err != nil {
		return err
	}
	return w.applyAll(ctx, secret, resource)
}

// awaitRolledOut waits until Deployments have only pods of their newest template.
func (w *writer) awaitRolledOut(ctx context.Context, names ...string) error {
	return await.Poll(ctx, func() error {
		for _, name := range names {
			deployment := &appsv1.Deployment{}
			if err := w.get(ctx, name, deployment); err != nil {
				return err
			}
			if err := health.RolledOut(deployment); err != nil {
				return fmt.Errorf("wait for deployment %q: %w", name, err)
			}
		}
		return nil
	})
}

// prioritise gives the pods of a component of a shoot the priority that it has in a garden.
func prioritise(deployment *appsv1.Deployment, class string) *appsv1.Deployment {
	deployment.Spec.Template.Spec.PriorityClassName = class
	return deployment
}
