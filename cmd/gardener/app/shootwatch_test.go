package app

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

var sun = types.NamespacedName{Namespace: "garden-sky", Name: "sun"}

// watchSun waits for the goal with an answer of the garden for each look at the shoot, and returns what the command prints.
func watchSun(ctx context.Context, timeout time.Duration, until goal, look func(*gardencorev1beta1.Shoot) error) (printed string, code int) {
	garden := interceptor.NewClient(fake.NewClientBuilder().WithScheme(gardenScheme()).Build(), interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, object client.Object, _ ...client.GetOption) error {
			return look(object.(*gardencorev1beta1.Shoot))
		},
	})
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := shootWatch{key: sun, timeout: timeout, until: until, display: newDisplay()}.run(cmd, garden)
	code = report(err, newDisplay(), &out)
	return out.String(), code
}

func TestWaitsEndWithOperations(t *testing.T) {
	failed := func(change func(*gardencorev1beta1.Shoot)) gardencorev1beta1.Shoot {
		shoot := gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: sun.Namespace, Name: sun.Name, Generation: 2}}
		shoot.Status.ObservedGeneration, shoot.Spec.SeedName = 2, new("two")
		shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Create", State: "Failed", Progress: 45, Description: "no quota"}
		shoot.Status.LastErrors = []gardencorev1beta1.LastError{{Description: "no quota"}}
		if change != nil {
			change(&shoot)
		}
		return shoot
	}
	goesOn := func(goal string) string { return "error: shoot garden-sky/sun is not " + goal + " after 10ms: " }
	for name, tc := range map[string]struct {
		until goal
		shoot gardencorev1beta1.Shoot
		want  string
	}{
		"GLT-37 the operation has failed for good": {usable(nil, sun), failed(nil),
			"error: shoot garden-sky/sun: Create Failed (45%): no quota (GRD-100)\nhint:  cure the reason, then: gardener shoot retry garden-sky/sun\n"},
		"GLT-37 the operation after a command has failed": {operated(sun), failed(nil),
			"error: shoot garden-sky/sun: Create Failed (45%): no quota (GRD-100)\nhint:  cure the reason, then: gardener shoot retry garden-sky/sun\n"},
		"GLT-37 the deletion has failed": {gone(sun), failed(func(s *gardencorev1beta1.Shoot) {
			s.DeletionTimestamp, s.Status.LastOperation.Type = &metav1.Time{Time: time.Now()}, "Delete"
		}), "error: shoot garden-sky/sun: Delete Failed (45%): no quota (GRD-100)\nhint:  cure the reason, then: gardener shoot retry garden-sky/sun\n"},
		"GLT-37 the operation before a deletion has failed": {gone(sun), failed(func(s *gardencorev1beta1.Shoot) { s.DeletionTimestamp = &metav1.Time{Time: time.Now()} }),
			"  Create Failed (45%)  no quota\n" + goesOn("gone") + "Create Failed (45%): no quota (GRD-500)\nhint:  the garden goes on with it; see how it is with: gardener shoot describe garden-sky/sun\n"},
		"GLT-37 the operation before a retry has failed": {operated(sun), failed(func(s *gardencorev1beta1.Shoot) { s.Generation = 3 }),
			"  Create Failed (45%)  no quota\n" + goesOn("done") + "Create Failed (45%): no quota (GRD-500)\nhint:  the garden goes on with it; see how it is with: gardener shoot describe garden-sky/sun\n"},
		"GLT-37 the next operation is asked for": {usable(nil, sun), failed(func(s *gardencorev1beta1.Shoot) {
			s.Annotations = map[string]string{constants.GardenerOperation: "rotate-ca-start"}
		}), "  Create Failed (45%)  no quota\n" + goesOn("ready") + "Create Failed (45%): no quota (GRD-500)\nhint:  the garden goes on with it; see how it is with: gardener shoot describe garden-sky/sun\n"},
		"GLT-37 an operation that is tried again": {usable(nil, sun), failed(func(s *gardencorev1beta1.Shoot) {
			s.Status.LastOperation.State, s.Status.LastOperation.Description = "Error", "no quota Operation will be retried."
			s.Status.LastErrors = append(s.Status.LastErrors, gardencorev1beta1.LastError{Description: "no seed"})
		}), "  Create Error (45%)  no quota Operation will be retried.\n    no seed\n" + goesOn("ready") +
			"Create Error (45%): no quota Operation will be retried.: no seed (GRD-500)\nhint:  the garden goes on with it; see how it is with: gardener shoot describe garden-sky/sun\n"},
	} {
		t.Run(name, func(t *testing.T) {
			printed, _ := watchSun(t.Context(), 10*time.Millisecond, tc.until, func(s *gardencorev1beta1.Shoot) error { *s = *tc.shoot.DeepCopy(); return nil })
			if diff := cmp.Diff(tc.want, printed); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWaitsThatEndWithoutShoot(t *testing.T) {
	missing := apierrors.NewNotFound(gardencorev1beta1.Resource("shoots"), sun.Name)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx  context.Context
		err  error
		want string
		code int
	}{
		"GLT-37 there is no shoot":          {t.Context(), missing, "error: shoot garden-sky/sun does not exist (GRD-600)\nhint:  see \"gardener shoot list\"\n", codeNotFound},
		"GLT-37 there is no answer in time": {t.Context(), apierrors.NewServiceUnavailable("starting"), "error: shoot garden-sky/sun is not ready after 10ms: the garden has not answered: starting (GRD-500)\nhint:  the garden goes on with it; see how it is with: gardener shoot describe garden-sky/sun\n", codeTimeout},
		"APP-35 Ctrl-C says what goes on":   {ended, errors.New("read"), "interrupted\nhint:  the garden goes on with it; follow it with: gardener shoot wait garden-sky/sun\n", codeInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			printed, code := watchSun(tc.ctx, 10*time.Millisecond, usable(nil, sun), func(*gardencorev1beta1.Shoot) error { return tc.err })
			if diff := cmp.Diff(tc.want, printed); diff != "" || code != tc.code {
				t.Errorf("exit code %d, printed (-want +got):\n%s", code, diff)
			}
		})
	}
}

func TestInterruptedDeletion(t *testing.T) {
	t.Run("APP-35 Ctrl-C says how to see a deletion", func(t *testing.T) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		printed, _ := watchSun(ended, time.Minute, gone(sun), func(*gardencorev1beta1.Shoot) error { return nil })
		if want := "hint:  the garden goes on with it; follow it with: gardener shoot list -n garden-sky --watch\n"; !bytes.HasSuffix([]byte(printed), []byte(want)) {
			t.Errorf("printed %q", printed)
		}
	})
}

func TestGoalsThatAreNotReached(t *testing.T) {
	for goal, want := range map[string]string{"is ready": "is not ready", "sleeps": "does not sleep", "is on seed two": "is not on seed two"} {
		if got := notYet(goal); got != want {
			t.Errorf("GLT-37 the contrary of %q is %q, want %q", goal, got, want)
		}
	}
}
