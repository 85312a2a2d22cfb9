package rotation

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func seed(name, operation string) *gardencorev1beta1.Seed {
	s := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if operation != "" {
		s.Annotations = map[string]string{constants.GardenerOperation: operation}
	}
	return s
}

// garden is a client of a garden whose gardenlets do at once what they are asked for, except those that are named.
func garden(t *testing.T, lame []string, seeds ...client.Object) (client.Client, func() []string) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(seeds...).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := c.Patch(ctx, object, patch, options...); err != nil {
				return err
			}
			mu.Lock()
			asked = append(asked, object.GetName()+" "+object.GetAnnotations()[constants.GardenerOperation])
			mu.Unlock()
			if slices.Contains(lame, object.GetName()) {
				return nil
			}
			done := seed(object.GetName(), "")
			return c.Patch(ctx, done, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"gardener.cloud/operation":null}}}`)))
		},
	}).Build()
	return c, func() []string { mu.Lock(); defer mu.Unlock(); return asked }
}

func TestAskSeeds(t *testing.T) {
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	t.Run("OPR-30 a retry asks only Seeds that were not asked", func(t *testing.T) {
		virtual, asked := garden(t, []string{"one"}, seed("one", ""), seed("two", ""))
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			err := (Users{Virtual: virtual}).AskSeeds(ctx, "renew-kubeconfig", began)
			cancel()
			if err == nil || !strings.Contains(err.Error(), `Seed "one"`) {
				t.Errorf("error %v", err)
			}
		}
		if got := asked(); !slices.Equal(got, []string{"one renew-kubeconfig", "two renew-kubeconfig"}) {
			t.Errorf("asked %v", got)
		}
		done := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"gardener.cloud/operation":null}}}`))
		if err := virtual.Patch(t.Context(), seed("one", ""), done); err != nil {
			t.Fatal(err)
		}
		if err := (Users{Virtual: virtual}).AskSeeds(t.Context(), "renew-kubeconfig", began); err != nil {
			t.Errorf("all have done it: %v", err)
		}
	})
	t.Run("OPR-30 all Seeds are annotated once, and waited for", func(t *testing.T) {
		virtual, asked := garden(t, nil, seed("one", ""), seed("two", ""))
		if err := (Users{Virtual: virtual}).AskSeeds(t.Context(), "renew-garden-access-secrets", began); err != nil {
			t.Fatal(err)
		}
		if got := asked(); !slices.Equal(got, []string{"one renew-garden-access-secrets", "two renew-garden-access-secrets"}) {
			t.Errorf("asked %v", got)
		}
	})
	t.Run("OPR-30 a Seed that does not act is named, and no operation of a user is replaced", func(t *testing.T) {
		virtual, asked := garden(t, []string{"one"}, seed("one", ""), seed("two", "reconcile"), seed("three", ""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		err := (Users{Virtual: virtual}).AskSeeds(ctx, "renew-garden-access-secrets", began)
		if err == nil || !strings.Contains(err.Error(), `Seed "one"`) || !strings.Contains(err.Error(), `Seed "two" has not done "reconcile"`) {
			t.Errorf("error %v", err)
		}
		if got := asked(); slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, "two ") }) {
			t.Errorf("asked %v", got)
		}
	})
}
