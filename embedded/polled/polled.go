// Package polled reads certificates again when their files change, by looking at the files now and then. What Kubernetes and
// controller-runtime have for that opens one inotify instance for each file, often two. The kernel allows a user 128 of them by default,
// in all processes, and several landscapes with a few shoots need more.
package polled

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// Interval is how often files are read. It is that of controller-runtime's certwatcher, which polls as well.
const Interval = 10 * time.Second

// CA polls the files of a provider of certificate authorities, or of a union of such providers. Providers that read no files are returned
// as they are.
func CA(provider dynamiccertificates.CAContentProvider) dynamiccertificates.CAContentProvider {
	if runner, ok := provider.(dynamiccertificates.ControllerRunner); ok {
		return authorities{provider, polled{runner, Interval}}
	}
	return provider
}

type authorities struct {
	dynamiccertificates.CAContentProvider
	polled
}

// Pair polls the files of a serving certificate and its key. Providers that read no files are returned as they are.
func Pair(provider dynamiccertificates.CertKeyContentProvider) dynamiccertificates.CertKeyContentProvider {
	if runner, ok := provider.(dynamiccertificates.ControllerRunner); ok {
		return pair{provider, polled{runner, Interval}}
	}
	return provider
}

type pair struct {
	dynamiccertificates.CertKeyContentProvider
	polled
}

// Named is Pair for the certificates of certain server names.
func Named(provider dynamiccertificates.SNICertKeyContentProvider) dynamiccertificates.SNICertKeyContentProvider {
	if runner, ok := provider.(dynamiccertificates.ControllerRunner); ok {
		return named{provider, polled{runner, Interval}}
	}
	return provider
}

type named struct {
	dynamiccertificates.SNICertKeyContentProvider
	polled
}

// polled replaces the Run of a controller that watches files. Its RunOnce reads them, and tells its listeners of a change.
type polled struct {
	controller dynamiccertificates.ControllerRunner
	interval   time.Duration
}

var _ dynamiccertificates.ControllerRunner = polled{}

// RunOnce implements dynamiccertificates.ControllerRunner.
func (p polled) RunOnce(ctx context.Context) error { return p.controller.RunOnce(ctx) }

// Run implements dynamiccertificates.ControllerRunner.
func (p polled) Run(ctx context.Context, _ int) { poll(ctx, p.interval, p.controller.RunOnce) }

// pollers are all that poll in this process.
var pollers sync.Map // *poller without a value

type poller struct {
	read func(context.Context) error
	mu   sync.Mutex // one reads at a time
}

func (p *poller) once(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read(ctx)
}

// Now has all that poll in this process read their files, and returns when they have done so. Whoever changes files need not wait for the
// next poll.
func Now(ctx context.Context) error {
	var errs []error
	pollers.Range(func(key, _ any) bool {
		errs = append(errs, key.(*poller).once(ctx))
		return true
	})
	return errors.Join(errs...)
}

// poll reads until ctx ends. A file that cannot be read or does not fit its key is probably being written.
func poll(ctx context.Context, interval time.Duration, read func(context.Context) error) {
	r := &poller{read: read}
	pollers.Store(r, nil)
	defer pollers.Delete(r)
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := r.once(ctx); err != nil {
			logr.FromContextOrDiscard(ctx).Error(err, "A certificate cannot be read again and stays the former one")
		}
	}, interval)
}

// Certificate is the serving certificate of a server that is not one of Kubernetes'.
type Certificate struct {
	certFile, keyFile string
	cert, key         []byte // as they were read last
	current           atomic.Pointer[tls.Certificate]
}

// NewCertificate reads a certificate and its key.
func NewCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	return c, c.read()
}

// Get is the GetCertificate of a tls.Config.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.current.Load(), nil
}

// Run reads the files again until ctx ends.
func (c *Certificate) Run(ctx context.Context) {
	poll(ctx, Interval, func(context.Context) error { return c.read() })
}

func (c *Certificate) read() error {
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return err
	}
	if bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key) {
		return nil
	}
	parsed, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.certFile, c.keyFile, err)
	}
	c.cert, c.key = cert, key
	c.current.Store(&parsed)
	return nil
}

// Authorities verify client certificates for a server that is not one of Kubernetes'.
type Authorities struct {
	file    string
	content []byte // as it was read last
	current atomic.Pointer[x509.CertPool]
}

// NewAuthorities reads certificates of authorities.
func NewAuthorities(file string) (*Authorities, error) {
	a := &Authorities{file: file}
	return a, a.read()
}

// Pool is what is trusted now.
func (a *Authorities) Pool() *x509.CertPool { return a.current.Load() }

// Run reads the file again until ctx ends.
func (a *Authorities) Run(ctx context.Context) {
	poll(ctx, Interval, func(context.Context) error { return a.read() })
}

func (a *Authorities) read() error {
	content, err := os.ReadFile(a.file)
	if err != nil || bytes.Equal(content, a.content) {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return fmt.Errorf("%s contains no certificate", a.file)
	}
	a.content = content
	a.current.Store(pool)
	return nil
}

// Content is that of a file that a server reads once.
type Content struct {
	file  string
	known []byte
}

// NewContent reads a file.
func NewContent(file string) (*Content, error) {
	known, err := os.ReadFile(file)
	return &Content{file: file, known: known}, err
}

// Run reads the file again until ctx ends, and calls changed when it has another content.
func (c *Content) Run(ctx context.Context, changed func()) {
	poll(ctx, Interval, func(context.Context) error {
		content, err := os.ReadFile(c.file)
		if err != nil || bytes.Equal(content, c.known) {
			return err
		}
		c.known = content
		changed()
		return nil
	})
}
