package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const operation = "gardener.cloud/operation"

// shootIs waits until the Shoot passes a check; otherwise it reports the result of the check.
func shootIs(t *testing.T, shoot *gardencorev1beta1.Shoot, what string, check func() (bool, any)) {
	t.Helper()
	eventually(t, what, func(ctx context.Context) error {
		*shoot = gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: shoot.Namespace, Name: shoot.Name}}
		if _, err := get(ctx, shoot); err != nil {
			return err
		}
		if ok, seen := check(); !ok {
			return fmt.Errorf("saw %+v", seen)
		}
		return nil
	})
}

// finished makes a Shoot look as if a gardenlet had done an operation.
func finished(t *testing.T, shoot *gardencorev1beta1.Shoot, kind, state string, codes ...string) {
	t.Helper()
	lastErrors := "[]"
	if len(codes) > 0 {
		lastErrors = `[{"description":"x","codes":["` + strings.Join(codes, `","`) + `"]}]`
	}
	merge(t, shoot, fmt.Sprintf(`{"status":{"observedGeneration":%d,"lastErrors":%s,"lastOperation":{"type":%q,"state":%q,"progress":100,"description":"x","lastUpdateTime":%q}}}`,
		shoot.Generation, lastErrors, kind, state, ago(time.Hour)), "status")
}

// newShootOf creates a Shoot in a project of its own, with a profile of its own.
func newShootOf(t *testing.T, name string, change func(*gardencorev1beta1.Shoot)) *gardencorev1beta1.Shoot {
	t.Helper()
	_, namespace := newProject(t, name)
	create(t, newCloudProfile(name, name))
	binding(t, namespace)
	shoot := newShoot("s", namespace, name, name)
	shoot.Spec.SchedulerName = ptr.To("nobody")
	if change != nil {
		change(shoot)
	}
	return create(t, shoot)
}

