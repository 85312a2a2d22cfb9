package machine_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// unready answers questions for /readyz like an API server without etcd, until it is ready.
type unready struct {
	http.RoundTripper
	ready *atomic.Bool
	asked *atomic.Int32
}

func (u unready) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/readyz" || u.ready.Load() {
		return u.RoundTripper.RoundTrip(r)
	}
	u.asked.Add(1)
	return &http.Response{StatusCode: http.StatusInternalServerError, Status: "500 etcd failed", Body: http.NoBody, Request: r}, nil
}

func TestMachinesStayWhileTheirClusterDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorldWithout(t)
	var ready atomic.Bool
	var asked atomic.Int32
	w.target = rest.CopyConfig(env.Config)
	w.target.Wrap(func(inner http.RoundTripper) http.RoundTripper { return unready{inner, &ready, &asked} })
	w.start()
	w.populate(2)
	t.Run("MIG-20 no machine is made, and deletions go on", func(t *testing.T) { staysEmpty(t, w, &asked) })
	ready.Store(true)
	w.complete(2)
}

func staysEmpty(t *testing.T, w *world, asked *atomic.Int32) {
	w.eventually("the guard asks", func() error {
		if asked.Load() == 0 {
			return fmt.Errorf("nobody asked for /readyz")
		}
		return nil
	})
	gone := &machinev1alpha1.Machine{ObjectMeta: w.meta("gone"), Spec: machinev1alpha1.MachineSpec{Class: machinev1alpha1.ClassSpec{Kind: "MachineClass", Name: "small"}}}
	gone.Finalizers = []string{machinev1alpha1.FinalizerName}
	w.must(w.Create(t.Context(), gone))
	w.must(w.Delete(t.Context(), gone))
	w.eventually("a deletion goes on", func() error {
		if left := names(w.machines()); len(left) > 0 {
			return fmt.Errorf("machines: %v", left)
		}
		return nil
	})
	testwait.Stays(t, time.Second, "no machine is made", func() error {
		if made := names(w.machines()); len(made) > 0 {
			return fmt.Errorf("machines: %v", made)
		}
		return nil
	})
}
