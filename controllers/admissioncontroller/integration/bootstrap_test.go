package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// makeManagedSeeds makes the ManagedSeeds token-<seed> and account-<seed> on shoots of a seed.
func makeManagedSeeds(ctx context.Context, seed string) error {
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: meta("", "garden")}, &core.Project{ObjectMeta: meta("", "garden"), Spec: core.ProjectSpec{Namespace: ptr.To("garden")}},
		secret("garden", "cloud", nil),
		&core.SecretBinding{ObjectMeta: meta("garden", "binding"), Provider: &core.SecretBindingProvider{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: "garden", Name: "cloud"}},
	} {
		if err := admin.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for prefix, how := range map[string]seedmanagement.Bootstrap{"token-": seedmanagement.BootstrapToken, "account-": seedmanagement.BootstrapServiceAccount} {
		shoot := newShoot("garden", prefix+seed, seed)
		shoot.Spec.DNS, shoot.Spec.Networking.Nodes = &core.DNS{Domain: ptr.To(prefix + seed + ".example.net")}, ptr.To("10.55.0.0/16")
		shoot.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: true}
		managed := &seedmanagement.ManagedSeed{ObjectMeta: meta("garden", shoot.Name), Spec: seedmanagement.ManagedSeedSpec{
			Shoot: &seedmanagement.Shoot{Name: shoot.Name}, Gardenlet: &seedmanagement.GardenletConfig{Bootstrap: &how},
		}}
		if err := admin.Create(ctx, shoot); err != nil {
			return fmt.Errorf("create Shoot %q: %w", shoot.Name, err)
		}
		if err := keep(ctx, seed, managed); err != nil {
			return err
		}
	}
	return nil
}

// TestManagedSeeds makes as the gardenlet of seed a what gardenlets in shoots of seeds a and b begin with.
func TestManagedSeeds(t *testing.T) {
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"a", "b"} {
		account := &corev1.ServiceAccount{ObjectMeta: meta("garden", bootstraptoken.Account("account-"+seed))}
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta("", bootstraptoken.Binding("garden", account.Name)),
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "garden", Name: account.Name}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: bootstraptoken.Role},
		}
		token := bootstraptoken.New(bootstraptoken.ID("garden", "token-"+seed), "of seed "+seed, time.Now().Add(24*time.Hour))
		may := func(what string, err error) {
			t.Helper()
			t.Run("GAC-10 "+what+" of a ManagedSeed in a shoot of seed "+seed, func(t *testing.T) {
				if allowed := seed == "a"; allowed != (err == nil) || !allowed && !apierrors.IsForbidden(err) {
					t.Error(err)
				}
			})
		}
		for what, object := range map[string]client.Object{"the account": account, "the binding": binding, "the token": token} {
			may("create "+what, gardenlet.Create(t.Context(), object))
			if seed == "b" { // so that there is something to change
				if err := admin.Create(t.Context(), object); err != nil {
					t.Fatal(err)
				}
			}
			may("read "+what, gardenlet.Get(t.Context(), client.ObjectKeyFromObject(object), object.DeepCopyObject().(client.Object)))
			changed := object.DeepCopyObject().(client.Object)
			changed.SetLabels(map[string]string{"x": "y"})
			may("change "+what, gardenlet.Patch(t.Context(), changed, client.MergeFrom(object)))
		}
		may("request a token for the account", gardenlet.SubResource("token").Create(t.Context(), account, &authenticationv1.TokenRequest{}))
		t.Run("GAC-10 a binding of seed "+seed+" never gives more", func(t *testing.T) {
			changed := binding.DeepCopy()
			changed.Subjects = append(changed.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "Group", Name: seeds})
			if err := gardenlet.Patch(t.Context(), changed, client.MergeFrom(binding)); !apierrors.IsForbidden(err) {
				t.Error(err)
			}
		})
		for what, object := range map[string]client.Object{"the account": account, "the binding": binding, "the token": token} {
			may("delete "+what, gardenlet.Delete(t.Context(), object))
			_ = admin.Delete(t.Context(), object)
		}
	}
	t.Run("GAC-10 another role cannot be bound", func(t *testing.T) {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta("", bootstraptoken.Binding("garden", bootstraptoken.Account("account-a"))),
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "garden", Name: bootstraptoken.Account("account-a")}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		}
		if err := gardenlet.Create(t.Context(), binding); !apierrors.IsForbidden(err) {
			t.Error(err)
		}
	})
}