func TestMaintenance(t *testing.T) {
	t.Parallel()
	_, namespace := newProject(t, "maint")
	profile := newCloudProfile("maint", "maint")
	profile.Spec.Kubernetes.Versions = []gardencorev1beta1.ExpirableVersion{{Version: "1.34.1"}, {Version: "1.34.3"}, {Version: "1.35.1"}, {Version: "1.36.3"}}
	create(t, profile)
	binding(t, namespace)
	shoot := newShoot("s", namespace, "maint", "maint")
	shoot.Spec.Kubernetes.Version, shoot.Spec.SchedulerName = "1.34.1", ptr.To("nobody") // the scheduler would report that there is no seed
	opposite := time.Now().UTC().Add(12 * time.Hour)
	shoot.Spec.Maintenance = &gardencorev1beta1.Maintenance{
		AutoUpdate: &gardencorev1beta1.MaintenanceAutoUpdate{KubernetesVersion: true, MachineImageVersion: ptr.To(true)},
		TimeWindow: &gardencorev1beta1.MaintenanceTimeWindow{Begin: opposite.Format("150405+0000"), End: opposite.Add(time.Hour).Format("150405+0000")},
	}
	create(t, shoot)
	finished(t, shoot, "Create", "Succeeded")
	version := func(want string) func() (bool, any) {
		return func() (bool, any) {
			return shoot.Spec.Kubernetes.Version == want, shoot.Spec.Kubernetes.Version
		}
	}
	t.Run("GLT-38 GCM-33 VER-5 maintain takes the newest patch now", func(t *testing.T) {
		merge(t, shoot, `{"metadata":{"annotations":{"gardener.cloud/operation":"maintain"}}}`)
		shootIs(t, shoot, "version", version("1.34.3"))
		shootIs(t, shoot, "annotation", func() (bool, any) { _, found := shoot.Annotations[operation]; return !found, shoot.Annotations })
		shootIs(t, shoot, "last maintenance", func() (bool, any) {
			last := shoot.Status.LastMaintenance
			return last != nil && last.State == "Succeeded" && strings.Contains(last.Description, "from 1.34.1 to 1.34.3 (automatic update)"), last
		})
	})
	t.Run("VER-9 events tell what was done and why", func(t *testing.T) {
		eventually(t, "events", func(ctx context.Context) error {
			list, seen := &eventsv1.EventList{}, map[string]string{}
			if err := garden.List(ctx, list, client.InNamespace(namespace)); err != nil {
				return err
			}
			for _, event := range list.Items {
				seen[event.Reason] = event.Note
			}
			for _, reason := range []string{"KubernetesVersionMaintenance", "MaintenanceDone"} {
				if !strings.Contains(seen[reason], "automatic update") {
					return fmt.Errorf("events %v", seen)
				}
			}
			return nil
		})
	})
	t.Run("GCM-33 VER-3 VER-4 in the window an expired version is left, whatever the user wants", func(t *testing.T) {
		merge(t, profile, `{"spec":{"kubernetes":{"versions":[{"version":"1.34.1"},{"version":"1.34.3","expirationDate":"`+ago(day)+`"},{"version":"1.35.1"},{"version":"1.36.3"}]}}}`)
		begin := time.Now().UTC().Add(-time.Minute) // after this, since yesterday's maintenance does not count
		merge(t, shoot, `{"status":{"lastMaintenance":{"description":"x","state":"Succeeded","triggeredTime":"`+ago(day)+`"}}}`, "status")
		merge(t, shoot, fmt.Sprintf(`{"spec":{"maintenance":{"autoUpdate":{"kubernetesVersion":false},"timeWindow":{"begin":%q,"end":%q}}}}`,
			begin.Format("150405+0000"), begin.Add(time.Hour).Format("150405+0000")))
		shootIs(t, shoot, "version", version("1.35.1"))
	})
	t.Run("VER-4 the next expired version waits for the next window", func(t *testing.T) {
		shootIs(t, shoot, "last maintenance", func() (bool, any) {
			last := shoot.Status.LastMaintenance
			return last != nil && strings.Contains(last.Description, "forced update"), last
		})
		merge(t, profile, `{"spec":{"kubernetes":{"versions":[{"version":"1.34.1"},{"version":"1.34.3"},{"version":"1.35.1","expirationDate":"`+ago(day)+`"},{"version":"1.36.3"}]}}}`)
		stays(t, time.Second, "version", func(ctx context.Context) error {
			if _, err := get(ctx, shoot); err != nil || shoot.Spec.Kubernetes.Version != "1.35.1" {
				return fmt.Errorf("version %s, %v", shoot.Spec.Kubernetes.Version, err)
			}
			return nil
		})
		merge(t, shoot, `{"status":{"lastMaintenance":{"description":"x","state":"Succeeded","triggeredTime":"`+ago(day)+`"}}}`, "status")
		merge(t, shoot, `{"metadata":{"annotations":{"gardener.cloud/operation":"maintain"}}}`)
		shootIs(t, shoot, "version", version("1.36.3"))
	})
	t.Run("GCM-33 what was put off to the window is started", func(t *testing.T) {
		finished(t, shoot, "Reconcile", "Succeeded")
		merge(t, shoot, `{"metadata":{"annotations":{"maintenance.gardener.cloud/operation":"rotate-ssh-keypair"}}}`)
		merge(t, shoot, `{"metadata":{"annotations":{"gardener.cloud/operation":"maintain"}}}`)
		shootIs(t, shoot, "operation", func() (bool, any) { return shoot.Annotations[operation] == "rotate-ssh-keypair", shoot.Annotations })
	})
}

