package integration

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

func TestExpiredAndPreviewVersions(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	existing := create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.35.9" }))
	merge(t, profile, `{"spec":{"kubernetes":{"versions":[
		{"version":"1.36.3"},{"version":"1.36.10","classification":"preview"},{"version":"1.36.2","expirationDate":"2020-01-01T00:00:00Z"},
		{"version":"1.35.9","expirationDate":"2020-01-01T00:00:00Z"},{"version":"1.35.10","classification":"preview"}]},
		"machineImages":[{"name":"local","versions":[{"version":"1.0.0","expirationDate":"2020-01-01T00:00:00Z"},{"version":"1.2.0"},{"version":"1.3.0","classification":"preview"}]}]}}`)
	settle()
	try := func(version, image string) (*core.Shoot, error) {
		s := newShoot(p, profile, func(s *core.Shoot) {
			s.Spec.Kubernetes.Version = version
			if image != "" {
				s.Spec.Provider.Workers[0].Machine.Image = &core.ShootMachineImage{Name: "local", Version: ptr.To(image)}
			}
		})
		return s, admin(t).Create(t.Context(), s, client.DryRunAll)
	}
	t.Run("ADM-24 an expired version is refused", func(t *testing.T) {
		_, err := try("1.36.2", "")
		wantStatus(t, err, http.StatusUnprocessableEntity, `spec.kubernetes.version: Unsupported value: "1.36.2"`)
	})
	t.Run("ADM-24 a version that never was is refused", func(t *testing.T) {
		_, err := try("1.36.99", "")
		wantStatus(t, err, http.StatusUnprocessableEntity, `spec.kubernetes.version: Unsupported value: "1.36.99"`)
	})
	t.Run("ADM-26 a minor of previews and expired versions has nothing to choose", func(t *testing.T) {
		_, err := try("1.35", "")
		wantStatus(t, err, http.StatusUnprocessableEntity, "no supported version to choose")
	})
	t.Run("ADM-26 a preview is taken when it is spelled out, and not otherwise", func(t *testing.T) {
		for wanted, got := range map[string]string{"1.36": "1.36.3", "1.36.10": "1.36.10"} {
			s, err := try(wanted, "")
			if err != nil || s.Spec.Kubernetes.Version != got || ptr.Deref(s.Spec.Provider.Workers[0].Machine.Image.Version, "") != "1.2.0" {
				t.Errorf("%s became %s with image %+v, error %v", wanted, s.Spec.Kubernetes.Version, s.Spec.Provider.Workers[0].Machine.Image, err)
			}
		}
		if _, err := try("1.36.3", "1.3.0"); err != nil {
			t.Errorf("a preview of an image: %v", err)
		}
	})
	t.Run("ADM-24 an expired image is refused", func(t *testing.T) {
		_, err := try("1.36.3", "1.0.0")
		wantStatus(t, err, http.StatusUnprocessableEntity, `spec.provider.workers[0].machine.image.version: Unsupported value: "1.0.0"`)
	})
	t.Run("ADM-24 what has expired stays where it is, but does not come back", func(t *testing.T) {
		merge(t, existing, `{"spec":{"purpose":"testing"}}`)
		wantStatus(t, tryMerge(t, admin(t), existing.DeepCopy(), `{"spec":{"kubernetes":{"version":"1.36.2"}}}`), http.StatusUnprocessableEntity, "spec.kubernetes.version")
	})
}

