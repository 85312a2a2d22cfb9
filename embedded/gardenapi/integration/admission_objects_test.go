package integration

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

// settle gives the informers of the admission plugins time. They are inside the server, where no test can watch them, and a plugin
// that does not know of an object yet gives an answer that is wrong but final.
func settle() { time.Sleep(300 * time.Millisecond) }

func TestPresets(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	spec := func(client string, weight int32) settings.OpenIDConnectPresetSpec {
		return settings.OpenIDConnectPresetSpec{
			Weight: weight, ShootSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"oidc": "yes"}},
			Server: settings.KubeAPIServerOpenIDConnect{ClientID: client, IssuerURL: "https://issuer.example.org"},
		}
	}
	labelled := func(s *core.Shoot) { s.Labels = map[string]string{"oidc": "yes"} }
	clientOf := func(s *core.Shoot) string {
		if server := s.Spec.Kubernetes.KubeAPIServer; server != nil && server.OIDCConfig != nil {
			return ptr.Deref(server.OIDCConfig.ClientID, "")
		}
		return ""
	}
	before := create(t, newShoot(p, profile, labelled))
	create(t, &settings.ClusterOpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: "all"}, Spec: settings.ClusterOpenIDConnectPresetSpec{OpenIDConnectPresetSpec: spec("cluster", 100)}})
	settle()
	t.Run("ADM-2 a preset of the cluster", func(t *testing.T) {
		if got := clientOf(create(t, newShoot(p, profile, labelled))); got != "cluster" {
			t.Errorf("client is %q", got)
		}
	})
	for name, weight := range map[string]int32{"light": 1, "heavy": 9} {
		create(t, &settings.OpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: *p.Spec.Namespace}, Spec: spec(name, weight)})
	}
	settle()
	t.Run("ADM-2 the heaviest preset of the namespace wins", func(t *testing.T) {
		if got := clientOf(create(t, newShoot(p, profile, labelled))); got != "heavy" {
			t.Errorf("client is %q", got)
		}
	})
	t.Run("ADM-2 other labels, own configuration, and existing shoots", func(t *testing.T) {
		if got := clientOf(create(t, newShoot(p, profile))); got != "" {
			t.Errorf("without label, client is %q", got)
		}
		own := newShoot(p, profile, labelled, func(s *core.Shoot) {
			s.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{OIDCConfig: &core.OIDCConfig{ClientID: ptr.To("own"), IssuerURL: ptr.To("https://own.example.org")}}
		})
		if got := clientOf(create(t, own)); got != "own" {
			t.Errorf("with own configuration, client is %q", got)
		}
		merge(t, before, `{"metadata":{"labels":{"x":"y"}}}`)
		if got := clientOf(before); got != "" {
			t.Errorf("of an existing shoot, client is %q", got)
		}
	})
}

func TestRegistrations(t *testing.T) {
	t.Run("ADM-3 a kind and type has one primary registration", func(t *testing.T) {
		second := &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "second"}, Spec: core.ControllerRegistrationSpec{
			Resources: []core.ControllerResource{{Kind: "Infrastructure", Type: "local"}},
		}}
		wantStatus(t, admin(t).Create(t.Context(), second), http.StatusForbidden, `"surroundings" is already primary`)
		second.Spec.Resources[0].Primary = ptr.To(false)
		create(t, second)
	})
	p, profile := project(t), cloudProfile(t)
	t.Run("ADM-7 an extension that nobody offers", func(t *testing.T) {
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.Networking.Type = ptr.To("nobodys") })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusForbidden, `kind Network, type "nobodys"`)
	})
	t.Run("ADM-7 an extension that is offered now", func(t *testing.T) {
		create(t, &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "new"}, Spec: core.ControllerRegistrationSpec{
			Resources: []core.ControllerResource{{Kind: "Network", Type: "new"}},
		}})
		create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.Networking.Type = ptr.To("new") }))
	})
	t.Run("ADM-7 a seed, a bucket and an entry", func(t *testing.T) {
		bucket := &core.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "nobodys"}, Spec: core.BackupBucketSpec{
			Provider: core.BackupBucketProvider{Type: "nobodys", Region: "r"}, SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup"}, SeedName: ptr.To("any"),
		}}
		wantStatus(t, admin(t).Create(t.Context(), bucket), http.StatusForbidden, "kind BackupBucket")
		s := seed(t)
		wantStatus(t, tryMerge(t, admin(t), s, `{"spec":{"dns":{"provider":{"type":"nobodys"}}}}`), http.StatusForbidden, "kind DNSRecord")
	})
}

