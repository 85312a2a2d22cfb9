package runtimecluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cluster has a Garden of an operator, or an error. It may have one before it that no operator handles.
type cluster struct {
	client.Reader
	garden, foreign string
	err             error
}

func (c *cluster) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	metadata := list.(*metav1.PartialObjectMetadataList)
	if c.foreign != "" {
		metadata.Items = append(metadata.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: c.foreign, Finalizers: []string{"somebody/else"}}})
	}
	if c.err == nil && c.garden != "" {
		metadata.Items = append(metadata.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: c.garden, Finalizers: []string{"gardener.cloud/operator"}}})
	}
	return c.err
}

func TestGarden(t *testing.T) {
	boom := errors.New("boom")
	for name, tc := range map[string]struct {
		cluster cluster
		want    string
		err     error
	}{
		"GLT-15 a cluster that does not know the kind is no runtime cluster": {cluster: cluster{err: &meta.NoKindMatchError{}}},
		"GLT-15 a cluster without a Garden is none":                          {},
		"GLT-15 a cluster with a Garden is one":                              {cluster: cluster{garden: "earth"}, want: "earth"},
		"GLT-15 a Garden that no operator handles is nobody's":               {cluster: cluster{foreign: "mars"}},
		"GLT-15 a cluster may have such a Garden, too":                       {cluster: cluster{foreign: "mars", garden: "earth"}, want: "earth"},
		"GLT-15 a cluster that does not answer may be one":                   {cluster: cluster{err: boom}, err: boom},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Garden(t.Context(), &tc.cluster); got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("garden %q, %v", got, err)
			}
		})
	}
}

func TestDecisionIsOutdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, woken := &cluster{}, 0
		decision := NewDecision(c)
		go decision.watch(ctx, time.Second, func() { woken++ })
		expect := func(what string, want int) {
			t.Helper()
			<-time.After(time.Second) // of the bubble
			synctest.Wait()
			if woken != want {
				t.Errorf("%s: woken %d times, want %d", what, woken, want)
			}
			woken = 0
		}
		c.garden = "earth"
		expect("GLT-15 before the first decision", 0)
		c.garden = ""
		decide := func() {
			if _, err := decision.Garden(ctx); err != nil {
				t.Fatal(err)
			}
		}
		decide()
		expect("GLT-15 nothing changed", 0)
		c.garden = "earth"
		expect("GLT-15 a Garden has come", 1)
		expect("GLT-15 and nobody has decided anew", 1)
		decide()
		expect("GLT-15 it stays", 0)
		c.err = errors.New("boom")
		expect("GLT-15 nobody knows", 0)
		c.err, c.garden = nil, ""
		expect("GLT-15 it has gone", 1)
	})
}
