package main

import (
	"context"
	"net/http"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// verb is something to do with every object.
type verb struct {
	name string
	do   func(ctx context.Context, k *kind, object string) error
}

// done is what was measured of a verb with one kind.
type done struct {
	took  stats.Sample // seconds of each request
	rate  stats.Sample // requests per second
	cpu   stats.Sample // processor time in seconds of etcd and both API servers for one
	bytes stats.Sample // what the API servers allocate for one
}

// create creates an object. Whoever watches measures when the creation is seen.
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
