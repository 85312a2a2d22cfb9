package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/coredns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeproxy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// deployManaged hands objects to the shoot's resource manager.
func (p *Plan) deployManaged(ctx context.Context, name string, keep bool, objects ...client.Object) error {
	secret, resource, err := managedresource.Build(name, p.namespace, keep, objects...)
	if err != nil {
		return err
	}
	return p.seed.ApplyAll(ctx, secret, resource)
}

// deleteManaged takes objects back from the resource manager, which removes them from the shoot.
func (p *Plan) deleteManaged(ctx context.Context, name string) error {
	return p.delete(ctx,
		&resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.namespace}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: managedresource.SecretPrefix + name, Namespace: p.namespace}},
	)
}

func (p *Plan) deployNamespaces(ctx context.Context) error {
	return p.deployManaged(ctx, shootsystem.ResourceNamespaces, true, shootsystem.Namespaces(p.workerZones())...)
}

// workerZones are the zones of all pools that system components may run on.
func (p *Plan) workerZones() []string {
	var zones []string
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		if worker.SystemComponents == nil || worker.SystemComponents.Allow {
			zones = append(zones, worker.Zones...)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

func (p *Plan) awaitNamespaces(ctx context.Context) error {
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: shootsystem.ResourceNamespaces, Namespace: p.namespace}}
	return await.Until(ctx, p.SeedClient, resource, func() error { return managedApplied(resource) })
}

func (p *Plan) deployIdentity(ctx context.Context) error {
	return p.deployManaged(ctx, shootsystem.ResourceIdentity, false, shootsystem.Identity(p.ClusterIdentity())...)
}

func (p *Plan) deploySystem(ctx context.Context) error {
	info := shootsystem.Info{
		Project: p.Project, Name: p.Shoot.Name, Provider: p.Shoot.Spec.Provider.Type, Region: p.Shoot.Spec.Region,
		KubernetesVersion: p.Version(), PodNetwork: p.PodCIDR(), ServiceNetwork: p.ServiceCIDR(), NodeNetwork: p.nodeCIDR(),
	}
	if p.External != nil {
		info.Domain = p.External.Name
	}
	if m := p.Shoot.Spec.Maintenance; m != nil && m.TimeWindow != nil {
		info.MaintenanceBegin, info.MaintenanceEnd = m.TimeWindow.Begin, m.TimeWindow.End
	}
	for _, e := range p.Extensions {
		info.Extensions = append(info.Extensions, e.Type)
	}
	objects := shootsystem.System(info)
	if !p.Workerless() {
		objects = append(objects, shootsystem.NetworkPolicies(p.tunnelMode().ClientSelector(), p.nodeRanges()...)...)
	}
	return p.deployManaged(ctx, shootsystem.ResourceSystem, false, objects...)
}

func (p *Plan) deployCoreDNS(ctx context.Context) error {
	ip, err := p.ServiceIP(10)
	if err != nil {
		return err
	}
	annotations, err := p.restartOf(ctx, p.presentCoreDNS)
	if err != nil {
		return err
	}
	values := coredns.Values{ClusterIP: ip.String(), Image: p.Images.CoreDNS, Annotations: annotations}
	if system := p.Shoot.Spec.SystemComponents; system != nil && system.CoreDNS != nil && system.CoreDNS.Rewriting != nil {
		values.CommonSuffixes = system.CoreDNS.Rewriting.CommonSuffixes
	}
	return p.deployManaged(ctx, coredns.Resource, false, coredns.Objects(values)...)
}

// awaitCoreDNS waits until names can be resolved in the shoot: before that, a user would not call it ready.
func (p *Plan) awaitCoreDNS(ctx context.Context) error {
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: coredns.Resource, Namespace: p.namespace}}
	return await.Until(ctx, p.SeedClient, resource, func() error {
		if _, message := health.ManagedResource(resource); message != "" {
			return errors.New(message)
		}
		return nil
	})
}

// hasSystemNodes tells whether there are nodes for system components without anybody scaling up.
func (p *Plan) hasSystemNodes() bool {
	return slices.ContainsFunc(p.Shoot.Spec.Provider.Workers, func(worker gardencorev1beta1.Worker) bool {
		return worker.Minimum > 0 && (worker.SystemComponents == nil || worker.SystemComponents.Allow)
	})
}

func (p *Plan) deployKubeProxy(ctx context.Context) error {
	server, err := p.machineServer()
	if err != nil {
		return err
	}
	annotations, err := p.restartOf(ctx, p.presentKubeProxy)
	if err != nil {
		return err
	}
	values := kubeproxy.Values{
		Config: p.Shoot.Spec.Kubernetes.KubeProxy, PodCIDR: p.PodCIDR(), Server: server,
		CA:    p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle],
		Image: p.Images.KubeProxy, Annotations: annotations,
	}
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		values.Pools = append(values.Pools, kubeproxy.Pool{Name: worker.Name, Version: p.kubeletVersion(worker)})
	}
	objects, err := kubeproxy.Objects(values)
	if err != nil {
		return err
	}
	return p.deployManaged(ctx, kubeproxy.Resource, false, objects...)
}

