package integration

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// makeFurther creates what a seed needs through further shoots: bindings of other kinds, a profile of the project, a bastion,
// ManagedSeeds, and the gardenlet that deploys itself.
func makeFurther(ctx context.Context, seed, project string) error {
	if err := makeManagedSeeds(ctx, seed); err != nil {
		return fmt.Errorf("make ManagedSeeds: %w", err)
	}
	own := &core.NamespacedCloudProfile{ObjectMeta: meta(project, "own"), Spec: core.NamespacedCloudProfileSpec{
		Parent: core.CloudProfileReference{Kind: "CloudProfile", Name: "profile"},
	}}
	for _, object := range []client.Object{
		own,
		&security.WorkloadIdentity{ObjectMeta: meta(project, "identity"), Spec: security.WorkloadIdentitySpec{
			Audiences: []string{"cloud"}, TargetSystem: security.TargetSystem{Type: "local"},
		}},
		&security.CredentialsBinding{
			ObjectMeta: meta(project, "credentials"), Provider: security.CredentialsBindingProvider{Type: "local"},
			CredentialsRef: corev1.ObjectReference{APIVersion: security.SchemeGroupVersion.String(), Kind: "WorkloadIdentity", Namespace: project, Name: "identity"},
		},
		&seedmanagement.Gardenlet{ObjectMeta: meta("garden", seed), Spec: seedmanagement.GardenletSpec{
			Config: &runtime.RawExtension{Raw: []byte(`{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{}}`)},
			Deployment: seedmanagement.GardenletSelfDeployment{
				Helm: seedmanagement.GardenletHelm{OCIRepository: gardencorev1.OCIRepository{Ref: ptr.To("registry.example.org/gardenlet:v1.0.0")}},
			},
		}},
		&operations.Bastion{ObjectMeta: meta(project, "bastion"), Spec: operations.BastionSpec{
			ShootRef: corev1.LocalObjectReference{Name: "shoot"}, SSHPublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPe9R0Q2EbOpoGLOxLJNEjCTRpDBVLw6Lr0QIXWQ0d2W test",
			Ingress: []operations.BastionIngressPolicy{{IPBlock: networkingv1.IPBlock{CIDR: "203.0.113.0/24"}}},
		}},
	} {
		if err := keep(ctx, seed, object); err != nil {
			return err
		}
	}
	before := own.DeepCopy()
	own.Status.CloudProfileSpec = objects[seed]["CloudProfile"].(*core.CloudProfile).Spec // no controller merges them here
	if err := admin.Status().Patch(ctx, own, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("write status of NamespacedCloudProfile: %w", err)
	}
	bound := newShoot(project, "bound", seed) // is not kept: the shoot of tests is another
	bound.Spec.SecretBindingName, bound.Spec.CredentialsBindingName = nil, ptr.To("credentials")
	bound.Spec.CloudProfile = &core.CloudProfileReference{Kind: "NamespacedCloudProfile", Name: "own"}
	if err := admin.Create(ctx, bound); err != nil {
		return fmt.Errorf("create Shoot %q: %w", bound.Name, err)
	}
	return nil
}
