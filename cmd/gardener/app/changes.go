package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reachFunc makes a client of the garden with a credential that was just issued, since one that was issued when the command began expires. The error
// is that of a landscape that does not run, if it has stopped.
type reachFunc func(context.Context) (client.WithWatch, error)

// changes are those of objects of the garden after a list of them.
type changes struct {
	what      string // for errors, as in "shoots"
	reach     reachFunc
	namespace string
	empty     func() client.ObjectList
	// each is called for each change. After a pause in which the server forgot changes, only the last change of an object is known.
	each func(watch.EventType, client.Object) error

	known   map[types.UID]client.Object
	silence silence
	stop    context.CancelCauseFunc
}

// errForgotten says that the server does not know any more what has changed since.
var errForgotten = errors.New("the server has forgotten the changes since then")

// follow calls each until ctx ends, a call fails, or the landscape stops. A server ends every watch after some time; it goes on where it ended.
func (c *changes) follow(ctx context.Context, list client.ObjectList) error {
	c.known = map[types.UID]client.Object{}
	if err := meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(client.Object)
		c.known[object.GetUID()] = object
		return nil
	}); err != nil {
		return err
	}
	version := list.GetResourceVersion()
	for {
		err := c.since(ctx, version)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, errForgotten) {
			return err
		}
		if version, err = c.again(ctx); err != nil {
			return err
		}
	}
}

// since calls each until an error.
func (c *changes) since(ctx context.Context, version string) error {
	ctx, c.stop = context.WithCancelCause(ctx)
	defer c.stop(nil)
	watcher, err := watchtools.NewRetryWatcherWithContext(klog.NewContext(ctx, logr.Discard()), version, c)
	if err != nil {
		return fmt.Errorf("watch %s: %w", c.what, err)
	}
	defer func() {
		watcher.Stop()
		select {
		case <-watcher.Done():
		case <-ctx.Done(): // it may wait for a server that does not answer
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-watcher.ResultChan():
			if !open {
				return context.Cause(ctx)
			}
			object, ok := event.Object.(client.Object)
			if !ok {
				if err = apierrors.FromObject(event.Object); forgotten(err) {
					return errForgotten
				}
				return fmt.Errorf("watch %s: %w", c.what, err)
			}
			if err := c.tell(event.Type, object); err != nil {
				return err
			}
		}
	}
}

// WatchWithContext implements cache.WatcherWithContext. It ends the RetryWatcher, which tries again after every error, if that cannot help.
func (c *changes) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	garden, err := c.reach(ctx)
	var watching watch.Interface
	if err == nil {
		if watching, err = garden.Watch(ctx, c.empty(), client.InNamespace(c.namespace), &client.ListOptions{Raw: &options}); err == nil {
			return c.silence.heard(watching, c.stop, c.what), nil // a server that lets watches begin may still answer nothing
		}
		err = fmt.Errorf("watch %s: %w", c.what, err)
	}
	switch {
	case forgotten(err):
		c.stop(errForgotten)
	case c.silence.ends(err):
		c.stop(err)
	}
	return nil, err
}

// again lists the objects, calls each for those that have changed, and returns the version of the list.
func (c *changes) again(ctx context.Context) (string, error) {
	list := c.empty()
	if err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		garden, err := c.reach(ctx)
		if err == nil {
			if err = garden.List(ctx, list, client.InNamespace(c.namespace)); err != nil {
				err = fmt.Errorf("list %s: %w", c.what, err)
			}
		}
		if c.silence.ends(err) {
			return false, err
		}
		return err == nil, nil
	}); err != nil {
		return "", err
	}
	gone := c.known
	c.known = map[types.UID]client.Object{}
	if err := meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(client.Object)
		before, kept := gone[object.GetUID()]
		delete(gone, object.GetUID())
		if kept && before.GetResourceVersion() == object.GetResourceVersion() {
			c.known[object.GetUID()] = object
			return nil
		}
		return c.tell(watch.Modified, object)
	}); err != nil {
		return "", err
	}
	for _, object := range gone {
		if err := c.tell(watch.Deleted, object); err != nil {
			return "", err
		}
	}
	return list.GetResourceVersion(), nil
}

func (c *changes) tell(kind watch.EventType, object client.Object) error {
	if kind == watch.Deleted {
		delete(c.known, object.GetUID())
	} else {
		c.known[object.GetUID()] = object
	}
	return c.each(kind, object)
}

func forgotten(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }
