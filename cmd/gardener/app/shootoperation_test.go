package app

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestOperated(t *testing.T) {
	shoot := func(state gardencorev1beta1.LastOperationState, observed int64, operation string) *gardencorev1beta1.Shoot {
		return &gardencorev1beta1.Shoot{
			ObjectMeta: metav1.ObjectMeta{Generation: 2, Annotations: map[string]string{constants.GardenerOperation: operation}},
			Status: gardencorev1beta1.ShootStatus{
				ObservedGeneration: observed, LastOperation: &gardencorev1beta1.LastOperation{State: state},
				LastErrors: []gardencorev1beta1.LastError{{Description: "boom"}},
			},
		}
	}
	for name, tc := range map[string]struct {
		shoot   *gardencorev1beta1.Shoot
		reached bool
		problem string
	}{
		"CAR-1 nobody has begun the operation": {shoot: shoot("Succeeded", 2, "rotate-ca-start")},
		"CAR-1 the new generation is not seen": {shoot: shoot("Succeeded", 1, "")},
		"CAR-1 the operation goes on":          {shoot: shoot("Processing", 2, "")},
		"CAR-1 the operation is tried again":   {shoot: shoot("Error", 2, "")},
		"CAR-1 the operation has succeeded":    {shoot: shoot("Succeeded", 2, ""), reached: true},
		"CAR-1 the operation has failed":       {shoot: shoot("Failed", 2, "")},
		"GLT-37 the shoot was deleted":         {problem: "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			reached, _, err := operated(types.NamespacedName{Namespace: "garden-sky", Name: "sun"}).reached(t.Context(), tc.shoot)
			if reached != tc.reached || (err != nil) != (tc.problem != "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%v, %v", reached, err)
			}
		})
	}
}

func TestWordsForRotations(t *testing.T) {
	for args, says := range map[string]string{
		"":                      `the rotation of "all" has two phases`,
		"--of nonsense --start": `unknown credentials "nonsense"`,
		"--start --complete":    "--complete and --start exclude each other",
		"--of etcd-encryption-key --without-workers-rollout": "replaces no nodes",
	} {
		t.Run("CAR-1 "+args, func(t *testing.T) {
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetArgs(append([]string{"--state-dir", t.TempDir(), "shoot", "rotate", "sun"}, strings.Fields(args)...))
			if code := report(root.Execute(), newDisplay(), &out); code != codeUsage || !strings.Contains(out.String(), says) {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
}

func TestOperateAfterConflicts(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	key := types.NamespacedName{Namespace: "garden-sky", Name: "sun"}
	conflicts := 1
	garden := interceptor.NewClient(
		fake.NewClientBuilder().WithScheme(scheme).WithObjects(&gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}).Build(),
		interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if conflicts > 0 {
				conflicts--
				return apierrors.NewConflict(gardencorev1beta1.Resource("shoots"), key.Name, errors.New("the object has been modified"))
			}
			return c.Patch(ctx, object, patch, options...)
		}})
	t.Run("APP-35 a controller that writes at the same time does no harm", func(t *testing.T) {
		if err := operate(t.Context(), garden, key, "retry", nil, &rehearsal{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("GLT-38 no other operation is replaced", func(t *testing.T) {
		if err := operate(t.Context(), garden, key, "maintain", nil, &rehearsal{}); err == nil || !strings.Contains(err.Error(), `waits for the operation "retry"`) {
			t.Errorf("the error is %v", err)
		}
	})
}
