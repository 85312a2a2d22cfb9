package drift

import (
	"context"
	"errors"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const firstRetry, lastRetry = time.Second, time.Minute

// follow watches one kind until ctx ends. A broken stream resumes where it ended. If the server no longer has that
// resource version, follow counts a gap.
func (w *Watcher) follow(ctx context.Context, kind schema.GroupVersionResource) {
	var (
		version string
		retry   = firstRetry
	)
	for ctx.Err() == nil {
		begun := time.Now()
		err := w.stream(ctx, kind, &version)
		if time.Since(begun) > lastRetry {
			retry = firstRetry
		}
		if err != nil && ctx.Err() == nil {
			log.FromContext(ctx).V(1).Info("Watch of managed objects ended", "kind", kind.String(), "reason", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// stream watches from the given resource version and keeps the version up to date. It clears a version from which the
// watch cannot resume.
func (w *Watcher) stream(ctx context.Context, kind schema.GroupVersionResource, version *string) error {
	client := w.client.Resource(kind)
	if *version == "" {
		list, err := client.List(ctx, metav1.ListOptions{LabelSelector: w.selector, Limit: 1})
		if err != nil {
			return err
		}
		*version = list.ResourceVersion
		w.mu.Lock()
		w.gaps++
		w.mu.Unlock()
	}
	return w.receive(ctx, client, version)
}

func (w *Watcher) receive(ctx context.Context, client metadata.ResourceInterface, version *string) error {
	stream, err := client.Watch(ctx, metav1.ListOptions{LabelSelector: w.selector, ResourceVersion: *version, AllowWatchBookmarks: true})
	if err != nil {
		*version = ""
		return err
	}
	defer stream.Stop()
	for event := range stream.ResultChan() {
		object, ok := event.Object.(*metav1.PartialObjectMetadata)
		if !ok {
			*version = ""
			return errors.New("the server ended the watch with an error")
		}
		*version = object.ResourceVersion
		switch event.Type {
		case watch.Deleted:
			w.observe(object.UID, deleted)
		case watch.Added, watch.Modified:
			w.observe(object.UID, parse(object.ResourceVersion))
		}
	}
	return nil // the server regularly ends watches
}

// parse returns a version that always counts as news if the text is not a number.
func parse(version string) uint64 {
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return deleted - 1
	}
	return number
}
