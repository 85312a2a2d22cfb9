package lifecycle

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// line is a way to a cluster, which can be cut. It counts what is written.
type line struct {
	cut    atomic.Bool
	writes atomic.Int64
}

var errCut = errors.New("out of reach")

func (l *line) fails() error {
	if l.cut.Load() {
		return errCut
	}
	return nil
}

func (l *line) write() error {
	if err := l.fails(); err != nil {
		return err
	}
	l.writes.Add(1)
	return nil
}

// to is a client that uses the line.
func (l *line) to(c client.WithWatch) client.WithWatch {
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			return errors.Join(l.fails(), c.Get(ctx, key, object, options...))
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			return errors.Join(l.fails(), c.List(ctx, list, options...))
		},
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
			if err := l.fails(); err != nil {
				return nil, err
			}
			return c.Watch(ctx, list, options...)
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.Create(ctx, object, options...)
		},
		Update: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.Update(ctx, object, options...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.Patch(ctx, object, patch, options...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, object runtime.ApplyConfiguration, options ...client.ApplyOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.Apply(ctx, object, options...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.Delete(ctx, object, options...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.SubResource(name).Patch(ctx, object, patch, options...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, name string, object client.Object, options ...client.SubResourceUpdateOption) error {
			if err := l.write(); err != nil {
				return err
			}
			return c.SubResource(name).Update(ctx, object, options...)
		},
	})
}

// names is a name server that names one owner of all shoots.
type names struct {
	mu    sync.Mutex
	owner string
}

func (n *names) become(owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owner = owner
}

func (n *names) LookupTXT(context.Context, string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return []string{n.owner}, nil
}

// running is the controller of a gardenlet in the middle of an operation, which waits for extensions.
type running struct {
	t            *testing.T
	r            *Reconciler
	garden, seed line
	names        names
	inSeed       client.WithWatch // without the line
}

func newRunning(t *testing.T) *running {
	t.Helper()
	gardenScheme, seedScheme := runtime.NewScheme(), runtime.NewScheme()
	if err := errors.Join(install.AddGarden(gardenScheme), install.AddSeed(seedScheme)); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky", UID: "uid", Generation: 1},
		Spec: gardencorev1beta1.ShootSpec{
			SeedName: ptr.To("earth"), CloudProfileName: ptr.To("local"), Region: "local", Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
			Networking: &gardencorev1beta1.Networking{Type: ptr.To("calico"), Pods: ptr.To("100.96.0.0/11"), Services: ptr.To("100.64.0.0/13"), Nodes: ptr.To("10.10.0.0/16")},
			Provider:   gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{{Name: "ray", Minimum: 1, Maximum: 2}}},
		},
	}
	seed := &gardencorev1beta1.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: "earth"},
		Spec: gardencorev1beta1.SeedSpec{
			Provider: gardencorev1beta1.SeedProvider{Type: "local"}, Settings: &gardencorev1beta1.SeedSettings{OwnerChecks: &gardencorev1beta1.SeedSettingOwnerChecks{Enabled: true}},
		},
		Status: gardencorev1beta1.SeedStatus{
			ClusterIdentity: ptr.To("earth"), Conditions: []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}},
			LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
		},
	}
	domain := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "internal", Namespace: "seed-earth", Labels: map[string]string{"gardener.cloud/role": "internal-domain"},
		Annotations: map[string]string{"dns.gardener.cloud/domain": "internal.example.org", "dns.gardener.cloud/provider": "local"},
	}}
	garden := fake.NewClientBuilder().WithScheme(gardenScheme).WithStatusSubresource(shoot).WithObjects(
		shoot, seed, domain, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden-sky", Labels: map[string]string{"project.gardener.cloud/name": "sky"}}},
		&gardencorev1beta1.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: gardencorev1beta1.CloudProfileSpec{Type: "local"}},
	).Build()
	c := &running{t: t, inSeed: fake.NewClientBuilder().WithScheme(seedScheme).Build()}
	c.names.become("earth")
	identity := func(context.Context) (string, error) { return "earth", nil }
	inGarden := c.garden.to(garden)
	settings := Settings{SeedName: "earth", Gardener: gardencorev1beta1.Gardener{Version: version}, RetryDuration: time.Hour}
	c.r = &Reconciler{
		Clusters: flow.Clusters{Garden: inGarden, GardenReader: inGarden, Seed: c.seed.to(c.inSeed)}, Clock: clock.RealClock{}, Recorder: events.NewFakeRecorder(1000),
		Settings: settings.WithDefaults(), SeedIdentity: identity, GardenIdentity: identity, Resolver: &c.names, Gardenlet: flow.Gardenlet{Image: "gardener"}.WithDefaults(),
	}
	return c
}

