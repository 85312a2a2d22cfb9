// Package poller asks the API server of a shoot again and again, as a client of a user does during a change.
package poller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Period is the pause between two requests.
const Period = 100 * time.Millisecond

// pollTimeout is shorter than a restart of etcd may take: a request that hangs counts as a failed one.
const pollTimeout = 5 * time.Second

// Poller reads the Secret default/secret-0 with the same credentials until it is stopped.
type Poller struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}

	lock     sync.Mutex
	requests int
	inARow   int // that were answered last
	failures []failure
}

type failure struct {
	at  time.Time
	err error
}

// Config reads a kubeconfig for a client that is not throttled.
func Config(t *testing.T, kubeconfig string) *rest.Config {
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

// Start polls until Stop is called or the test ends. The name is for the log.
func Start(t *testing.T, name, kubeconfig string) *Poller {
	t.Helper()
	clients, err := kubernetes.NewForConfig(Config(t, kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Poller{name: name, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for ctx.Err() == nil {
			p.ask(ctx, clients)
			select {
			case <-ctx.Done():
			case <-time.After(Period):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-p.done })
	return p
}

func (p *Poller) ask(parent context.Context, clients kubernetes.Interface) {
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
	p.inARow++
	if err != nil {
		p.inARow = 0
		p.failures = append(p.failures, failure{at: began, err: err})
	}
}

// answersInARow is how many answers without a failure between them show that an interruption is over.
const answersInARow = 20

// Recovered reports whether the last requests were answered.
func (p *Poller) Recovered() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.inARow >= answersInARow
}

// Stop ends the polling and checks that the credentials were never refused, and that no interruption was longer than the limit.
func (p *Poller) Stop(t *testing.T, limit time.Duration) {
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

func rejectsCertificate(err error) bool {
	unknown := x509.UnknownAuthorityError{}
	return errors.As(err, &unknown) || strings.Contains(err.Error(), "x509:")
}
