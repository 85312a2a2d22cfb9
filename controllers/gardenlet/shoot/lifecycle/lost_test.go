package lifecycle

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestTakenShoot has a gardenlet with a cache that does not know yet that another seed has taken a shoot.
func TestTakenShoot(t *testing.T) {
	for name, taken := range map[string]func(*gardencorev1beta1.ShootStatus){
		"MIG-20 a late gardenlet does not write to a shoot that is taken": func(s *gardencorev1beta1.ShootStatus) {
			s.SeedName, s.LastOperation.State = nil, gardencorev1beta1.LastOperationStateAborted
		},
		"MIG-20 nor to one that is restored by now": func(s *gardencorev1beta1.ShootStatus) {
			s.SeedName, s.LastOperation.Type = ptr.To("mars"), gardencorev1beta1.LastOperationTypeRestore
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFailing(t)
			f.change(func(s *gardencorev1beta1.Shoot) {
				s.Spec.SeedName, s.Finalizers = ptr.To("mars"), []string{"gardener"}
			})
			write := func(change func(*gardencorev1beta1.ShootStatus)) {
				t.Helper()
				shoot := f.shoot()
				change(&shoot.Status)
				if err := f.garden.Status().Update(t.Context(), shoot); err != nil {
					t.Fatal(err)
				}
			}
			write(func(s *gardencorev1beta1.ShootStatus) {
				s.SeedName, s.ObservedGeneration, s.Gardener.Version = ptr.To("earth"), 1, version
				s.LastOperation = &gardencorev1beta1.LastOperation{Type: "Migrate", State: "Processing", LastUpdateTime: metav1.NewTime(now)}
			})
			f.setSeed("mars", gardencorev1beta1.SeedStatus{
				Conditions:    []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}},
				LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
			})
			cached := f.shoot()
			f.r.Garden = interceptor.NewClient(f.garden.(client.WithWatch), interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
					if shoot, is := object.(*gardencorev1beta1.Shoot); is {
						cached.DeepCopyInto(shoot)
						return nil
					}
					return c.Get(ctx, key, object, options...)
				},
			})
			write(taken)
			want := f.shoot()
			if _, retried := f.run(time.Minute); retried {
				t.Error("it looks again, although the shoot is not on its seed")
			}
			if diff := cmp.Diff(want, f.shoot()); diff != "" {
				t.Errorf("shoot (-want +got):\n%s", diff)
			}
		})
	}
}
