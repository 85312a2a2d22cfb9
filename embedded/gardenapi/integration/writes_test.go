package integration

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestGeneration(t *testing.T) {
	s := shoot(t)
	for _, step := range []struct {
		name        string
		patch       string
		subresource []string
		raised      bool
		operation   string
	}{
		{name: "a new label is not work", patch: `{"metadata":{"labels":{"a":"b"}}}`},
		{name: "API-38 a change of the spec is", patch: `{"spec":{"purpose":"testing"}}`, raised: true},
		{name: "reconcile is work and goes away", patch: `{"metadata":{"annotations":{"gardener.cloud/operation":"reconcile"}}}`, raised: true},
		{name: "retry of what has not failed goes away", patch: `{"metadata":{"annotations":{"gardener.cloud/operation":"retry"}}}`},
		{name: "a failed operation", patch: `{"status":{"lastOperation":{"type":"Create","state":"Failed","progress":1,"description":"d","lastUpdateTime":"2024-01-01T00:00:00Z"}}}`, subresource: []string{"status"}},
		{name: "retry of what has failed is work", patch: `{"metadata":{"annotations":{"gardener.cloud/operation":"retry"}}}`, raised: true},
		{name: "maintain is not work and stays", patch: `{"metadata":{"annotations":{"gardener.cloud/operation":"maintain"}}}`, operation: "maintain"},
		{name: "a succeeded operation", patch: `{"status":{"lastOperation":{"type":"Create","state":"Succeeded","progress":100,"description":"d","lastUpdateTime":"2024-01-01T00:00:00Z"}}}`, subresource: []string{"status"}, operation: "maintain"},
		{name: "API-38 a rotation is work and stays", patch: `{"metadata":{"annotations":{"gardener.cloud/operation":"rotate-ca-start"}}}`, raised: true, operation: "rotate-ca-start"},
		{name: "a rotation that is there already is not new", patch: `{"metadata":{"labels":{"a":"c"}}}`, operation: "rotate-ca-start"},
	} {
		before := s.Generation
		merge(t, s, step.patch, step.subresource...)
		if raised := s.Generation - before; (raised == 1) != step.raised || raised > 1 {
			t.Errorf("%s: generation went from %d to %d", step.name, before, s.Generation)
		}
		if got := s.Annotations[constants.GardenerOperation]; got != step.operation {
			t.Errorf("%s: operation is %q, want %q", step.name, got, step.operation)
		}
	}
}

func TestStatusIsSeparate(t *testing.T) {
	c, ctx := admin(t), t.Context()

	t.Run("create and update of the main endpoint leave the status alone", func(t *testing.T) {
		s := shoot(t, func(s *core.Shoot) { s.Status.TechnicalID = "mine" })
		if s.Status.TechnicalID != "" || s.Generation != 1 {
			t.Errorf("new shoot has technical ID %q and generation %d", s.Status.TechnicalID, s.Generation)
		}
		s.Status.TechnicalID = "mine"
		if err := c.Update(ctx, s); err != nil {
			t.Fatal(err)
		}
		if s.Status.TechnicalID != "" {
			t.Errorf("update wrote technical ID %q", s.Status.TechnicalID)
		}
	})
	t.Run("status leaves spec and metadata alone", func(t *testing.T) {
		s := shoot(t)
		merge(t, s, `{"metadata":{"labels":{"x":"y"}},"spec":{"region":"elsewhere"},"status":{"technicalID":"shoot--a--b"}}`, "status")
		if s.Labels["x"] != "" || s.Spec.Region != "local" || s.Status.TechnicalID != "shoot--a--b" || s.Generation != 1 {
			t.Errorf("got labels %v, region %q, technical ID %q, generation %d", s.Labels, s.Spec.Region, s.Status.TechnicalID, s.Generation)
		}
		if err := tryMerge(t, c, s, `{"status":{"technicalID":"shoot--a--c"}}`, "status"); err == nil && s.Status.TechnicalID != "shoot--a--b" {
			t.Errorf("technical ID became %q", s.Status.TechnicalID)
		}
	})
}

func TestUpdates(t *testing.T) {
	c, ctx := admin(t), t.Context()

	t.Run("the second of two concurrent updates conflicts", func(t *testing.T) {
		s := shoot(t)
		other := s.DeepCopy()
		s.Spec.Purpose = ptr.To(core.ShootPurposeTesting)
		if err := c.Update(ctx, s); err != nil {
			t.Fatal(err)
		}
		other.Spec.Purpose = ptr.To(core.ShootPurposeDevelopment)
		if err := c.Update(ctx, other); !apierrors.IsConflict(err) {
			t.Errorf("got %v, want a conflict", err)
		}
	})
	t.Run("an update without effect does not make a new version", func(t *testing.T) {
		s := shoot(t)
		before := s.ResourceVersion
		merge(t, s, `{"spec":{"purpose":"evaluation"}}`)
		if s.ResourceVersion != before {
			t.Errorf("version went from %s to %s", before, s.ResourceVersion)
		}
	})
	t.Run("shoots cannot be replaced without resourceVersion, projects can", func(t *testing.T) {
		s := shoot(t)
		s.ResourceVersion = ""
		wantStatus(t, c.Update(ctx, s), http.StatusUnprocessableEntity, "resourceVersion")
		p := project(t)
		p.ResourceVersion = ""
		if err := c.Update(ctx, p); err != nil {
			t.Errorf("project: %v", err)
		}
	})
	t.Run("PUT does not create", func(t *testing.T) {
		s := newShoot(project(t), cloudProfile(t))
		s.ResourceVersion = "1"
		if err := c.Update(ctx, s); !apierrors.IsNotFound(err) {
			t.Errorf("got %v, want not found", err)
		}
	})
	t.Run("server-side apply keeps the fields of others", func(t *testing.T) {
		s := shoot(t)
		merge(t, s, `{"metadata":{"labels":{"mine":"yes"}}}`)
		apply := client.RawPatch("application/apply-patch+yaml", []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"`+s.Name+`","labels":{"theirs":"yes"}}}`))
		if err := c.Patch(ctx, s, apply, client.FieldOwner("test")); err != nil { //nolint:staticcheck // the wire format is what matters
			t.Fatal(err)
		}
		if s.Labels["mine"] != "yes" || s.Labels["theirs"] != "yes" || s.Spec.Region != "local" {
			t.Errorf("got labels %v, region %q", s.Labels, s.Spec.Region)
		}
	})
	t.Run("text in an InternalSecret is stored as data", func(t *testing.T) {
		secret := create(t, &core.InternalSecret{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-", Namespace: "default"}, Type: corev1.SecretTypeOpaque, StringData: map[string]string{"a": "b"}})
		if string(secret.Data["a"]) != "b" || len(secret.StringData) != 0 {
			t.Errorf("got data %v and text %v", secret.Data, secret.StringData)
		}
	})
}

func TestBinding(t *testing.T) {
	c := admin(t)

	t.Run("a shoot is bound once, with a new generation and networks", func(t *testing.T) {
		target := seed(t, func(s *core.Seed) {
			s.Spec.Networks.ShootDefaults = &core.ShootNetworks{Pods: ptr.To("100.128.0.0/11")}
		})
		s := shoot(t) // is deleted before its seed
		merge(t, s, `{"status":{"lastOperation":{"type":"Create","state":"Pending","progress":0,"description":"no seed","lastUpdateTime":"2024-01-01T00:00:00Z"}}}`, "status")
		merge(t, s, `{"spec":{"seedName":"`+target.Name+`"}}`, "binding")
		if ptr.Deref(s.Spec.SeedName, "") != target.Name || s.Generation != 2 || s.Status.LastOperation != nil {
			t.Errorf("got seed %v, generation %d, last operation %v", s.Spec.SeedName, s.Generation, s.Status.LastOperation)
		}
		if n := s.Spec.Networking; ptr.Deref(n.Pods, "") != "100.128.0.0/11" || ptr.Deref(n.Services, "") != "100.64.0.0/13" {
			t.Errorf("API-24 pods %v, services %v", n.Pods, n.Services)
		}
		if s.Labels["name.seed.gardener.cloud/"+target.Name] != "true" {
			t.Errorf("labels are %v", s.Labels)
		}
		wantStatus(t, tryMerge(t, c, s.DeepCopy(), `{"spec":{"seedName":"`+target.Name+`"}}`, "binding"), 422, "already")
		wantStatus(t, tryMerge(t, c, s.DeepCopy(), `{"spec":{"seedName":null}}`, "binding"), 422, "seedName")
	})
	for name, tc := range map[string]struct {
		patch       string
		subresource []string
		part        string
	}{
		"binding changes nothing but the seed":      {`{"spec":{"seedName":"SEED","region":"elsewhere"}}`, []string{"binding"}, "only seedName"},
		"an unknown seed is refused":                {`{"spec":{"seedName":"nowhere"}}`, []string{"binding"}, "nowhere"},
		"ADM-27 the main endpoint keeps the seed":   {`{"spec":{"seedName":"SEED"}}`, nil, "shoots/binding"},
		"ADM-28 a tainted seed has to be tolerated": {`{"spec":{"seedName":"TAINTED"}}`, []string{"binding"}, "taints"},
	} {
		t.Run(name, func(t *testing.T) {
			s := shoot(t)
			plain, tainted := seed(t), seed(t, func(s *core.Seed) { s.Spec.Taints = []core.SeedTaint{{Key: "foo"}} })
			patch := replaceAll(tc.patch, "SEED", plain.Name, "TAINTED", tainted.Name)
			wantStatus(t, tryMerge(t, c, s, patch, tc.subresource...), 422, tc.part)
		})
	}
}
