package registration_test

import (
	"context"
	"maps"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/registration"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestOwnerChecks(t *testing.T) {
	checking := gardencorev1beta1.SeedSpec{
		Provider: gardencorev1beta1.SeedProvider{Type: "local"},
		Settings: &gardencorev1beta1.SeedSettings{OwnerChecks: &gardencorev1beta1.SeedSettingOwnerChecks{Enabled: true}},
	}
	for name, tc := range map[string]struct {
		own, exists, off bool // own: the gardenlet describes the Seed
		want             bool
	}{
		"MIG-13 a new Seed checks owners":                                                  {own: true, want: true},
		"MIG-13 a new Seed checks none without UseDNSRecords":                              {own: true, off: true},
		"MIG-13 a Seed checks no longer when UseDNSRecords is switched off":                {own: true, exists: true, off: true},
		"MIG-13 a Seed with another owner stays as it is":                                  {exists: true, want: true},
		"MIG-13 nor does a Seed with another owner check owners that nobody publishes":     {exists: true, off: true},
		"MIG-13 a Seed with another owner that has gone is not made without UseDNSRecords": {off: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, gardencorev1beta1.AddToScheme} {
				if err := add(scheme); err != nil {
					t.Fatal(err)
				}
			}
			builder := fake.NewClientBuilder().WithScheme(scheme)
			if tc.exists {
				builder.WithObjects(&gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth"}, Spec: *checking.DeepCopy()})
			}
			garden := builder.Build()
			r := &registration.Registration{
				Client: garden, Reader: garden, NoOwnerChecks: tc.off,
				Seed: gardencorev1beta1.SeedTemplate{ObjectMeta: metav1.ObjectMeta{Name: "earth"}, Spec: *checking.DeepCopy()},
			}
			if !tc.own {
				r.Seed.UID = types.UID("uid")
			}
			for range 2 { // it changes nothing the second time
				if err := r.Register(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			seed := &gardencorev1beta1.Seed{}
			err := garden.Get(t.Context(), client.ObjectKey{Name: "earth"}, seed)
			if exists := tc.own || tc.exists; (err == nil) != exists {
				t.Fatalf("Seed: %v, want it to exist: %t", err, exists)
			}
			if got := helper.ChecksOwners(seed); got != tc.want {
				t.Errorf("the Seed checks owners: %t", got)
			}
			if err == nil && seed.Spec.Provider.Type != "local" {
				t.Errorf("the Seed is no longer as it was described: %+v", seed.Spec)
			}
			if !helper.ChecksOwners(&gardencorev1beta1.Seed{Spec: r.Seed.Spec}) {
				t.Error("the configuration was changed")
			}
		})
	}
}

// Other gardenlets and the admission of moves read the annotation.
func TestSharesBackups(t *testing.T) {
	for name, tc := range map[string]struct{ own, had, shares bool }{
		"MIG-2 a new Seed whose nodes have the directories":         {own: true, shares: true},
		"MIG-2 a new Seed whose nodes do not have them":             {own: true},
		"MIG-2 a Seed of another owner whose nodes have them":       {shares: true},
		"MIG-2 a Seed of another owner whose nodes lack them":       {},
		"MIG-2 a Seed of another owner that somebody has annotated": {had: true},
		"MIG-2 a Seed whose configuration has the annotation":       {own: true, had: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, gardencorev1beta1.AddToScheme} {
				if err := add(scheme); err != nil {
					t.Fatal(err)
				}
			}
			meta := metav1.ObjectMeta{Name: "earth", Annotations: map[string]string{"a": "b"}}
			if tc.had {
				meta.Annotations[helper.AnnotationSharesBackups] = "true"
			}
			builder := fake.NewClientBuilder().WithScheme(scheme)
			r := &registration.Registration{SharesBackups: tc.shares, Seed: gardencorev1beta1.SeedTemplate{ObjectMeta: *meta.DeepCopy()}}
			if !tc.own {
				builder.WithObjects(&gardencorev1beta1.Seed{ObjectMeta: meta})
				r.Seed.UID = types.UID("uid")
			}
			garden := builder.Build()
			r.Client, r.Reader = garden, garden
			if err := r.Register(t.Context()); err != nil {
				t.Fatal(err)
			}
			seed := &gardencorev1beta1.Seed{}
			if err := garden.Get(t.Context(), client.ObjectKey{Name: "earth"}, seed); err != nil {
				t.Fatal(err)
			}
			if got := seed.Annotations[helper.AnnotationSharesBackups]; got != strconv.FormatBool(tc.shares) || helper.SharesBackups(seed) != tc.shares || seed.Annotations["a"] != "b" {
				t.Errorf("annotations %v", seed.Annotations)
			}
			if _, has := r.Seed.Annotations[helper.AnnotationSharesBackups]; has != tc.had {
				t.Error("the configuration was changed")
			}
		})
	}
}

// Whoever replaces a Seed removes what the gardenlet says on it.
func TestReplaced(t *testing.T) {
	for name, tc := range map[string]struct {
		own, keeps bool // own: the gardenlet describes the Seed
		want       map[string]string
	}{
		"MIG-2 a Seed says again what its nodes share":           {own: true, want: map[string]string{"c": "d", helper.AnnotationSharesBackups: "false"}},
		"MIG-2 so does a Seed with another owner":                {want: map[string]string{"c": "d", helper.AnnotationSharesBackups: "false"}},
		"MIG-15 a Seed says again that it keeps its owners":      {own: true, keeps: true, want: map[string]string{"c": "d", helper.AnnotationSharesBackups: "false", helper.AnnotationKeepsOwners: "true"}},
		"MIG-15 that of another owner may no longer keep owners": {keeps: true, want: map[string]string{"c": "d", helper.AnnotationSharesBackups: "false"}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			writes := 0
			garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&gardencorev1beta1.Seed{
				ObjectMeta: metav1.ObjectMeta{Name: "earth", Annotations: map[string]string{"c": "d"}}, Spec: gardencorev1beta1.SeedSpec{Provider: gardencorev1beta1.SeedProvider{Region: "users"}},
			}).WithInterceptorFuncs(interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
				writes++
				return c.Patch(ctx, o, p, opts...)
			}}).Build()
			r := &registration.Registration{Client: garden, Reader: garden, Seed: gardencorev1beta1.SeedTemplate{ObjectMeta: metav1.ObjectMeta{Name: "earth", Annotations: map[string]string{"a": "b"}}}}
			if tc.keeps {
				r.Seed.Annotations[helper.AnnotationKeepsOwners] = "true"
			}
			if !tc.own {
				r.Seed.UID = types.UID("uid")
			}
			for range 2 { // it changes nothing the second time
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "earth"}}); err != nil {
					t.Fatal(err)
				}
			}
			seed := &gardencorev1beta1.Seed{}
			if err := garden.Get(t.Context(), client.ObjectKey{Name: "earth"}, seed); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(seed.Annotations, tc.want) || seed.Spec.Provider.Region != "users" || writes != 1 {
				t.Errorf("annotations %v, spec %+v after %d writes", seed.Annotations, seed.Spec, writes)
			}
		})
	}
}
