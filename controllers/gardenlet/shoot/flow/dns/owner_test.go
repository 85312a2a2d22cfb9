package dns

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const space = "shoot--sky--sun"

// records are those of shoot sun on a seed, whose extension answers at once.
func records(t *testing.T, c client.WithWatch, identity string, restored *gardencorev1beta1.ShootState) Records {
	t.Helper()
	of := seed.New(space, "image", c, nil, clock.RealClock{})
	of.Extensions.Restored = restored
	return Records{
		Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun"}}, Space: of, TTL: 77, Owner: identity,
		Exposure: exposure.Shoot{Domains: operation.Domains{Internal: &operation.Domain{Name: "sun.sky.internal.example.org", Provider: "local"}}},
	}
}

// extension finishes what is asked of a DNSRecord, until the test ends, and notes the operations.
func extension(t *testing.T, c client.WithWatch) func() []string {
	t.Helper()
	changes, err := c.Watch(t.Context(), &extensionsv1alpha1.DNSRecordList{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var operations []string
	go func() {
		defer close(done)
		for change := range changes.ResultChan() {
			record, is := change.Object.(*extensionsv1alpha1.DNSRecord)
			operation := ""
			if is {
				operation = record.Annotations["gardener.cloud/operation"]
			}
			if operation == "" {
				continue
			}
			operations = append(operations, operation)
			record = record.DeepCopy()
			delete(record.Annotations, "gardener.cloud/operation")
			if err := c.Update(context.Background(), record); err != nil {
				t.Errorf("extension: %v", err)
				return
			}
			now := metav1.Now()
			record.Status.ObservedGeneration = record.Generation
			record.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Reconcile", State: "Succeeded", LastUpdateTime: now}
			if err := c.Status().Update(context.Background(), record); err != nil {
				t.Errorf("extension: %v", err)
				return
			}
		}
	}()
	return func() []string {
		changes.Stop()
		<-done
		return operations
	}
}

func TestOwner(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&extensionsv1alpha1.DNSRecord{}).Build()
	record := &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "sun-owner"}}
	get := func(t *testing.T) *extensionsv1alpha1.DNSRecord {
		t.Helper()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(record), record); err != nil {
			t.Fatal(err)
		}
		return record.DeepCopy()
	}
	deploy := func(t *testing.T, r Records) []string {
		t.Helper()
		asked := extension(t, c)
		if err := r.DeployOwner(t.Context()); err != nil {
			t.Fatal(err)
		}
		return asked()
	}

	t.Run("MIG-12 the record has the identity of the seed as its only value", func(t *testing.T) {
		if got := deploy(t, records(t, c, "earth", nil)); len(got) != 1 || got[0] != "reconcile" {
			t.Errorf("asked %q", got)
		}
		spec := get(t).Spec
		ttl := int64(77)
		want := extensionsv1alpha1.DNSRecordSpec{
			DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: space, Name: "dnsrecord-sun-owner"},
			Name: "owner.sun.sky.internal.example.org", RecordType: "TXT", Values: []string{"earth"}, TTL: &ttl,
		}
		if diff := cmp.Diff(want, spec); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	})
	t.Run("MIG-13 a reconciliation does not touch it", func(t *testing.T) {
		before := get(t)
		if got := deploy(t, records(t, c, "earth", nil)); len(got) != 0 {
			t.Errorf("asked %q", got)
		}
		if diff := cmp.Diff(before, get(t)); diff != "" {
			t.Errorf("record (-before +after):\n%s", diff)
		}
	})
	t.Run("MIG-13 one that was not published is asked for again", func(t *testing.T) {
		failed := get(t)
		failed.Status.LastOperation.State = "Error"
		if err := c.Status().Update(t.Context(), failed); err != nil {
			t.Fatal(err)
		}
		if got := deploy(t, records(t, c, "earth", nil)); len(got) != 1 {
			t.Errorf("asked %q", got)
		}
	})
	t.Run("MIG-13 it is removed with the shoot", func(t *testing.T) {
		if err := records(t, c, "earth", nil).DestroyOwner(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, gone := range []client.Object{record, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "dnsrecord-sun-owner"}}} {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(gone), gone); !apierrors.IsNotFound(err) {
				t.Errorf("%T: %v", gone, err)
			}
		}
	})
	t.Run("MIG-13 a restoration publishes the identity of the new seed", func(t *testing.T) {
		if got := deploy(t, records(t, c, "moon", &gardencorev1beta1.ShootState{})); len(got) != 1 || got[0] != "restore" {
			t.Errorf("asked %q", got)
		}
		if got := get(t).Spec.Values; len(got) != 1 || got[0] != "moon" {
			t.Errorf("values %q", got)
		}
	})
	t.Run("MIG-15 it does so, too, if it has a record of the time before another seed took the shoot", func(t *testing.T) {
		if got := deploy(t, records(t, c, "moon", &gardencorev1beta1.ShootState{})); len(got) != 1 {
			t.Errorf("asked %q", got)
		}
	})
	t.Run("MIG-26 the flow knows when the record is published", func(t *testing.T) {
		published, r := 0, records(t, c, "moon", nil)
		r.Published = func() { published++ }
		if deploy(t, r); published != 1 {
			t.Errorf("it was told %d times", published)
		}
	})
	giveUp := func(t *testing.T, next string) ([]string, error) {
		t.Helper()
		r := records(t, c, "moon", nil)
		r.NextOwner = next
		asked := extension(t, c)
		err := r.GiveUpOwner(t.Context())
		return asked(), err
	}
	t.Run("MIG-24 a migration waits for the identity of the other seed", func(t *testing.T) {
		if got, err := giveUp(t, ""); err == nil || len(got) != 0 {
			t.Errorf("asked %q, error %v", got, err)
		}
	})
	t.Run("MIG-24 a migration publishes the identity of the other seed, and changes nothing else", func(t *testing.T) {
		want := get(t).Spec
		want.Values = []string{"mars"}
		if got, err := giveUp(t, "mars"); err != nil || len(got) != 1 || got[0] != "reconcile" {
			t.Errorf("asked %q, error %v", got, err)
		}
		if diff := cmp.Diff(want, get(t).Spec); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	})
	t.Run("MIG-24 a repeated migration leaves it alone", func(t *testing.T) {
		if got, err := giveUp(t, "mars"); err != nil || len(got) != 0 {
			t.Errorf("asked %q, error %v", got, err)
		}
		released := get(t)
		released.Status.LastOperation.Type = "Migrate"
		if err := c.Status().Update(t.Context(), released); err != nil {
			t.Fatal(err)
		}
		if got, err := giveUp(t, "mars"); err != nil || len(got) != 0 {
			t.Errorf("asked %q for a record that was released, error %v", got, err)
		}
		if err := c.Delete(t.Context(), released); err != nil {
			t.Fatal(err)
		}
		if got, err := giveUp(t, "mars"); err != nil || len(got) != 0 {
			t.Errorf("asked %q for a record that is gone, error %v", got, err)
		}
	})
}
