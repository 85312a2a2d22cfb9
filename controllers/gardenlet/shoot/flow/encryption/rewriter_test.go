package encryption

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var errBoom = errors.New("boom")

// counting counts the patches of a client and lets those after a number fail; none for a negative number.
func counting(patches *atomic.Int64, fail int64) client.WithWatch {
	return interceptor.NewClient(cluster, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if n := patches.Add(1); fail >= 0 && n > fail {
				return errBoom
			}
			return c.Patch(ctx, object, patch, opts...)
		},
	})
}

func TestRewriter(t *testing.T) {
	all := []string{"secrets", "widgets.example.org"} // nobody defines the latter
	t.Run("CAR-14 every object is encrypted with the new key", func(t *testing.T) {
		s := newSecrets(t, 30)
		if got := s.withOldKey(); got != 30 {
			t.Fatalf("%d secrets have the old key before the test", got)
		}
		if err := (Rewriter{Client: cluster}).Label(t.Context(), all, "new-key"); err != nil {
			t.Fatal(err)
		}
		if old, done := s.withOldKey(), s.labelled("new-key"); old != 0 || done != 30 {
			t.Errorf("%d secrets have the old key, %d the label", old, done)
		}
	})
	t.Run("CAR-14 an interrupted run goes on where it was", func(t *testing.T) {
		s := newSecrets(t, 30)
		var first, second atomic.Int64
		if err := (Rewriter{Client: counting(&first, 12)}).Label(t.Context(), all, "resumed-key"); !errors.Is(err, errBoom) {
			t.Fatalf("error is %v", err)
		}
		done := s.labelled("resumed-key")
		if done == 0 || done == 30 {
			t.Fatalf("%d secrets are done after the interruption", done)
		}
		left := s.withOldKey()
		if err := (Rewriter{Client: counting(&second, -1)}).Label(t.Context(), all, "resumed-key"); err != nil {
			t.Fatal(err)
		}
		if got := s.withOldKey(); got != 0 || left == 0 {
			t.Errorf("%d secrets have the old key, %d before the second run", got, left)
		}
		if again := s.labelled("resumed-key"); again != 30 {
			t.Errorf("%d secrets have the label", again)
		}
	})
	t.Run("CAR-14 a label that a user sets keeps no object from the new key", func(t *testing.T) {
		s := newSecrets(t, 3, func(secret *corev1.Secret) {
			secret.Labels = map[string]string{"credentials.gardener.cloud/key-name": "guessed-key"}
		})
		rewriter := Rewriter{Client: cluster}
		if err := rewriter.Label(t.Context(), all, "guessed-key"); err != nil {
			t.Fatal(err)
		}
		if err := rewriter.Unlabel(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		if old, labelled := s.withOldKey(), s.labelled("guessed-key"); old != 0 || labelled != 0 {
			t.Errorf("%d secrets have the old key, %d the label", old, labelled)
		}
	})
	t.Run("CAR-14 immutable objects are encrypted anew, too", func(t *testing.T) {
		s := newSecrets(t, 1, func(secret *corev1.Secret) { secret.Immutable = ptr.To(true) })
		if err := (Rewriter{Client: cluster}).Label(t.Context(), all, "new-key"); err != nil || s.withOldKey() != 0 {
			t.Errorf("%d secrets have the old key, error %v", s.withOldKey(), err)
		}
	})
	t.Run("a webhook that takes the label away does not keep the flow busy for ever", func(t *testing.T) {
		newSecrets(t, 1)
		idle := interceptor.NewClient(cluster, interceptor.Funcs{
			Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
				return nil
			},
		})
		err := (Rewriter{Client: idle}).Label(t.Context(), all, "stubborn-key")
		if err == nil || !strings.Contains(err.Error(), "check the webhooks") {
			t.Errorf("error is %v", err)
		}
	})
}