// extension publishes DNSRecords, until the context ends. All other extensions are slow.
func (c *running) extension(ctx context.Context) {
	changes, err := c.inSeed.Watch(ctx, &extensionsv1alpha1.DNSRecordList{})
	if err != nil {
		c.t.Error(err)
		return
	}
	defer changes.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case change := <-changes.ResultChan():
			record, is := change.Object.(*extensionsv1alpha1.DNSRecord)
			if !is || record.Annotations["gardener.cloud/operation"] == "" {
				continue
			}
			record = record.DeepCopy()
			delete(record.Annotations, "gardener.cloud/operation")
			record.Status.ObservedGeneration = record.Generation
			record.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Create", State: gardencorev1beta1.LastOperationStateSucceeded, LastUpdateTime: metav1.Now()}
			if err := c.inSeed.Update(ctx, record); err != nil && ctx.Err() == nil {
				c.t.Error(err)
			}
		}
	}
}

// begin lets the controller look at the shoot. The channel has the result.
func (c *running) begin(ctx context.Context) <-chan error {
	out := make(chan error, 1)
	go func() {
		_, err := c.r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "garden-sky", Name: "sun"}})
		out <- err
	}()
	return out
}

func (c *running) waitsForInfrastructure() bool {
	list := &extensionsv1alpha1.InfrastructureList{}
	if err := c.inSeed.List(context.Background(), list); err != nil {
		c.t.Error(err)
	}
	return len(list.Items) == 1
}

// TestRunningGardenletLosesTheOwnership has a gardenlet in the middle of an operation. Another seed takes the shoot, and only the name
// server tells that.
func TestRunningGardenletLosesTheOwnership(t *testing.T) {
	for name, fault := range map[string]func(*running, bool){
		"the garden is out of reach":                 func(c *running, cut bool) { c.garden.cut.Store(cut) },
		"the API server of the seed is out of reach": func(c *running, cut bool) { c.seed.cut.Store(cut) },
		"all is in reach":                            func(*running, bool) {},
	} {
		t.Run("MIG-26 the operation ends within the interval when "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newRunning(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go c.extension(ctx)
				result := c.begin(ctx)
				<-time.After(time.Minute)
				if !c.waitsForInfrastructure() {
					t.Fatalf("the operation does not wait for extensions: %v", ended(result))
				}

				fault(c, true)
				c.names.become("mars")
				flipped := time.Now()
				err := <-result
				if took := time.Since(flipped); took > 31*time.Second {
					t.Errorf("it ends after %s", took)
				}
				if err == nil || !strings.Contains(err.Error(), "the operation was aborted") && !strings.Contains(err.Error(), errCut.Error()) {
					t.Errorf("it ends because of %v", err)
				}
				writes := c.seed.writes.Load()
				<-time.After(time.Hour)
				if after := c.seed.writes.Load(); after != writes {
					t.Errorf("%d objects were written after the end", after-writes)
				}

				fault(c, false)
				c.names.become("earth")
				again := c.begin(ctx)
				<-time.After(2 * time.Minute)
				if err := ended(again); err != nil {
					t.Errorf("the next operation ends although the shoot is here again: %v", err)
				}
				cancel()
				<-again
			})
		})
	}
}

// ended is the result of an operation that has ended; nil if it goes on.
func ended(result <-chan error) error {
	select {
	case err := <-result:
		return errors.Join(errors.New("it has ended"), err)
	default:
		return nil
	}
}
