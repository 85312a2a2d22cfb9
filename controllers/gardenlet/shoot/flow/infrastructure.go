package flow

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func (p *Plan) newInfrastructure() *extensionsv1alpha1.Infrastructure {
	return &extensionsv1alpha1.Infrastructure{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.namespace}}
}

// cloudProviderRef refers to the copy of the infrastructure's credentials.
func (p *Plan) cloudProviderRef() corev1.SecretReference {
	return corev1.SecretReference{Name: constants.SecretNameCloudProvider, Namespace: p.namespace}
}

func (p *Plan) deployInfrastructure(ctx context.Context) error {
	publicKey, err := p.sshKeypair(ctx)
	if err != nil {
		return err
	}
	if err := p.publishSSHKeypair(ctx); err != nil {
		return err
	}
	object := p.newInfrastructure()
	object.Spec = extensionsv1alpha1.InfrastructureSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{
			Type: p.Shoot.Spec.Provider.Type, ProviderConfig: p.Shoot.Spec.Provider.InfrastructureConfig,
		},
		Region:       p.Shoot.Spec.Region,
		SecretRef:    p.cloudProviderRef(),
		SSHPublicKey: publicKey,
	}
	return p.deployExtension(ctx, object, extensionsv1alpha1.InfrastructureResource)
}

// awaitInfrastructure keeps what the provider reports for the steps after it, and tells users the networks in use.
func (p *Plan) awaitInfrastructure(ctx context.Context) error {
	object := p.newInfrastructure()
	if err := p.awaitExtension(ctx, object, extensionsv1alpha1.InfrastructureResource); err != nil {
		return err
	}
	p.infrastructure = object
	networking := &gardencorev1beta1.NetworkingStatus{
		Pods: []string{p.PodCIDR()}, Services: []string{p.ServiceCIDR()}, EgressCIDRs: object.Status.EgressCIDRs,
	}
	networking.Nodes = p.nodeRanges()
	return p.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) { s.Networking = networking })
}

// nodeCIDR is the range that the Shoot names, else the one that the provider chose.
func (p *Plan) nodeCIDR() string {
	if nodes := p.NodeCIDR(); nodes != "" || p.infrastructure == nil || p.infrastructure.Status.NodesCIDR == nil {
		return nodes
	}
	return *p.infrastructure.Status.NodesCIDR
}

// nodeRanges are all ranges that nodes have addresses of: the one above and those that the provider adds.
func (p *Plan) nodeRanges() []string {
	var out []string
	if nodes := p.nodeCIDR(); nodes != "" {
		out = append(out, nodes)
	}
	if p.infrastructure != nil && p.infrastructure.Status.Networking != nil {
		for _, nodes := range p.infrastructure.Status.Networking.Nodes {
			if !slices.Contains(out, nodes) {
				out = append(out, nodes)
			}
		}
	}
	return out
}

func (p *Plan) destroyInfrastructure(ctx context.Context) error {
	return p.objects.Delete(ctx, p.newInfrastructure())
}

func (p *Plan) awaitInfrastructureGone(ctx context.Context) error {
	return p.objects.WaitGone(ctx, p.newInfrastructure())
}

// deployExtension writes the object and remembers the request.
func (p *Plan) deployExtension(ctx context.Context, object extensionsv1alpha1.Object, kind string) error {
	stamp, err := p.objects.Deploy(ctx, object, constants.GardenerOperationReconcile)
	if err != nil {
		return err
	}
	p.stamps.set(object, kind, stamp)
	return nil
}

// awaitExtension waits for the answer to the request of this run.
func (p *Plan) awaitExtension(ctx context.Context, object extensionsv1alpha1.Object, kind string) error {
	return p.objects.Wait(ctx, object, p.stamps.get(object, kind))
}
