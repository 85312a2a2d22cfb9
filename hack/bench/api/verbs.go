package main

import (
	"context"
	"net/http"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// verb is a request for every object.
type verb struct {
	name string
	do   func(ctx context.Context, k *kind, object string) error
}

// done is the measurements of a verb with one kind.
type done struct {
	took  stats.Sample // seconds of each request
	rate  stats.Sample // requests per second
	cpu   stats.Sample // processor time in seconds of etcd and both API servers per request
	bytes stats.Sample // bytes that the API servers allocate per request
}

// create creates an object. The watch measures when the event arrives.
var create = verb{"create", func(ctx context.Context, k *kind, object string) error {
	body, err := k.body(object)
	if err != nil {
		return err
	}
	if k.watched != nil {
		k.watched.expect(object)
	}
	_, err = k.do(ctx, http.MethodPost, "", "application/json", body)
	return err
}}

// patch adds a label to an object.
var patch = verb{"patch", func(ctx context.Context, k *kind, object string) error {
	_, err := k.do(ctx, http.MethodPatch, "/"+object, "application/merge-patch+json", []byte(`{"metadata":{"labels":{"bench":"patched"}}}`))
	return err
}}
