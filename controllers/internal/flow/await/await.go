// Package await waits until an object in a cluster has a desired state. It watches instead of polling, so that a
// flow with many waits loses no time. It also checks periodically in case the watch is silent.
package await

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// resync is the interval for checking the object without a watch event.
const resync = 10 * time.Second

// Check returns nil if an object has the desired state, or else what is missing. An error made by Stop ends the
// waiting.
type Check func() error

type stopError struct{ error }

func (e stopError) Unwrap() error { return e.error }

// Stop marks an error that waiting cannot fix.
func Stop(err error) error { return stopError{err} }

// Until waits until check returns nil for the object, which it reads by name before each check. It also waits for an
// object that does not exist yet. If the context ends, the error says what was missing last.
func Until(ctx context.Context, c client.WithWatch, object client.Object, check Check) error {
	return loop(ctx, c, object, func(found bool) error {
		if !found {
			return fmt.Errorf("%T %q does not exist", object, client.ObjectKeyFromObject(object))
		}
		return check()
	})
}

// Gone waits until the object does not exist. Check may end the waiting with Stop; it may be nil.
func Gone(ctx context.Context, c client.WithWatch, object client.Object, check Check) error {
	return loop(ctx, c, object, func(found bool) error {
		if !found {
			return nil
		}
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		return fmt.Errorf("%T %q still exists", object, client.ObjectKeyFromObject(object))
	})
}

func loop(ctx context.Context, c client.WithWatch, object client.Object, check func(found bool) error) error {
	var missing error
	for {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
		if client.IgnoreNotFound(err) != nil {
			if ctx.Err() != nil && missing != nil {
				return missing
			}
			return fmt.Errorf("read %T %q: %w", object, client.ObjectKeyFromObject(object), err)
		}
		found := err == nil
		if missing = check(found); missing == nil {
			return nil
		}
		if stop := (stopError{}); errors.As(missing, &stop) {
			return missing
		}
		if ctx.Err() != nil {
			return missing
		}
		if !found {
			object.SetResourceVersion("")
		}
		if err := change(ctx, c, object); err != nil {
			return err
		}
	}
}

// change returns after the first event for the object, or when the next periodic check is due.
func change(ctx context.Context, c client.WithWatch, object client.Object) error {
	list, err := listFor(c, object)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, resync)
	defer cancel()
	watcher, err := c.Watch(ctx, list, client.InNamespace(object.GetNamespace()), &client.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", object.GetName()),
		Raw:           &metav1.ListOptions{ResourceVersion: object.GetResourceVersion()},
	})
	if err != nil {
		if ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			return nil
		}
		return fmt.Errorf("watch %T %q: %w", object, client.ObjectKeyFromObject(object), err)
	}
	defer watcher.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-watcher.ResultChan():
			if !open || event.Type == watch.Error {
				return pause(ctx)
			}
			if event.Type != watch.Bookmark {
				return nil
			}
		}
	}
}

// pause prevents a busy loop if a watch breaks immediately.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(200 * time.Millisecond):
	}
	return nil
}

func listFor(c client.Client, object client.Object) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(object, c.Scheme())
	if err != nil {
		return nil, fmt.Errorf("find kind of %T: %w", object, err)
	}
	list, err := c.Scheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return nil, fmt.Errorf("find list of %T: %w", object, err)
	}
	typed, ok := list.(client.ObjectList)
	if !ok {
		return nil, fmt.Errorf("find list of %T: %T is no list", object, runtime.Object(list))
	}
	return typed, nil
}
