package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const day = 24 * time.Hour

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }

// marked reports whether a project is known to be unused.
func marked(p *gardencorev1beta1.Project, want bool) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := get(ctx, p)
		if s := p.Status; err != nil || (s.StaleSinceTimestamp != nil) != want || (s.StaleAutoDeleteTimestamp != nil) != want {
			return fmt.Errorf("status %+v, %v", s, err)
		}
		return nil
	}
}

func TestStaleProject(t *testing.T) {
	t.Parallel()
	p, namespace := newProject(t, "stale")
	t.Run("API-12 GCM-9 GCM-10 GCM-11 an unused project is marked, and its deletion is announced", func(t *testing.T) {
		eventually(t, "marks", marked(p, true))
		if end := p.Status.StaleSinceTimestamp.Add(30 * day); !p.Status.StaleAutoDeleteTimestamp.Time.Equal(end) {
			t.Errorf("end %s, want %s", p.Status.StaleAutoDeleteTimestamp, end)
		}
	})
	t.Run("API-12 GCM-14 what lives for a moment only is activity, too", func(t *testing.T) {
		merge(t, p, `{"status":{"lastActivityTimestamp":"`+ago(3*day)+`"}}`, "status")
		before := time.Now().Add(-time.Second)
		secret := create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "short"}})
		if err := garden.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		eventually(t, "time of activity", func(ctx context.Context) error {
			if _, err := get(ctx, p); err != nil || p.Status.LastActivityTimestamp == nil || p.Status.LastActivityTimestamp.Time.Before(before.Truncate(time.Second)) {
				return fmt.Errorf("last activity %v, %v", p.Status.LastActivityTimestamp, err)
			}
			return nil
		})
	})
	create(t, newCloudProfile("stale", "stale"))
	binding(t, namespace)
	shoot := create(t, newShoot("s", namespace, "stale", "stale"))
	t.Run("GCM-9 GCM-10 a shoot takes the marks away", func(t *testing.T) { eventually(t, "no marks", marked(p, false)) })
	t.Run("GCM-10 without it they come back", func(t *testing.T) {
		remove(t, shoot)
		eventually(t, "marks", marked(p, true))
	})
	t.Run("GCM-9 a plant is use, too", func(t *testing.T) {
		plant := create(t, &gardencorev1beta1.Plant{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "p"}, Spec: gardencorev1beta1.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: "x"}},
		})
		eventually(t, "no marks", marked(p, false))
		remove(t, plant)
		eventually(t, "marks", marked(p, true))
	})
}

func TestLentCredentials(t *testing.T) {
	t.Parallel()
	lender, lending := newProject(t, "lender")
	_, namespace := newProject(t, "borrower")
	create(t, newCloudProfile("lent", "lent"))
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: lending, Name: "lent"}})
	create(t, &gardencorev1beta1.SecretBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "local"}, Provider: &gardencorev1beta1.SecretBindingProvider{Type: "local"},
		SecretRef: corev1.SecretReference{Namespace: lending, Name: "lent"},
	})
	t.Run("GCM-9 a binding that no shoot uses is no use", func(t *testing.T) { eventually(t, "marks", marked(lender, true)) })
	shoot := create(t, newShoot("s", namespace, "lent", "lent"))
	t.Run("GCM-9 credentials that a shoot of another project uses are use", func(t *testing.T) {
		eventually(t, "no marks", marked(lender, false))
		remove(t, shoot)
		eventually(t, "marks", marked(lender, true))
	})
}

func TestExemptProject(t *testing.T) {
	t.Parallel()
	p, name := newProject(t, "exempt")
	eventually(t, "marks", marked(p, true))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	t.Run("GCM-13 an annotation of the namespace takes the marks away", func(t *testing.T) {
		merge(t, namespace, `{"metadata":{"annotations":{"project.gardener.cloud/skip-stale-check":"true"}}}`)
		eventually(t, "no marks", marked(p, false))
	})
	t.Run("GCM-13 without it they come back", func(t *testing.T) {
		merge(t, namespace, `{"metadata":{"annotations":{"project.gardener.cloud/skip-stale-check":null}}}`)
		eventually(t, "marks", marked(p, true))
	})
}

func TestExpiredProject(t *testing.T) {
	t.Parallel()
	p, _ := newProject(t, "expired")
	eventually(t, "marks", marked(p, true))
	t.Run("GCM-12 an end that comes later than the configured one stays", func(t *testing.T) {
		later := time.Now().Add(60 * day).UTC().Format(time.RFC3339)
		merge(t, p, `{"status":{"staleAutoDeleteTimestamp":"`+later+`"}}`, "status")
		stays(t, time.Second, "end", func(ctx context.Context) error {
			if err := marked(p, true)(ctx); err != nil || p.Status.StaleAutoDeleteTimestamp.UTC().Format(time.RFC3339) != later {
				return fmt.Errorf("end %s, %v", p.Status.StaleAutoDeleteTimestamp, err)
			}
			return nil
		})
	})
	t.Run("GCM-11 when the end has come the project is deleted", func(t *testing.T) {
		merge(t, p, `{"status":{"staleSinceTimestamp":"`+ago(31*day)+`","staleAutoDeleteTimestamp":"`+ago(day)+`"}}`, "status")
		eventually(t, "terminating", inPhase(p, gardencorev1beta1.ProjectTerminating))
	})
}

func TestProjectQuota(t *testing.T) {
	t.Parallel()
	p := create(t, &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "limited", Labels: map[string]string{"limited": "true"}}})
	eventually(t, "project is ready", inPhase(p, gardencorev1beta1.ProjectReady))
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: *p.Spec.Namespace, Name: "gardener"}}
	holds := func(name corev1.ResourceName, amount string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, quota); err != nil {
				return err
			}
			if got := quota.Spec.Hard[name]; got.Cmp(resource.MustParse(amount)) != 0 {
				return fmt.Errorf("%s is limited to %s", name, got.String())
			}
			return nil
		}
	}
	t.Run("GCM-5 the namespace gets the quota that is configured", func(t *testing.T) {
		eventually(t, "quota", holds("count/secrets", "7"))
		if quota.Labels["size"] != "small" {
			t.Errorf("labels %v", quota.Labels)
		}
	})
	t.Run("GCM-6 a value that was changed by hand stays, one that is missing is added", func(t *testing.T) {
		merge(t, quota, `{"spec":{"hard":{"count/secrets":"2","count/configmaps":null}}}`)
		merge(t, p, `{"spec":{"description":"wakes the controller"}}`)
		eventually(t, "missing value", holds("count/configmaps", "9"))
		if err := holds("count/secrets", "2")(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GCM-5 a project that is not selected gets none", func(t *testing.T) {
		_, other := newProject(t, "unlimited")
		if err := isGone(&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: other, Name: "gardener"}})(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