func TestHibernationSchedule(t *testing.T) {
	t.Parallel()
	shoot := newShootOf(t, "hib", nil)
	// The API keeps the time of creation; the schedule is made for the minute that began before it.
	soon := time.Now().UTC().Add(2 * time.Second)
	merge(t, shoot, `{"status":{"lastHibernationTriggerTime":"`+ago(90*time.Minute)+`"}}`, "status")
	hour := soon.Add(-time.Hour)
	merge(t, shoot, fmt.Sprintf(`{"spec":{"hibernation":{"schedules":[{"start":"%d %d * * *"}]}}}`, hour.Minute(), hour.Hour()))
	t.Run("GCM-34 the start of a schedule that was missed hibernates", func(t *testing.T) {
		shootIs(t, shoot, "enabled", func() (bool, any) {
			h := shoot.Spec.Hibernation
			return h != nil && ptr.Deref(h.Enabled, false) && shoot.Status.LastHibernationTriggerTime.Time.After(time.Now().Add(-80*time.Minute)), shoot.Status.LastHibernationTriggerTime
		})
	})
	t.Run("GCM-34 what the user decides afterwards stays", func(t *testing.T) {
		merge(t, shoot, `{"spec":{"hibernation":{"enabled":false}}}`)
		stays(t, time.Second, "hibernation", func(ctx context.Context) error {
			if _, err := get(ctx, shoot); err != nil || ptr.Deref(shoot.Spec.Hibernation.Enabled, false) {
				return fmt.Errorf("hibernation %+v, %v", shoot.Spec.Hibernation, err)
			}
			return nil
		})
	})
}

func TestTrial(t *testing.T) {
	t.Parallel()
	const expiration = "shoot.gardener.cloud/expiration-timestamp"
	shoot := newShootOf(t, "trial", nil)
	quota := create(t, &gardencorev1beta1.Quota{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot.Namespace, Name: "q"},
		Spec:       gardencorev1beta1.QuotaSpec{ClusterLifetimeDays: ptr.To[int32](3), Metrics: corev1.ResourceList{}, Scope: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret"}},
	})
	create(t, &gardencorev1beta1.SecretBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: shoot.Namespace, Name: "trial"}, Provider: &gardencorev1beta1.SecretBindingProvider{Type: "local"},
		SecretRef: corev1.SecretReference{Namespace: shoot.Namespace, Name: "local"}, Quotas: []corev1.ObjectReference{{Namespace: quota.Namespace, Name: quota.Name}},
	})
	trial := newShoot("t", shoot.Namespace, "trial", "trial")
	trial.Spec.SecretBindingName = ptr.To("trial")
	create(t, trial)
	ends := func(want time.Time) func() (bool, any) {
		return func() (bool, any) {
			return trial.Annotations[expiration] == want.UTC().Format(time.RFC3339), trial.Annotations[expiration]
		}
	}
	t.Run("GCM-35 a limited shoot knows its end, another has none", func(t *testing.T) {
		shootIs(t, trial, "end", func() (bool, any) { return ends(trial.CreationTimestamp.Add(3 * day))() })
		if _, err := get(t.Context(), shoot); err != nil || shoot.Annotations[expiration] != "" {
			t.Errorf("annotations %v, %v", shoot.Annotations, err)
		}
	})
	t.Run("GCM-35 a user may put the end off, but not too far", func(t *testing.T) {
		later := time.Now().Add(2*day + 23*time.Hour).Truncate(time.Second)
		merge(t, trial, `{"metadata":{"annotations":{"`+expiration+`":"`+later.UTC().Format(time.RFC3339)+`"}}}`)
		shootIs(t, trial, "end", ends(later))
		tooLate := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+expiration+`":"`+ago(-4*day)+`"}}}`))
		if err := garden.Patch(t.Context(), trial.DeepCopy(), tooLate); err == nil {
			t.Error("an end too far away was accepted")
		}
	})
	t.Run("GCM-35 when the end has come the shoot is deleted", func(t *testing.T) {
		merge(t, trial, `{"metadata":{"annotations":{"`+expiration+`":"`+ago(time.Minute)+`"}}}`)
		eventually(t, "shoot", isGone(trial))
	})
	t.Run("GCM-35 a shoot that is limited later learns its end, and forgets it with the limit", func(t *testing.T) {
		merge(t, quota, `{"spec":{"clusterLifetimeDays":null}}`)
		another := newShoot("u", shoot.Namespace, "trial", "trial")
		another.Spec.SecretBindingName = ptr.To("trial")
		create(t, another)
		shootIs(t, another, "no end", func() (bool, any) { return another.Annotations[expiration] == "", another.Annotations })
		merge(t, quota, `{"spec":{"clusterLifetimeDays":7}}`)
		shootIs(t, another, "end", func() (bool, any) {
			return another.Annotations[expiration] == another.CreationTimestamp.Add(7*day).UTC().Format(time.RFC3339), another.Annotations
		})
		merge(t, quota, `{"spec":{"clusterLifetimeDays":null}}`)
		shootIs(t, another, "no end", func() (bool, any) { return another.Annotations[expiration] == "", another.Annotations })
	})
}

