package faults

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/e2e/framework/poller"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const (
	written = "written" // the namespace that a writer writes to
	// present is how many objects a writer leaves. It deletes older ones.
	present = 200
	// writePause is between two writes, and between a failed one and the next.
	writePause = 20 * time.Millisecond
	// writeTimeout is for requests that hang because their server is killed.
	writeTimeout = 2 * time.Second
)

// writer writes to the garden until it is stopped, and keeps what was acknowledged. What fails may or may not be done.
type writer struct {
	clients kubernetes.Interface
	stop    func()

	// exists says of an object whether it was created or deleted last; what failed is not in it. next is the number of the next object.
	exists map[int]bool
	next   int
	failed error // the last failure of a creation, for people

	acknowledged atomic.Int64 // creations
}

func startWriter(t *testing.T, l *framework.Landscape) *writer {
	t.Helper()
	clients, err := kubernetes.NewForConfig(poller.Config(t, l.File("writer.yaml", l.Gardener("kubeconfig", "garden", "--expiration=8h"))))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "namespace", written)
	w := &writer{clients: clients, exists: map[int]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			w.write(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(writePause):
			}
		}
	}()
	w.stop = func() { cancel(); <-done }
	t.Cleanup(w.stop)
	return w
}

func (w *writer) write(parent context.Context) {
	ctx, cancel := context.WithTimeout(parent, writeTimeout)
	defer cancel()
	objects, n := w.clients.CoreV1().ConfigMaps(written), w.next
	w.next++
	_, err := objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n-", n)}, Data: map[string]string{"n": strconv.Itoa(n)}}, metav1.CreateOptions{})
	switch {
	case err == nil:
		w.exists[n] = true
		w.acknowledged.Add(1)
	case parent.Err() == nil:
		w.failed = err
	}
	old := n - present
	if !w.exists[old] {
		return
	}
	delete(w.exists, old) // until the answer
	if err := objects.Delete(ctx, fmt.Sprint("n-", old), metav1.DeleteOptions{}); err == nil || apierrors.IsNotFound(err) {
		w.exists[old] = false
	}
}

// writesOn waits until the writer has written some more.
func (w *writer) writesOn(t *testing.T) {
	t.Helper()
	const more = 20
	before := w.acknowledged.Load()
	testwait.Until(t, "the writer goes on", func() error {
		if now := w.acknowledged.Load(); now < before+more {
			return fmt.Errorf("%d creations were acknowledged, %d before", now, before)
		}
		return nil
	})
}

// check stops the writer and compares the garden with what was acknowledged.
func (w *writer) check(t *testing.T) {
	t.Helper()
	w.stop()
	list, err := w.clients.CoreV1().ConfigMaps(written).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, object := range list.Items {
		found[object.Name] = object.Data["n"]
	}
	for n, exists := range w.exists {
		value, is := found[fmt.Sprint("n-", n)]
		if is != exists || is && value != strconv.Itoa(n) {
			t.Errorf("object %d: it exists: %t, acknowledged: %t; its value is %q", n, is, exists, value)
		}
	}
	t.Logf("%d of %d creations were acknowledged; one failed with: %v", w.acknowledged.Load(), w.next, w.failed)
}
