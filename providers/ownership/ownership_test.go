package ownership_test

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

var errBoom = errors.New("boom")

// world is a DNS with one record, and a seed that can be cut off.
type world struct {
	mu       sync.Mutex
	asked    string
	owner    string // empty if the name server does not answer
	cut      bool
	recorded bool   // whether the seed has the DNSRecord
	value    string // of the DNSRecord; earth if empty
	failed   string // the operation of the DNSRecord that has failed; none if empty
	noChecks bool   // whether the seed does not check owners
}

func (w *world) set(change func(*world)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

func (w *world) LookupTXT(_ context.Context, name string) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = name
	if w.owner == "" {
		return nil, errBoom
	}
	return []string{w.owner}, nil
}

// checks are those of the seed earth for the shoot sun.
func (w *world) checks(t *testing.T) *ownership.Checks {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := extensionsv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	record := &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--sky--sun", Name: "sun-owner"}, Spec: extensionsv1alpha1.DNSRecordSpec{
		Name: "owner.sun.sky.internal", RecordType: extensionsv1alpha1.DNSRecordTypeTXT, Values: []string{cmp.Or(w.value, "earth")},
	}}
	record.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded}
	if w.failed != "" {
		record.Status.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationType(w.failed), State: gardencorev1beta1.LastOperationStateError,
		}
	}
	seed := fake.NewClientBuilder().WithScheme(scheme)
	if w.recorded {
		seed = seed.WithObjects(record)
	}
	return &ownership.Checks{Resolver: w, Clock: clock.RealClock{}, Reader: interceptor.NewClient(seed.Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.cut {
				return errBoom
			}
			return c.Get(ctx, key, o, opts...)
		},
	})}
}

// cluster is that of the shoot sun on the seed earth.
func (w *world) cluster() *contract.Cluster {
	return &contract.Cluster{
		Name: "shoot--sky--sun", Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun"}},
		Seed: &gardencorev1beta1.Seed{Spec: gardencorev1beta1.SeedSpec{Settings: &gardencorev1beta1.SeedSettings{
			OwnerChecks: &gardencorev1beta1.SeedSettingOwnerChecks{Enabled: !w.noChecks},
		}}, Status: gardencorev1beta1.SeedStatus{ClusterIdentity: ptr.To("earth")}},
	}
}

func TestWhoMayBegin(t *testing.T) {
	for name, tc := range map[string]struct {
		world *world
		may   bool
		lost  bool // and not another error
	}{
		"MIG-26 the owner may act":                               {&world{recorded: true, owner: "earth"}, true, false},
		"MIG-26 another seed may not":                            {&world{recorded: true, owner: "mars"}, false, true},
		"MIG-26 nobody may while the owner is not known":         {&world{recorded: true}, false, true},
		"MIG-26 nobody may who cannot read the record's name":    {&world{recorded: true, owner: "earth", cut: true}, false, false},
		"MIG-26 nor does a changed record make a seed the owner": {&world{recorded: true, owner: "mars", value: "mars"}, false, true},
		"MIG-14 on a seed that does not check owners, all may":   {&world{recorded: true, owner: "mars", noChecks: true}, true, false},
		"MIG-14 without a record all may":                        {&world{owner: "mars"}, true, false},
		"MIG-14 a record that was never published binds nobody":  {&world{recorded: true, failed: "Create"}, true, false},
		"MIG-26 a record that could not be changed binds":        {&world{recorded: true, failed: "Reconcile"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			guarded, stop, err := tc.world.checks(t).Guard(t.Context(), tc.world.cluster())
			if (err == nil) != tc.may {
				t.Fatalf("error %v, want one: %t", err, !tc.may)
			}
			if err == nil {
				if guarded.Err() != nil {
					t.Errorf("the work ends at once: %v", context.Cause(guarded))
				}
				stop()
			}
			if lost := (*ownership.LostError)(nil); errors.As(err, &lost) != tc.lost {
				t.Errorf("error %v", err)
			}
			if tc.world.asked != "" && tc.world.asked != "owner.sun.sky.internal." {
				t.Errorf("asked for %q", tc.world.asked)
			}
		})
	}
}

func TestWorkEndsWithTheOwnership(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*world) // at the beginning of the work
		ends   time.Duration
	}{
		"MIG-26 work of a seed that has lost the shoot ends within the interval":                    {func(w *world) { w.owner = "mars" }, 30 * time.Second},
		"MIG-26 so it does if the API server of the seed does not answer":                           {func(w *world) { w.owner, w.cut = "mars", true }, 30 * time.Second},
		"MIG-26 work ends when the owner has been unknown for two minutes after the first question": {func(w *world) { w.owner = "" }, 30*time.Second + 2*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{recorded: true, owner: "earth"}
				guarded, stop, err := w.checks(t).Guard(t.Context(), w.cluster())
				if err != nil {
					t.Fatal(err)
				}
				defer stop()
				begin := time.Now()
				w.set(tc.change)
				<-guarded.Done()
				if took := time.Since(begin); took != tc.ends {
					t.Errorf("it ends after %s, want %s", took, tc.ends)
				}
				if lost := (*ownership.LostError)(nil); !errors.As(context.Cause(guarded), &lost) || lost.Seed != "earth" {
					t.Errorf("it ends because of %v", context.Cause(guarded))
				}
			})
		})
	}
	t.Run("MIG-26 work goes on if the owner is unknown for a minute only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{recorded: true, owner: "earth"}
			guarded, stop, err := w.checks(t).Guard(t.Context(), w.cluster())
			if err != nil {
				t.Fatal(err)
			}
			w.set(func(w *world) { w.owner = "" })
			<-time.After(time.Minute)
			w.set(func(w *world) { w.owner = "earth" })
			<-time.After(time.Hour)
			if guarded.Err() != nil {
				t.Errorf("it has ended: %v", context.Cause(guarded))
			}
			stop() // synctest would find a question that goes on
		})
	})
}
