package metricsserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
)

const (
	// atOnce is how many kubelets are scraped at a time.
	atOnce = 16
	// longest is the maximum size of a response; 1,000 containers take 1 MiB.
	longest = 32 << 20
	// defaultKubeletPort is for nodes that do not report their port.
	defaultKubeletPort = 10250
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
	names, answers, errs := make([]string, 0, len(nodes)), map[string]answer{}, map[string]error{}
	places := make(chan struct{}, atOnce)
	for _, node := range nodes {
		names = append(names, node.Name)
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			told, err := s.ask(ctx, node)
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

func (s *scraper) ask(ctx context.Context, node *corev1.Node) (answer, error) {
	host, err := address(node)
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/metrics/resource", nil)
	if err != nil {
		return answer{}, fmt.Errorf("make request: %w", err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("ask kubelet: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return answer{}, fmt.Errorf("ask kubelet: it answers %s", resp.Status)
	}
	return parse(io.LimitReader(resp.Body, longest), time.Now())
}

// address of the kubelet of a node: an IP address rather than a name, since names need a DNS server that knows them.
func address(node *corev1.Node) (string, error) {
	port := int(node.Status.DaemonEndpoints.KubeletEndpoint.Port)
	if port == 0 {
		port = defaultKubeletPort
	}
	for _, kind := range []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeExternalIP, corev1.NodeHostName} {
		for _, a := range node.Status.Addresses {
			if a.Type == kind && a.Address != "" {
				return net.JoinHostPort(a.Address, strconv.Itoa(port)), nil
			}
		}
	}
	return "", fmt.Errorf("node %q has no address", node.Name)
}
