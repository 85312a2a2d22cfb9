package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestScheduling(t *testing.T) {
	t.Parallel()
	_, namespace := newProject(t, "sched")
	profile := create(t, newCloudProfile("sched", "sched"))
	secretBinding := binding(t, namespace)
	shoot := create(t, newShoot("s", namespace, "sched", "sched"))
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
		eventually(t, "finalizer", func(ctx context.Context) error {
			if _, err := get(ctx, profile); err != nil || len(profile.Finalizers) == 0 {
				return fmt.Errorf("no finalizer (%v)", err)
			}
			return nil
		})
		for _, err := range []error{garden.Delete(t.Context(), profile), garden.Delete(t.Context(), secretBinding)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := get(t.Context(), profile); err != nil {
			t.Fatal(err)
		}
		remove(t, shoot)
		eventually(t, "shoot", isGone(shoot))
		eventually(t, "cloud profile", isGone(profile))
		eventually(t, "secret binding", isGone(secretBinding))
	})
}