func TestProjects(t *testing.T) {
	t.Run("ADM-10 a project in another namespace", func(t *testing.T) {
		err := admin(t).Create(t.Context(), &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "stray"}, Spec: core.ProjectSpec{Namespace: ptr.To("foo")}})
		if err == nil {
			t.Error("it was accepted")
		}
	})
	role := func(name string, verbs ...string) client.Client {
		create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{core.GroupName}, Resources: []string{"projects"}, Verbs: verbs}}})
		create(t, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		})
		config, err := garden.ConfigFor(name)
		if err != nil {
			t.Fatal(err)
		}
		return clientFor(t, config)
	}
	p := project(t)
	t.Run("ADM-4 TOL-4 the whitelist needs a verb of its own", func(t *testing.T) {
		const change = `{"spec":{"tolerations":{"whitelist":[{"key":"a"}]}}}`
		wantStatus(t, tryMerge(t, role("adm4-patch", "get", "patch"), p.DeepCopy(), change), http.StatusForbidden, "modify-spec-tolerations-whitelist")
		if err := tryMerge(t, role("adm4-verb", "get", "patch", "modify-spec-tolerations-whitelist"), p.DeepCopy(), change); err != nil {
			t.Error(err)
		}
	})
	t.Run("members need a verb of their own", func(t *testing.T) {
		const change = `{"spec":{"members":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"joe","role":"admin"}]}}`
		wantStatus(t, tryMerge(t, role("adm4-members", "get", "patch"), p.DeepCopy(), change), http.StatusForbidden, "manage-members")
	})
}

func TestReferences(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	namespace := *p.Spec.Namespace
	t.Run("ADM-12 a binding to a secret that is missing or secret", func(t *testing.T) {
		b := &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b"}, Provider: &core.SecretBindingProvider{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: namespace, Name: "missing"}}
		wantStatus(t, admin(t).Create(t.Context(), b), http.StatusUnprocessableEntity, "secretRef: Not found")
		b.SecretRef = corev1.SecretReference{Namespace: "garden", Name: "dns"}
		member := user(t, "adm12", namespace, "gardener.cloud:system:project-member-aggregation")
		create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "adm12"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{core.GroupName}, Resources: []string{"secretbindings"}, Verbs: []string{"create"}}}})
		user(t, "adm12", namespace, "adm12")
		wantStatus(t, member.Create(t.Context(), b), http.StatusUnprocessableEntity, `may not read secrets garden/dns`)
	})
	t.Run("ADM-12 a shoot with a binding that is missing", func(t *testing.T) {
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.SecretBindingName = ptr.To("missing") })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusUnprocessableEntity, "spec.secretBindingName: Not found")
	})
	t.Run("ADM-12 a seed with a secret that is missing", func(t *testing.T) {
		wantStatus(t, tryMerge(t, admin(t), seed(t), `{"spec":{"dns":{"provider":{"secretRef":{"name":"missing"}}}}}`), http.StatusUnprocessableEntity, "spec.dns.provider.secretRef")
	})
	used := create(t, newShoot(p, profile))
	t.Run("ADM-13 a version and an image in use stay", func(t *testing.T) {
		now := profile.DeepCopy()
		now.Spec.Kubernetes.Versions = now.Spec.Kubernetes.Versions[1:]
		wantStatus(t, admin(t).Update(t.Context(), now), http.StatusUnprocessableEntity, "version 1.36.3 must not be removed: shoot "+used.Namespace+"/"+used.Name)
		now = profile.DeepCopy()
		now.Spec.MachineImages[0].Versions = now.Spec.MachineImages[0].Versions[:1]
		wantStatus(t, admin(t).Update(t.Context(), now), http.StatusUnprocessableEntity, "image local version 1.2.0")
	})
	s := seed(t)
	placed := create(t, newShoot(p, profile, func(shoot *core.Shoot) { shoot.Spec.SeedName = &s.Name }))
	t.Run("ADM-15 DNS of shoots stays as it is", func(t *testing.T) {
		wantStatus(t, tryMerge(t, admin(t), s.DeepCopy(), `{"spec":{"settings":{"shootDNS":{"enabled":false}}}}`), http.StatusUnprocessableEntity, placed.Name)
	})
	t.Run("ADM-17 a seed with shoots stays", func(t *testing.T) {
		wantStatus(t, admin(t).Delete(t.Context(), s.DeepCopy()), http.StatusForbidden, placed.Name)
		wantStatus(t, admin(t).DeleteAllOf(t.Context(), &core.Seed{}, client.MatchingLabels(s.Labels), client.MatchingFields{"metadata.name": s.Name}), http.StatusForbidden, placed.Name)
	})
	t.Run("a bucket with entries stays", func(t *testing.T) {
		bucket := create(t, &core.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "used"}, Spec: core.BackupBucketSpec{
			Provider: core.BackupBucketProvider{Type: "local", Region: "r"}, SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup"}, SeedName: &s.Name,
		}})
		create(t, &core.BackupEntry{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e"}, Spec: core.BackupEntrySpec{BucketName: "used", SeedName: &s.Name}})
		wantStatus(t, admin(t).Delete(t.Context(), bucket.DeepCopy()), http.StatusForbidden, "backup entry "+namespace+"/e")
	})
}