func TestRetry(t *testing.T) {
	t.Parallel()
	shoot := newShootOf(t, "retry", nil)
	t.Run("GCM-18 a failure of another kind is left", func(t *testing.T) {
		finished(t, shoot, "Reconcile", "Failed", "ERR_INFRA_UNAUTHENTICATED")
		generation := shoot.Generation
		stays(t, 2*time.Second, "generation", func(ctx context.Context) error { // more than the period of these tests
			if _, err := get(ctx, shoot); err != nil || shoot.Generation != generation {
				return fmt.Errorf("generation %d, was %d, %v", shoot.Generation, generation, err)
			}
			return nil
		})
	})
	t.Run("GCM-18 one that was throttled is retried", func(t *testing.T) {
		generation := shoot.Generation
		finished(t, shoot, "Reconcile", "Failed", "ERR_INFRA_RATE_LIMITS_EXCEEDED")
		shootIs(t, shoot, "generation", func() (bool, any) { return shoot.Generation > generation, shoot.Generation })
	})
}

func TestReferences(t *testing.T) {
	t.Parallel()
	const finalizer = "gardener.cloud/reference-protection"
	_, namespace := newProject(t, "refs")
	create(t, newCloudProfile("refs", "refs"))
	binding(t, namespace)
	objects := map[string]client.Object{
		"dns":   create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "dns"}}),
		"other": create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "other"}}),
		"audit": create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "audit"}, Data: map[string]string{"policy": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]"}}),
	}
	protected := func(name string, want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			object, err := get(ctx, objects[name])
			if err != nil || strings.Contains(strings.Join(object.GetFinalizers(), " "), finalizer) != want {
				return fmt.Errorf("finalizers %v, %v", object.GetFinalizers(), err)
			}
			return nil
		}
	}
	shoot := newShoot("s", namespace, "refs", "refs")
	shoot.Spec.DNS = &gardencorev1beta1.DNS{Domain: ptr.To("refs.example.org"), Providers: []gardencorev1beta1.DNSProvider{{Primary: ptr.To(true), Type: ptr.To("local"), SecretName: ptr.To("dns")}}}
	shoot.Spec.Resources = []gardencorev1beta1.NamedResourceReference{{Name: "r", ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: "other"}}}
	shoot.Spec.Kubernetes.KubeAPIServer = &gardencorev1beta1.KubeAPIServerConfig{
		AuditConfig: &gardencorev1beta1.AuditConfig{AuditPolicy: &gardencorev1beta1.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "audit"}}},
	}
	create(t, shoot)
	t.Run("GCM-16 GCM-17 what a shoot refers to is protected, and so is the shoot", func(t *testing.T) {
		for name := range objects {
			eventually(t, name, protected(name, true))
		}
		shootIs(t, shoot, "finalizer", func() (bool, any) {
			return strings.Contains(strings.Join(shoot.Finalizers, " "), finalizer), shoot.Finalizers
		})
	})
	t.Run("GCM-16 a Secret in use cannot be deleted", func(t *testing.T) {
		if err := garden.Delete(t.Context(), objects["other"]); err != nil {
			t.Fatal(err)
		}
		if err := protected("other", true)(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GCM-17 with the reference the protection ends", func(t *testing.T) {
		merge(t, shoot, `{"spec":{"resources":null}}`)
		eventually(t, "secret", isGone(objects["other"]))
		if err := protected("dns", true)(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GCM-17 a deleted shoot releases all objects and is removed", func(t *testing.T) {
		remove(t, shoot)
		eventually(t, "shoot", isGone(shoot))
		eventually(t, "secret", protected("dns", false))
		eventually(t, "config map", protected("audit", false))
	})
}
