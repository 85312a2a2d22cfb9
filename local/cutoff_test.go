package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/ownership"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

// line is the way of a part to the API server of its seed.
type line struct {
	listener net.Listener
	running  sync.WaitGroup
	mu       sync.Mutex
	cut      bool
	open     map[net.Conn]bool
}

// newLine returns the line, and the configuration that uses it.
func newLine(t *testing.T, server *rest.Config) (*line, *rest.Config) {
	t.Helper()
	to, err := url.Parse(server.Host)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, open: map[net.Conn]bool{}}
	l.running.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			l.running.Go(func() { l.forward(from, to.Host) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		l.breaks(true)
		l.running.Wait()
	})
	config := rest.CopyConfig(server)
	config.Host = "https://" + listener.Addr().String()
	config.ServerName = to.Hostname()
	return l, config
}

func (l *line) forward(from net.Conn, address string) {
	defer from.Close()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	l.mu.Lock()
	if l.cut {
		l.mu.Unlock()
		return
	}
	l.open[from] = true
	l.mu.Unlock()
	l.running.Go(func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
	})
	_, _ = io.Copy(to, from)
	l.mu.Lock()
	delete(l.open, from)
	l.mu.Unlock()
}

// breaks cuts the line with all its connections, or mends it.
func (l *line) breaks(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for conn := range l.open {
		if cut {
			_ = conn.Close()
		}
	}
}

// names is a name server that names one owner.
type names struct {
	mu    sync.Mutex
	owner string
	asked int
}

func (n *names) LookupTXT(context.Context, string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	return []string{n.owner}, nil
}

func (n *names) become(owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owner = owner
}

// askedAgain waits until the owner has been asked for several times.
func (n *names) askedAgain(t *testing.T) {
	t.Helper()
	count := func() int {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.asked
	}
	before := count()
	testwait.Until(t, "the owner is asked for", func() error {
		if now := count(); now < before+2 {
			return fmt.Errorf("%d times", now-before)
		}
		return nil
	})
}

// work is an actuator whose work takes until it is told to finish, or aborted.
type work struct {
	begun   chan struct{}
	aborted chan error // why
	finish  chan struct{}
}

func (w *work) apply(ctx context.Context, _ *contract.Cluster, _ *extensionsv1alpha1.Network) error {
	w.begun <- struct{}{}
	select {
	case <-w.finish:
		return nil
	case <-ctx.Done():
		w.aborted <- context.Cause(ctx)
		return ctx.Err()
	}
}

// TestCutOff cuts an extension off from the API server of its seed while it works for a shoot, which another seed takes.
func TestCutOff(t *testing.T) {
	const space = "shoot--local--cut"
	create := func(object client.Object) {
		t.Helper()
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	raw := func(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
	create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})
	create(&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: space}, Spec: extensionsv1alpha1.ClusterSpec{
		CloudProfile: raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile"}`),
		Seed:         raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed","spec":{"settings":{"ownerChecks":{"enabled":true}}},"status":{"clusterIdentity":"earth"}}`),
		Shoot:        raw(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"namespace":"garden-local","name":"cut"}}`),
	}})
	record := newDNSRecord()
	record.ObjectMeta = metav1.ObjectMeta{Namespace: space, Name: ownership.RecordName("cut")}
	record.Spec.Type, record.Spec.Name, record.Spec.RecordType, record.Spec.Values = "other", "owner.cut.local.internal", extensionsv1alpha1.DNSRecordTypeTXT, []string{"earth"}
	create(record)
	record.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: "Create", State: "Succeeded", LastUpdateTime: metav1.Now(), Description: "done"}
	if err := seed.Status().Update(t.Context(), record); err != nil {
		t.Fatal(err)
	}

	toSeed, config := newLine(t, restConfig)
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	dns, clock := &names{owner: "earth"}, clocktesting.NewFakeClock(time.Now())
	slow := &work{begun: make(chan struct{}, 10), aborted: make(chan error, 10), finish: make(chan struct{})}
	if err := reconcile.Add(mgr, reconcile.Options[*extensionsv1alpha1.Network]{
		Provider: "slow", Types: []string{"slow"}, Actuator: contract.Simple[*extensionsv1alpha1.Network]{Apply: slow.apply, Remove: slow.apply},
		Ownership: &ownership.Checks{Reader: mgr.GetAPIReader(), Resolver: dns, Clock: clock},
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("manager ended: %v", err)
		}
	})

	network := &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "cut", Annotations: map[string]string{"gardener.cloud/operation": "reconcile"}}}
	network.Spec.Type, network.Spec.PodCIDR, network.Spec.ServiceCIDR = "slow", "10.1.0.0/16", "10.2.0.0/16"
	create(network)
	last := func() *gardencorev1beta1.LastOperation {
		t.Helper()
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(network), network); err != nil {
			t.Fatal(err)
		}
		return network.Status.LastOperation
	}
	<-slow.begun
	if !t.Run("MIG-26 an extension that cannot reach its seed aborts its work within the interval after another seed has taken the shoot", func(t *testing.T) {
		toSeed.breaks(true)
		dns.become("mars")
		testwait.Until(t, "the next check is due", func() error {
			if !clock.HasWaiters() {
				return errors.New("nobody waits for it")
			}
			return nil
		})
		clock.Step(30 * time.Second)
		lost := (*ownership.LostError)(nil)
		if cause := <-slow.aborted; !errors.As(cause, &lost) || lost.Seed != "earth" {
			t.Errorf("the work ends because of %v", cause)
		}
		if got := last(); got == nil || got.State != gardencorev1beta1.LastOperationStateProcessing || network.Status.LastError != nil {
			t.Errorf("the seed, which it cannot reach, has %+v, %+v", got, network.Status.LastError)
		}
	}) {
		return
	}
	t.Run("MIG-26 nor does it begin again when it reaches its seed", func(t *testing.T) {
		toSeed.breaks(false)
		dns.askedAgain(t)
		if n := len(slow.begun); n > 0 {
			t.Errorf("it has begun %d times", n)
		}
	})
	t.Run("MIG-26 it finishes its work when the shoot is on its seed again", func(t *testing.T) {
		dns.become("earth")
		<-slow.begun
		close(slow.finish)
		eventually(t, "the work is done", func() bool { return last().State == gardencorev1beta1.LastOperationStateSucceeded })
	})
}
