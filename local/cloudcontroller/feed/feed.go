// Package feed tells a controller which objects of a cluster to look at, without keeping any of them. Users of the cluster may write many
// objects, and long ones, and the process of the controller serves others, too: a cache would grow with what they write. The client should have
// a configuration of package shortanswers, and no cache.
package feed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/pages"
)

const (
	// firstWait and lastWait are the pauses after failures.
	firstWait, lastWait = 500 * time.Millisecond, 15 * time.Second
	// period is how long a watch lasts. Then all objects are listed again.
	period = 20 * time.Minute
	// soon is how long it lasts at most after an object that found no place in the queue.
	soon = time.Minute
)

// Queue takes the keys of objects.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Feed reads the objects of one kind. It is a source of a controller, and a readiness check of its process. The fields may not change after it
// has started.
type Feed struct {
	// Client of the cluster.
	Client client.WithWatch
	// List is an empty list of the kind.
	List client.ObjectList
	// Options restrict the list and the watch.
	Options []client.ListOption
	// Most is how many objects are listed at most. Those beyond are looked at when they change. Nothing is added to a queue of this length: all
	// objects are listed again soon instead.
	Most int
	// Offer looks at an object, which is gone if gone is true, and adds keys to the queue. Calls do not overlap.
	Offer func(object client.Object, gone bool, queue Queue)
	// Again is called before all objects are listed, since objects may have changed or gone that nobody offered; nil for nothing.
	Again func()
	// Complete is called when all objects have been listed, or as many as Most; nil for nothing. What is offered from then on has changed.
	Complete func(queue Queue)

	listed atomic.Bool
}

// bounded is a queue to which no more is added than fits. What was added with a delay is not counted: it is for keys that users do not choose.
type bounded struct {
	Queue
	most int
	full bool // since something did not fit
}

func (b *bounded) Add(item reconcile.Request) {
	if b.Len() >= b.most {
		b.full = true
		return
	}
	b.Queue.Add(item)
}

// If adds the key of an object if the function says so.
func If(wanted func(client.Object) bool) func(client.Object, bool, Queue) {
	return func(object client.Object, gone bool, queue Queue) {
		if !gone && wanted(object) {
			queue.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
	}
}

// Start implements source.Source. It returns at once, and feeds the queue until ctx ends.
func (f *Feed) Start(ctx context.Context, queue Queue) error {
	go f.run(ctx, queue)
	return nil
}

// Ready is an error until the objects have been listed once.
func (f *Feed) Ready(*http.Request) error {
	if !f.listed.Load() {
		return fmt.Errorf("%T has not been read yet", f.List)
	}
	return nil
}

func (f *Feed) run(ctx context.Context, to Queue) {
	wait := firstWait
	for ctx.Err() == nil {
		queue := &bounded{Queue: to, most: f.Most}
		version, err := f.list(ctx, queue)
		if err == nil {
			if f.Complete != nil {
				f.Complete(queue)
			}
			f.listed.Store(true)
			wait = firstWait
			err = f.watch(ctx, version, queue)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			continue
		}
		log.FromContext(ctx).V(1).Info("Objects cannot be read, will try again", "list", fmt.Sprintf("%T", f.List), "reason", err.Error())
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		wait = min(2*wait, lastWait)
	}
}

// list offers all objects, and returns the version from which on a watch misses none.
func (f *Feed) list(ctx context.Context, queue *bounded) (version string, err error) {
	if f.Again != nil {
		f.Again()
	}
	for page, err := range pages.Of(ctx, f.Client, f.List, f.Most, f.Options...) {
		if many := (*pages.TooMany)(nil); errors.As(err, &many) && version != "" {
			log.FromContext(ctx).Info("Some objects are looked at only when they change", "reason", err.Error())
			return version, nil
		}
		if err != nil {
			return "", err
		}
		version = page.GetResourceVersion()
		if err := meta.EachListItem(page, func(item runtime.Object) error {
			if object, ok := item.(client.Object); ok {
				f.Offer(object, false, queue)
			}
			return nil
		}); err != nil {
			return "", fmt.Errorf("read %T: %w", f.List, err)
		}
	}
	return version, nil
}

// watch offers changed objects until the period is over or the server ends the watch.
func (f *Feed) watch(ctx context.Context, version string, queue *bounded) error {
	ctx, cancel := context.WithTimeout(ctx, period)
	defer cancel()
	var early <-chan time.Time // not nil once something did not fit
	list, ok := f.List.DeepCopyObject().(client.ObjectList)
	if !ok {
		return fmt.Errorf("%T is no list", f.List)
	}
	watcher, err := f.Client.Watch(ctx, list, append([]client.ListOption{from(version)}, f.Options...)...)
	if err != nil {
		return fmt.Errorf("watch %T: %w", f.List, err)
	}
	defer watcher.Stop()
	for {
		if queue.full && early == nil {
			early = time.After(soon)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-early:
			return nil
		case event, open := <-watcher.ResultChan():
			if !open {
				return errors.New("the watch has ended")
			}
			if event.Type == watch.Error {
				return fmt.Errorf("watch %T: %w", f.List, apierrors.FromObject(event.Object))
			}
			if object, ok := event.Object.(client.Object); ok && event.Type != watch.Bookmark {
				f.Offer(object, event.Type == watch.Deleted, queue)
			}
		}
	}
}

// from is the version after which a watch begins.
type from string

// ApplyToList implements client.ListOption.
func (f from) ApplyToList(options *client.ListOptions) {
	options.Raw = &metav1.ListOptions{ResourceVersion: string(f)}
}