func (p *Plan) deleteKubeProxy(ctx context.Context) error {
	return p.deleteManaged(ctx, kubeproxy.Resource)
}

// deployNodeAgent puts what machines are to look like where their node agents read it, in the shoot.
func (p *Plan) deployNodeAgent(ctx context.Context) error {
	read := func(name, key string) ([]byte, error) {
		secret := &corev1.Secret{}
		if err := p.SeedClient.Get(ctx, client.ObjectKey{Namespace: p.namespace, Name: name}, secret); err != nil {
			return nil, fmt.Errorf("read secret %q: %w", name, err)
		}
		return secret.Data[key], nil
	}
	var keys []string
	var objects []client.Object
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		key := p.oscKey(worker)
		osc := &extensionsv1alpha1.OperatingSystemConfig{}
		name := client.ObjectKey{Namespace: p.namespace, Name: key + "-original"}
		if err := p.SeedClient.Get(ctx, name, osc); err != nil {
			return fmt.Errorf("read operating system config %q: %w", name, err)
		}
		secret, err := operatingsystemconfig.AgentSecret(worker.Name, key, osc, read)
		if err != nil {
			return fmt.Errorf("prepare operating system config %q for node agents: %w", name, err)
		}
		keys, objects = append(keys, key), append(objects, secret)
	}
	if err := p.seed.ApplyAll(ctx, operatingsystemconfig.AgentAccess(p.namespace)); err != nil {
		return err
	}
	return p.deployManaged(ctx, shootsystem.ResourceNodeAgent, false, append(objects, operatingsystemconfig.AgentRights(keys)...)...)
}

// deleteAllManaged takes everything out of the shoot that the resource manager keeps there, but what the deletion needs
// itself.
func (p *Plan) deleteAllManaged(ctx context.Context) error {
	list := &resourcesv1alpha1.ManagedResourceList{}
	if err := p.SeedClient.List(ctx, list, client.InNamespace(p.namespace), client.MatchingLabels{"origin": managedresource.Origin}); err != nil {
		return fmt.Errorf("list managed resources: %w", err)
	}
	for _, resource := range list.Items {
		if err := p.deleteManaged(ctx, resource.Name); err != nil {
			return err
		}
	}
	return nil
}

// awaitManagedApplied waits until everything that this flow hands to the resource manager is in the shoot. How it does
// there is looked after when the flow has ended, and for the DNS server in a step of its own.
func (p *Plan) awaitManagedApplied(ctx context.Context) error {
	return poll(ctx, func() error {
		list := &resourcesv1alpha1.ManagedResourceList{}
		if err := p.SeedClient.List(ctx, list, client.InNamespace(p.namespace), client.MatchingLabels{"origin": managedresource.Origin}); err != nil {
			return fmt.Errorf("list managed resources: %w", err)
		}
		for i := range list.Items {
			if err := managedApplied(&list.Items[i]); err != nil {
				return fmt.Errorf("managed resource %q: %w", list.Items[i].Name, err)
			}
		}
		return nil
	})
}

func managedApplied(resource *resourcesv1alpha1.ManagedResource) error {
	if resource.Status.ObservedGeneration != resource.Generation {
		return errors.New("it has not been observed yet")
	}
	applied := conditions.Get(resource.Status.Conditions, resourcesv1alpha1.ResourcesApplied)
	if applied == nil || applied.Status != gardencorev1beta1.ConditionTrue {
		return fmt.Errorf("it has not been applied yet: %s", appliedMessage(resource))
	}
	return nil
}

// awaitManagedGone waits until no ManagedResource of Gardener's own is left.
func (p *Plan) awaitManagedGone(ctx context.Context) error {
	return p.awaitNoManaged(ctx, client.MatchingLabels{"origin": managedresource.Origin})
}

// awaitAllManagedGone waits for those of extensions, too.
func (p *Plan) awaitAllManagedGone(ctx context.Context) error {
	return p.awaitNoManaged(ctx)
}

// awaitNoManaged ignores ManagedResources of a class: they are for another cluster than the shoot.
func (p *Plan) awaitNoManaged(ctx context.Context, options ...client.ListOption) error {
	return poll(ctx, func() error {
		list := &resourcesv1alpha1.ManagedResourceList{}
		if err := p.SeedClient.List(ctx, list, append(slices.Clone(options), client.InNamespace(p.namespace))...); err != nil {
			return fmt.Errorf("list managed resources: %w", err)
		}
		for _, resource := range list.Items {
			if resource.Spec.Class == nil || *resource.Spec.Class == "" {
				return fmt.Errorf("managed resource %q is still there: %s", resource.Name, appliedMessage(&resource))
			}
		}
		return nil
	})
}

func appliedMessage(resource *resourcesv1alpha1.ManagedResource) string {
	if applied := conditions.Get(resource.Status.Conditions, resourcesv1alpha1.ResourcesApplied); applied != nil {
		return applied.Message
	}
	return "no condition yet"
}

// inShoot applies objects in the shoot.
func (p *Plan) inShoot() patch.Applier { return patch.Applier{Client: p.shoot, Owner: Owner} }
