package daytwo

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	pollPeriod = 100 * time.Millisecond
	// pollTimeout is shorter than a restart of etcd may take: a request that hangs counts as a failed one.
	pollTimeout = 5 * time.Second
)

// poller reads a Secret of the shoot again and again with the same credentials, as a client of a user does.
type poller struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}

	lock     sync.Mutex
	requests int
	failures []failure
}

type failure struct {
	at  time.Time
	err error
}

func configOf(t *testing.T, kubeconfig string) *rest.Config {
	t.Helper()
	raw, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(raw)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// startPoller polls until stop is called or the test ends.
func startPoller(t *testing.T, name, kubeconfig string) *poller {
	t.Helper()
	clients, err := kubernetes.NewForConfig(configOf(t, kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &poller{name: name, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for ctx.Err() == nil {
			p.ask(ctx, clients)
			select {
			case <-ctx.Done():
			case <-time.After(pollPeriod):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-p.done })
	return p
}

func (p *poller) ask(parent context.Context, clients kubernetes.Interface) {
	ctx, cancel := context.WithTimeout(parent, pollTimeout)
	defer cancel()
	began := time.Now()
	_, err := clients.CoreV1().Secrets(metav1.NamespaceDefault).Get(ctx, "secret-0", metav1.GetOptions{})
	if parent.Err() != nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.requests++
	if err != nil {
		p.failures = append(p.failures, failure{at: began, err: err})
	}
}

// stop ends the polling and checks that the credentials were never refused, and that no interruption was longer than the limit.
func (p *poller) stop(t *testing.T, limit time.Duration) {
	t.Helper()
	p.cancel()
	<-p.done
	p.lock.Lock()
	defer p.lock.Unlock()
	var longest time.Duration
	for i, first := 0, 0; i < len(p.failures); i++ {
		f := p.failures[i]
		if apierrors.IsUnauthorized(f.err) || apierrors.IsForbidden(f.err) || rejectsCertificate(f.err) {
			t.Errorf("%s: refused at %s: %v", p.name, f.at.Format(time.TimeOnly), f.err)
		}
		if i > 0 && f.at.Sub(p.failures[i-1].at) > pollTimeout+time.Second {
			first = i
		}
		longest = max(longest, f.at.Sub(p.failures[first].at))
	}
	t.Logf("%s: %d of %d requests failed, the longest interruption took %s", p.name, len(p.failures), p.requests, longest.Round(100*time.Millisecond))
	kinds := map[string]int{}
	for _, f := range p.failures {
		kinds[fmt.Sprintf("%.160v", f.err)]++
	}
	for kind, count := range kinds {
		t.Logf("%s: %d times: %s", p.name, count, kind)
	}
	if longest > limit {
		t.Errorf("%s: an interruption took %s, more than %s", p.name, longest, limit)
	}
	if p.requests < 20 {
		t.Errorf("%s: only %d requests", p.name, p.requests)
	}
}

// answer asks who the client is, and returns the code of the answer.
func answer(t *testing.T, config *rest.Config) int {
	t.Helper()
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/api/v1/namespaces/default/secrets", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}
