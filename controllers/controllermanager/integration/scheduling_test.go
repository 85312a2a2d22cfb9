package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestScheduling(t *testing.T) {
	t.Parallel()
	_, namespace := newProject(t, "sched")
	profile := create(t, newCloudProfile("sched", "sched"))
	class := create(t, &gardencorev1beta1.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "sched"}, Handler: "sched"})
	quota := create(t, &gardencorev1beta1.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "sched"}, Spec: gardencorev1beta1.QuotaSpec{
		Metrics: corev1.ResourceList{"cpu": resource.MustParse("100")}, Scope: corev1.ObjectReference{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Project"},
	}})
	secretBinding := binding(t, namespace, corev1.ObjectReference{Namespace: namespace, Name: quota.Name})
	shoot := newShoot("s", namespace, "sched", "sched")
	shoot.Spec.ExposureClassName = &class.Name
	create(t, shoot)
	t.Run("SCH-11 SCH-16 a shoot without seed says why", func(t *testing.T) {
		eventually(t, "last operation", func(ctx context.Context) error {
			if _, err := get(ctx, shoot); err != nil {
				return err
			}
			last := shoot.Status.LastOperation
			if last == nil || last.Type != "Create" || last.State != "Pending" || !strings.HasPrefix(last.Description, "Failed to schedule Shoot: ") {
				return fmt.Errorf("last operation %+v", last)
			}
			return nil
		})
	})
	seed := create(t, newSeed("sched"))
	t.Run("ARC-5 SCH-1 SCH-3 a seed that becomes ready takes it at once, though its cluster cannot be reached", func(t *testing.T) {
		ready(t, seed)
		eventually(t, "seed name", func(ctx context.Context) error {
			if _, err := get(ctx, shoot); err != nil {
				return err
			}
			if shoot.Spec.SeedName == nil || *shoot.Spec.SeedName != "sched" {
				return fmt.Errorf("seed name %v, last operation %+v", shoot.Spec.SeedName, shoot.Status.LastOperation)
			}
			return nil
		})
	})
	t.Run("GCM-36 what the shoot uses cannot be deleted before it", func(t *testing.T) {
		used := []client.Object{profile, secretBinding, quota, class}
		for _, object := range used {
			eventually(t, "finalizer", func(ctx context.Context) error {
				if _, err := get(ctx, object); err != nil || !slices.Contains(object.GetFinalizers(), "gardener") {
					return fmt.Errorf("finalizers of %T are %v (%v)", object, object.GetFinalizers(), err)
				}
				return nil
			})
			if err := garden.Delete(t.Context(), object); err != nil {
				t.Fatalf("delete %T: %v", object, err)
			}
		}
		stays(t, time.Second, "in use", func(ctx context.Context) error {
			for _, object := range used {
				if _, err := get(ctx, object); err != nil {
					return fmt.Errorf("%T: %w", object, err)
				}
			}
			return nil
		})
		remove(t, shoot)
		eventually(t, "shoot", isGone(shoot))
		for _, object := range used {
			eventually(t, "no longer used", isGone(object))
		}
	})
}
