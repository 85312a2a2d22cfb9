package integration

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// gardenProject is the project of the garden namespace, where managed seeds live.
func gardenProject(t *testing.T) *core.Project {
	t.Helper()
	binding(t, "garden", "local")
	return create(t, &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "garden"}, Spec: core.ProjectSpec{Namespace: ptr.To("garden")}})
}

func TestManagedSeeds(t *testing.T) {
	p, profile := gardenProject(t), cloudProfile(t)
	base := seed(t)
	s := create(t, newShoot(p, profile, func(s *core.Shoot) {
		s.Spec.SeedName, s.Spec.DNS = &base.Name, &core.DNS{Domain: ptr.To("managed.example.net")}
		s.Spec.Networking.Nodes = ptr.To("10.55.0.0/16")
		s.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: true}
		s.Spec.Provider.Workers[0].Zones = []string{"0"}
	}))
	managed := func(change ...func(*seedmanagement.ManagedSeed)) *seedmanagement.ManagedSeed {
		m := &seedmanagement.ManagedSeed{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "managed"}, Spec: seedmanagement.ManagedSeedSpec{
			Shoot:        &seedmanagement.Shoot{Name: s.Name},
			SeedTemplate: &core.SeedTemplate{Spec: core.SeedSpec{DNS: core.SeedDNS{Provider: &core.SeedDNSProvider{Type: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "dns"}}}}},
		}}
		for _, f := range change {
			f(m)
		}
		return m
	}
	t.Run("ADM-30 another region than that of the shoot", func(t *testing.T) {
		m := managed(func(m *seedmanagement.ManagedSeed) { m.Spec.SeedTemplate.Spec.Provider.Region = "moon" })
		wantStatus(t, admin(t).Create(t.Context(), m), http.StatusUnprocessableEntity, "spec.seedTemplate.spec.provider.region")
	})
	t.Run("ADM-30 an empty gardenlet", func(t *testing.T) {
		m := managed(func(m *seedmanagement.ManagedSeed) {
			m.Spec.SeedTemplate, m.Spec.Gardenlet = nil, &seedmanagement.GardenletConfig{}
		})
		if err := admin(t).Create(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		remove(t, admin(t), m)
		if m.Spec.Gardenlet.Config == nil {
			t.Error("nothing was filled in")
		}
	})
	t.Run("MSD-2 neither a template nor a gardenlet", func(t *testing.T) {
		m := managed(func(m *seedmanagement.ManagedSeed) { m.Spec.SeedTemplate = nil })
		wantStatus(t, admin(t).Create(t.Context(), m), http.StatusUnprocessableEntity, "spec.gardenlet: Required")
	})
	t.Run("MSD-2 a template and a gardenlet", func(t *testing.T) {
		m := managed(func(m *seedmanagement.ManagedSeed) { m.Spec.Gardenlet = &seedmanagement.GardenletConfig{} })
		wantStatus(t, admin(t).Create(t.Context(), m), http.StatusUnprocessableEntity, "spec.gardenlet: Forbidden")
	})
	m := create(t, managed())
	t.Run("ADM-30 the seed is completed from the shoot", func(t *testing.T) {
		spec := m.Spec.SeedTemplate.Spec
		if spec.Provider.Type != "local" || spec.Provider.Region != "local" || spec.Networks.Pods != *s.Spec.Networking.Pods || spec.Ingress.Domain != "ingress.managed.example.net" {
			t.Errorf("spec is %+v", spec)
		}
	})
	t.Run("ADM-29 its shoot cannot be deleted", func(t *testing.T) {
		confirmed := s.DeepCopy()
		merge(t, confirmed, `{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
		wantStatus(t, admin(t).Delete(t.Context(), confirmed), http.StatusForbidden, `managed seed "managed" refers to it`)
	})
	t.Run("ADM-29 its shoot keeps its pod autoscaler", func(t *testing.T) {
		wantStatus(t, tryMerge(t, admin(t), s.DeepCopy(), `{"spec":{"kubernetes":{"verticalPodAutoscaler":{"enabled":false}}}}`), http.StatusUnprocessableEntity, "verticalPodAutoscaler")
	})
	t.Run("ADM-31 it stays as long as shoots are on its seed", func(t *testing.T) {
		seed(t, func(seed *core.Seed) { seed.Name = "managed" })
		guest := create(t, newShoot(project(t), profile, func(s *core.Shoot) { s.Spec.SeedName = ptr.To("managed") }))
		wantStatus(t, admin(t).Delete(t.Context(), m.DeepCopy()), http.StatusForbidden, guest.Name)
	})
}

// bastionFor is a bastion that is not created yet.
func bastionFor(s *core.Shoot) *operations.Bastion {
	return &operations.Bastion{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "b"}, Spec: operations.BastionSpec{
		ShootRef: corev1.LocalObjectReference{Name: s.Name}, SSHPublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPe9R0Q2EbOpoGLOxLJNEjCTRpDBVLw6Lr0QIXWQ0d2W test",
		Ingress: []operations.BastionIngressPolicy{{IPBlock: networkingv1.IPBlock{CIDR: "1.2.3.4/32"}}},
	}}
}

func TestBastions(t *testing.T) {
	base := seed(t)
	p, profile := project(t), cloudProfile(t)
	s := create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.SeedName = &base.Name }))
	t.Run("BST-5 a shoot without seed has no bastions", func(t *testing.T) {
		unplaced := create(t, newShoot(p, profile))
		wantStatus(t, admin(t).Create(t.Context(), bastionFor(unplaced)), http.StatusUnprocessableEntity, "no seed yet")
	})
	b := create(t, bastionFor(s))
	t.Run("BST-3 BST-5 a bastion is completed from its shoot", func(t *testing.T) {
		if ptr.Deref(b.Spec.SeedName, "") != base.Name || ptr.Deref(b.Spec.ProviderType, "") != "local" || b.Annotations["gardener.cloud/created-by"] != "admin" || !metav1.IsControlledBy(b, s) {
			t.Errorf("bastion is %+v", b)
		}
	})
	t.Run("BST-3 only the creator opens it", func(t *testing.T) {
		other := user(t, "bst3", s.Namespace, "gardener.cloud:system:project-member-aggregation")
		wantStatus(t, tryMerge(t, other, b.DeepCopy(), `{"spec":{"ingress":[{"ipBlock":{"cidr":"0.0.0.0/0"}}]}}`), http.StatusForbidden, "only the creator")
	})
}
