package metricsserver

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"

	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

const (
	// atOnce is how many kubelets are scraped at a time.
	atOnce = 16
)

// scraper scrapes the kubelets.
type scraper struct {
	nodes    listers.NodeLister
	client   *http.Client
	store    *store
	interval time.Duration
	log      logr.Logger
	rounds   atomic.Int64
	failing  map[string]bool // nodes whose failure is already logged; used only by the loop
}

// run scrapes at once and then in every interval, until ctx ends.
func (s *scraper) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		s.round(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// ready returns nil when all kubelets have been scraped once.
func (s *scraper) ready(*http.Request) error {
	if s.rounds.Load() == 0 {
		return fmt.Errorf("the kubelets have not been scraped yet")
	}
	return nil
}

func (s *scraper) round(ctx context.Context) {
	nodes, err := s.nodes.List(labels.Everything())
	if err != nil {
		s.log.Error(err, "Listing nodes has failed")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.interval)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	names, answers, errs := make([]string, 0, len(nodes)), map[string]kubeletmetrics.Answer{}, map[string]error{}
	places := make(chan struct{}, atOnce)
	for _, node := range nodes {
		names = append(names, node.Name)
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			told, err := kubeletmetrics.Ask(ctx, s.client, node)
			mu.Lock()
			defer mu.Unlock()
			if errs[node.Name] = err; err == nil {
				answers[node.Name] = told
			}
		})
	}
	wg.Wait()
	s.tell(errs)
	s.store.put(names, answers)
	s.rounds.Add(1)
}

// tell logs a failure only when it begins and when it ends.
func (s *scraper) tell(errs map[string]error) {
	failing := map[string]bool{}
	for node, err := range errs {
		switch {
		case err != nil && !s.failing[node]:
			s.log.Info("Kubelet serves no metrics", "node", node, "reason", err.Error())
		case err == nil && s.failing[node]:
			s.log.Info("Kubelet serves metrics again", "node", node)
		}
		if err != nil {
			failing[node] = true
		}
	}
	s.failing = failing
}