func TestForeignReferences(t *testing.T) {
	mine, theirs := project(t), project(t)
	namespace, foreign := *mine.Spec.Namespace, *theirs.Spec.Namespace
	create(t, &core.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: foreign, Name: "q"}, Spec: core.QuotaSpec{
		Metrics: corev1.ResourceList{}, Scope: corev1.ObjectReference{APIVersion: core.SchemeGroupVersion.String(), Kind: "Project"},
	}})
	member := user(t, "foreign", namespace, "gardener.cloud:system:project-member-aggregation")
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{core.GroupName, security.GroupName}, Resources: []string{"secretbindings", "credentialsbindings"}, Verbs: []string{"create"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
	}})
	user(t, "foreign", namespace, "foreign")
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "foreign"}
	local := &core.SecretBindingProvider{Type: "local"}
	for name, tc := range map[string]struct {
		object client.Object
		part   string
	}{
		"ADM-12 a secret of another project": {&core.SecretBinding{ObjectMeta: meta, Provider: local, SecretRef: corev1.SecretReference{Namespace: foreign, Name: "local"}}, "may not read secrets " + foreign + "/local"},
		"ADM-12 a secret of another project that does not exist looks the same": {
			&core.SecretBinding{ObjectMeta: meta, Provider: local, SecretRef: corev1.SecretReference{Namespace: foreign, Name: "missing"}}, "may not read secrets " + foreign + "/missing"},
		"ADM-12 a quota of another project": {&core.SecretBinding{ObjectMeta: meta, Provider: local, SecretRef: corev1.SecretReference{Namespace: namespace, Name: "local"},
			Quotas: []corev1.ObjectReference{{Namespace: foreign, Name: "q"}}}, "may not read quotas " + foreign + "/q"},
		"ADM-12 credentials of another project": {&security.CredentialsBinding{ObjectMeta: meta, Provider: security.CredentialsBindingProvider{Type: "local"},
			CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: foreign, Name: "local"}}, "may not read secrets " + foreign + "/local"},
		"ADM-12 an identity of another project": {&security.CredentialsBinding{ObjectMeta: meta, Provider: security.CredentialsBindingProvider{Type: "local"},
			CredentialsRef: corev1.ObjectReference{APIVersion: "security.gardener.cloud/v1alpha1", Kind: "WorkloadIdentity", Namespace: foreign, Name: "w"}}, "may not read workloadidentities " + foreign + "/w"},
	} {
		t.Run(name, func(t *testing.T) {
			wantStatus(t, member.Create(t.Context(), tc.object), http.StatusUnprocessableEntity, tc.part)
		})
	}
	t.Run("ADM-12 what is the member's own can be referred to", func(t *testing.T) {
		b := &core.SecretBinding{ObjectMeta: meta, Provider: local, SecretRef: corev1.SecretReference{Namespace: namespace, Name: "local"}}
		if err := member.Create(t.Context(), b, client.DryRunAll); err != nil {
			t.Error(err)
		}
	})
}

// writers is how many clients write at once.
const writers = 8

func TestConcurrentUpdates(t *testing.T) {
	c := admin(t)
	together := func(write func(i int) error) []error {
		var wait sync.WaitGroup
		errs := make([]error, writers)
		for i := range writers {
			wait.Go(func() { errs[i] = write(i) })
		}
		wait.Wait()
		return errs
	}
	t.Run("API-1 of updates of one version exactly one succeeds, the others conflict", func(t *testing.T) {
		s := shoot(t)
		done := 0
		for _, err := range together(func(i int) error {
			mine := s.DeepCopy()
			mine.Labels["writer"] = fmt.Sprint(i)
			return c.Update(t.Context(), mine)
		}) {
			switch {
			case err == nil:
				done++
			case !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "modified"):
				t.Errorf("got %v, want a conflict", err)
			}
		}
		if done != 1 {
			t.Errorf("%d updates succeeded", done)
		}
	})
	t.Run("API-1 patches of different fields do not get lost", func(t *testing.T) {
		s := shoot(t)
		for i, err := range together(func(i int) error {
			return c.Patch(t.Context(), s.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(fmt.Sprintf(`{"metadata":{"labels":{"writer-%d":"yes"}}}`, i))))
		}) {
			if err != nil {
				t.Errorf("patch %d: %v", i, err)
			}
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
			t.Fatal(err)
		}
		for i := range writers {
			if s.Labels[fmt.Sprintf("writer-%d", i)] != "yes" {
				t.Errorf("what writer %d wrote is lost: %v", i, s.Labels)
			}
		}
	})
	t.Run("API-1 of creations of one name exactly one succeeds", func(t *testing.T) {
		s := newShoot(project(t), cloudProfile(t))
		t.Cleanup(func() { remove(t, c, s.DeepCopy()) })
		done := 0
		for _, err := range together(func(int) error { return c.Create(t.Context(), s.DeepCopy()) }) {
			switch {
			case err == nil:
				done++
			case !apierrors.IsAlreadyExists(err):
				t.Errorf("got %v, want already exists", err)
			}
		}
		if done != 1 {
			t.Errorf("%d creations succeeded", done)
		}
	})
}