func TestShootQuota(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	namespace := *p.Spec.Namespace
	create(t, &core.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "q"}, Spec: core.QuotaSpec{
		ClusterLifetimeDays: ptr.To[int32](3), Metrics: corev1.ResourceList{"cpu": resource.MustParse("6")},
		Scope: corev1.ObjectReference{APIVersion: core.SchemeGroupVersion.String(), Kind: "Project"},
	}})
	binding(t, namespace, "limited", corev1.ObjectReference{Namespace: namespace, Name: "q"})
	limited := func(s *core.Shoot) { s.Spec.SecretBindingName = ptr.To("limited") }
	t.Run("ADM-20 all shoots together stay within the quota and end in time", func(t *testing.T) {
		first := create(t, newShoot(p, profile, limited)) // 2 machines with 2 CPUs
		if first.Annotations["shoot.gardener.cloud/expiration-timestamp"] == "" {
			t.Errorf("annotations are %v", first.Annotations)
		}
		wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile, limited)), http.StatusForbidden, "cpu: 4 wanted, 4 used by other shoots, 6 allowed")
		merge(t, first, `{"spec":{"provider":{"workers":[{"name":"local","machine":{"type":"local"},"minimum":1,"maximum":3}]}}}`)
	})
}

func TestExposureClass(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	create(t, &core.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "inside"}, Handler: "inside", Scheduling: &core.ExposureClassScheduling{
		SeedSelector: &core.SeedSelector{LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"network": "inside"}}},
		Tolerations:  []core.Toleration{{Key: "inside"}},
	}})
	merge(t, p, `{"spec":{"tolerations":{"whitelist":[{"key":"inside"}]}}}`)
	settle()
	t.Run("ADM-6 a shoot takes over what its class demands", func(t *testing.T) {
		s := create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.ExposureClassName = ptr.To("inside") }))
		if s.Spec.SeedSelector == nil || s.Spec.SeedSelector.MatchLabels["network"] != "inside" || len(s.Spec.Tolerations) != 1 {
			t.Errorf("selector %v, tolerations %v", s.Spec.SeedSelector, s.Spec.Tolerations)
		}
	})
}

func TestPlants(t *testing.T) {
	p := project(t)
	plant := func(name string) *core.Plant {
		return &core.Plant{ObjectMeta: metav1.ObjectMeta{Namespace: *p.Spec.Namespace, Name: name}, Spec: core.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: "local"}}}
	}
	t.Run("ADM-9 a plant tells who created it", func(t *testing.T) {
		if got := create(t, plant("a")).Annotations["gardener.cloud/created-by"]; got != "admin" {
			t.Errorf("creator is %q", got)
		}
	})
	t.Run("ADM-9 ADM-27 a project that is being deleted takes no plants and no shoots", func(t *testing.T) {
		profile := cloudProfile(t)
		merge(t, p, `{"metadata":{"finalizers":["test.example.org/hold"],"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
		if err := admin(t).Delete(t.Context(), p.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		settle()
		wantStatus(t, admin(t).Create(t.Context(), plant("b")), http.StatusForbidden, "is being deleted")
		wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile)), http.StatusUnprocessableEntity, "is being deleted")
	})
}
