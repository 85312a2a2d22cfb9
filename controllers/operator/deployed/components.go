package deployed

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/gateway"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/monitoring"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Reasons why no component of this host exists.
const (
	druidElsewhere = "somebody else runs the druid of the runtime cluster"
	noHvpa         = "the gardenlet of a seed scales etcds by the recommendations of the vertical pod autoscaler"
	noIngress      = "nothing of this host has an Ingress"
)

// errScaledDown means that somebody has stopped a component.
var errScaledDown = errors.New("it has no replicas")

// components of the host.
func (in Inputs) components() []host.Component {
	out := []host.Component{
		{Name: resourcemanager.Name, Group: host.Runtime, Stage: host.ResourceManager, Serves: in.deployment(resourcemanager.Name)},
		{Name: "etcd-druid", Group: host.Runtime, Stage: host.SystemComponents, Serves: in.Druid},
		{Name: gateway.Name, Group: host.Runtime, Stage: host.SystemComponents, Serves: func(ctx context.Context) error { return gateway.Serves(ctx, in.Client) }},
		{Name: etcdMain, Group: host.Virtual, Stage: host.ETCD, Serves: in.etcd(etcdMain), Complains: in.backedUp(etcdMain)},
		{Name: etcdEvents, Group: host.Virtual, Stage: host.ETCD, Serves: in.etcd(etcdEvents)},
	}
	if in.Druid == nil {
		out[1].Absent = druidElsewhere
	}
	out = append(out, scalingOf(in, nil).Components(in.deployment)...)
	for _, name := range []string{apiServer, controllerManager, resourceManager} {
		out = append(out, host.Component{Name: name, Group: host.Virtual, Stage: host.VirtualGarden, Serves: in.deployment(name)})
	}
	for _, name := range []string{gardenerAPIServer, gardenerAdmission, gardenerControllerManager, gardenerScheduler} {
		out = append(out, host.Component{Name: name, Group: host.Virtual, Stage: host.ControlPlane, Serves: in.deployment(name)})
	}
	out = append(out, host.Component{Name: gardenerAPI, Group: host.Virtual, Stage: host.ControlPlane, Serves: in.resource(resourceGardenerAPI)})
	absent := func(group host.Group, stage host.Stage, reason string, names ...string) {
		for _, name := range names {
			out = append(out, host.Component{Name: name, Group: group, Stage: stage, Absent: reason})
		}
	}
	absent(host.Runtime, host.SystemComponents, noHvpa, "hvpa-controller")
	absent(host.Runtime, host.SystemComponents, noIngress, "nginx-ingress-controller")
	out = append(out, monitoring.Monitoring{Client: in.Client, Namespace: in.Namespace}.Components()...)
	for i := range out {
		if reason := in.Elsewhere[out[i].Name]; reason != "" {
			out[i].Serves, out[i].Complains, out[i].Absent = nil, nil, reason
		}
	}
	return out
}

// deployment returns a function that asks whether all pods of a Deployment are available, and that there are any.
func (in Inputs) deployment(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		deployment := &appsv1.Deployment{}
		if err := in.get(ctx, name, deployment); err != nil {
			return err
		}
		if ptr.Deref(deployment.Spec.Replicas, 1) == 0 {
			return fmt.Errorf("deployment %q: %w", name, errScaledDown)
		}
		return named("deployment", name, health.Available(deployment))
	}
}

func (in Inputs) etcd(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		etcd := &druidv1alpha1.Etcd{}
		if err := in.get(ctx, name, etcd); err != nil {
			return err
		}
		if etcd.Spec.Replicas == 0 {
			return fmt.Errorf("etcd %q: %w", name, errScaledDown)
		}
		return named("etcd", name, health.Etcd(etcd))
	}
}

// backedUp returns a function that asks whether there are the backups that the Garden wants. Without them etcd serves all the same, and so a
// reconciliation must not wait for an object store.
func (in Inputs) backedUp(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		etcd := &druidv1alpha1.Etcd{}
		if err := in.get(ctx, name, etcd); err != nil {
			return err
		}
		for _, condition := range etcd.Status.Conditions {
			if etcd.Spec.Backup.Store != nil && condition.Type == druidv1alpha1.ConditionTypeBackupReady && condition.Status == druidv1alpha1.ConditionFalse {
				return fmt.Errorf("it is not backed up: %s", condition.Message)
			}
		}
		return nil
	}
}

// resource returns a function that asks whether all objects of a ManagedResource are there and healthy.
func (in Inputs) resource(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		resource := &resourcesv1alpha1.ManagedResource{}
		if err := in.get(ctx, name, resource); err != nil {
			return err
		}
		if _, message := health.ManagedResource(resource); message != "" {
			return errors.New(message)
		}
		return nil
	}
}

func (in Inputs) get(ctx context.Context, name string, object client.Object) error {
	if err := in.Client.Get(ctx, client.ObjectKey{Namespace: in.Namespace, Name: name}, object); err != nil {
		return fmt.Errorf("read %T %q: %w", object, name, err)
	}
	return nil
}

func named(kind, name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s %q: %w", kind, name, err)
	}
	return nil
}
