package reconcile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// guardian owns the shoot until it is told otherwise.
type guardian struct {
	lost error
	end  context.CancelCauseFunc // of the last guarded work
}

func (g *guardian) Guard(ctx context.Context, cluster *contract.Cluster) (context.Context, func(), error) {
	if cluster.Name != "shoot--sky--sun" || cluster.Shoot.Name != "sun" {
		return nil, nil, errors.New("another shoot")
	}
	if g.lost != nil {
		return nil, nil, g.lost
	}
	guarded, end := context.WithCancelCause(ctx)
	g.end = end
	return guarded, func() { end(nil) }, nil
}

// record is a DNSRecord of the shoot sun, in a seed with its Cluster.
func record(t *testing.T, name string, annotations map[string]string) (client.Client, *extensionsv1alpha1.DNSRecord) {
	t.Helper()
	object := &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--sky--sun", Name: name, Annotations: annotations}}
	object.Spec.Type = "test"
	return seedWith(t, object), object
}

// seedWith has the Cluster of the shoot sun.
func seedWith(t *testing.T, object client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := extensionsv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	raw := func(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
	return fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(object).WithObjects(object,
		&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "shoot--sky--sun"}, Spec: extensionsv1alpha1.ClusterSpec{
			CloudProfile: raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile"}`), Seed: raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed"}`),
			Shoot: raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"namespace":"garden-sky","name":"sun"}}`),
		}}).Build()
}

func TestGuardOfBackups(t *testing.T) {
	for name, tc := range map[string]struct {
		name      string
		operation string
		acts      bool
	}{
		"MIG-14 a seed without the shoot leaves its backups alone":          {"shoot--sky--sun--uid", operationReconcile, false},
		"MIG-14 and those that the shoot comes from":                        {"source-shoot--sky--sun--uid", operationRestore, false},
		"MIG-14 but it may release them":                                    {"shoot--sky--sun--uid", operationMigrate, true},
		"MIG-14 the backups of a shoot that is gone are subject to nobody":  {"shoot--sky--moon--uid", operationReconcile, true},
		"MIG-14 so are those that are no backups of a shoot by their names": {"garden", operationReconcile, true},
	} {
		t.Run(name, func(t *testing.T) {
			object := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: tc.name, Annotations: map[string]string{operationAnnotation: tc.operation}}}
			object.Spec.Type = "test"
			c, acted := seedWith(t, object), false
			act := func(context.Context, *contract.Cluster, *extensionsv1alpha1.BackupEntry) error {
				acted = true
				return nil
			}
			g := &guardian{lost: errors.New("the shoot has moved")}
			r := &Reconciler[*extensionsv1alpha1.BackupEntry, extensionsv1alpha1.BackupEntry]{
				Client: c, Reader: c, Clock: func() time.Time { return now }, Options: Options[*extensionsv1alpha1.BackupEntry]{
					Types: []string{"test"}, Ownership: g, Actuator: contract.Simple[*extensionsv1alpha1.BackupEntry]{Apply: act, Remove: act},
				},
			}
			run := func() {
				t.Helper()
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)}); err != nil {
					t.Fatal(err)
				}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if done := object.Status.LastOperation != nil; done != tc.acts {
				t.Fatalf("it acts: %t", done)
			}
			if tc.acts {
				return
			}
			g.lost = nil
			if run(); !acted {
				t.Error("the owner does not act")
			}
		})
	}
}

func TestGuard(t *testing.T) {
	errLost := errors.New("the shoot has moved")
	for name, tc := range map[string]struct {
		name      string
		operation string
		acts      bool
	}{
		"MIG-26 a seed without the shoot does not reconcile":       {"sun-internal", operationReconcile, false},
		"MIG-26 nor does it restore":                               {"sun-internal", operationRestore, false},
		"MIG-26 but it may release what it has":                    {"sun-internal", operationMigrate, true},
		"MIG-26 the record of the owner is published all the same": {"sun-owner", operationReconcile, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, object := record(t, tc.name, map[string]string{operationAnnotation: tc.operation})
			acted := false
			act := func(context.Context, *contract.Cluster, *extensionsv1alpha1.DNSRecord) error {
				acted = true
				return nil
			}
			g := &guardian{lost: errLost}
			r := &Reconciler[*extensionsv1alpha1.DNSRecord, extensionsv1alpha1.DNSRecord]{
				Client: c, Reader: c, Clock: func() time.Time { return now }, Options: Options[*extensionsv1alpha1.DNSRecord]{
					Types: []string{"test"}, Ownership: g, Actuator: contract.Simple[*extensionsv1alpha1.DNSRecord]{Apply: act, Remove: act},
				},
			}
			run := func() reconcile.Result {
				t.Helper()
				result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
					t.Fatal(err)
				}
				return result
			}
			result, kept := run(), object.Annotations[operationAnnotation] != ""
			if done := object.Status.LastOperation != nil; done != tc.acts || kept == tc.acts || result.IsZero() != tc.acts {
				t.Fatalf("it acts: %t, the request is kept: %t, it looks again: %t", done, kept, !result.IsZero())
			}
			if tc.acts {
				return
			}
			g.lost = nil
			if run(); !acted || object.Status.LastOperation == nil || object.Status.LastOperation.State != gardencorev1beta1.LastOperationStateSucceeded {
				t.Errorf("the owner has acted: %t, last operation %+v", acted, object.Status.LastOperation)
			}
		})
	}
	t.Run("MIG-26 work that is going on is aborted, and tells why", func(t *testing.T) {
		c, object := record(t, "sun-internal", nil)
		g := &guardian{}
		r := &Reconciler[*extensionsv1alpha1.DNSRecord, extensionsv1alpha1.DNSRecord]{
			Client: c, Reader: c, Clock: func() time.Time { return now }, Options: Options[*extensionsv1alpha1.DNSRecord]{
				Types: []string{"test"}, Ownership: g, Actuator: contract.Simple[*extensionsv1alpha1.DNSRecord]{
					Apply: func(ctx context.Context, _ *contract.Cluster, _ *extensionsv1alpha1.DNSRecord) error {
						g.end(errLost) // while it works
						<-ctx.Done()
						return ctx.Err()
					},
				},
			},
		}
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)}); !errors.Is(err, errLost) {
			t.Errorf("the reconciliation ends with %v", err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if last := object.Status.LastError; last == nil || !strings.Contains(last.Description, errLost.Error()) {
			t.Errorf("last error %+v", last)
		}
	})
}
