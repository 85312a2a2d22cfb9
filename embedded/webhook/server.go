package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/drain"
)

// Intervals for checking certificates and registration, normally and after a failure.
const (
	interval = 5 * time.Minute
	retry    = time.Second
)

// Bounds of what callers may ask of a server. API servers have no credential for webhooks, so anybody who reaches the server calls it.
const (
	readTimeout = 20 * time.Second // of a whole request
	maxRequest  = 7 << 20          // bytes, as in controller-runtime
	maxAtOnce   = 64               // requests that are read and answered
)

// Certificates come from somebody who keeps and renews them.
type Certificates interface {
	// For returns a certificate of the server with the given name, valid now and for all hosts (names or addresses), by the keys
	// tls.crt and tls.key. The key ca.crt has all authorities that API servers must trust.
	For(ctx context.Context, server string, hosts []string) (map[string][]byte, error)
}

// Server is a runnable of a manager. It serves in every replica, whether or not it is the leader.
type Server struct {
	// Name is the name of the webhook configurations in the target.
	Name  string
	Hooks []Hook
	// Source holds the Secret with the certificates; it need not be cached.
	Source client.Client
	Reader client.Reader // uncached, of the same cluster
	Secret types.NamespacedName
	// Certificates replaces Secret; may be nil. A Secret of a former release is deleted.
	Certificates Certificates
	// Target is the cluster whose requests are admitted; nil if something else registers the hooks, with the bundle of the Secret. See Announced.
	Target client.Client
	// Announced is how long a new authority is in the bundle before certificates of it are served. Zero suits a Target, which learns of it at
	// the same time.
	Announced time.Duration
	Clock     clock.Clock
	// Limits are for callers who may be hostile; nil if all callers are API servers of Gardener's own clusters.
	Limits *Limits
	// BindAddress is host:port; port 0 takes a free one.
	BindAddress string
	// Service is the Service through which the API server reaches this process. Without it URL is used, and without URL
	// the address listened on.
	Service *admissionregistrationv1.ServiceReference
	URL     string // https://host:port
	// CertDir contains the files of a certificate that something else makes and renews; it replaces Secret. See
	// readFiles.
	CertDir string
	// Listen opens what the server accepts connections from, if that is no port of this machine; it replaces BindAddress. It needs Service or URL.
	Listen func() (net.Listener, error)

	certificate atomic.Pointer[tls.Certificate]
	serving     atomic.Bool
	base        string // URL that is registered
}

// NeedLeaderElection is false, because an API server may call any replica.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends. Without hooks it only removes the registrations of earlier runs.
func (s *Server) Start(ctx context.Context) error {
	if len(s.Hooks) == 0 && s.Target != nil {
		s.untilDone(ctx, func(ctx context.Context) error { return Register(ctx, s.Target, s.Name, nil, nil) })
		return nil
	}
	listener, err := s.listen()
	if err != nil {
		return fmt.Errorf("listen for webhooks: %w", err)
	}
	s.base = s.URL
	if s.base == "" {
		s.base = "https://" + listener.Addr().String()
	}
	if !s.untilDone(ctx, s.maintain) {
		return listener.Close()
	}
	server := &http.Server{
		Handler: s.handler(log.FromContext(ctx)), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: readTimeout, IdleTimeout: 2 * time.Minute,
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // one connection of HTTP/2 may have any number of requests
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.certificate.Load(), nil },
		},
	}
	connections := &drain.Connections{}
	server.ConnState = connections.Note
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	s.serving.Store(true)
	defer s.serving.Store(false)
	log.FromContext(ctx).Info("Webhooks are registered and served", "name", s.Name, "address", listener.Addr().String())
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("serve webhooks: %w", err)
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return errors.Join(connections.Shutdown(ctx, server), ignoreClosed(<-ended))
		case <-s.Clock.After(interval):
			s.untilDone(ctx, s.maintain)
		}
	}
}

// Ready is a health check: nil if the hooks are registered and answer.
func (s *Server) Ready(*http.Request) error {
	if !s.serving.Load() {
		return fmt.Errorf("webhooks %q are not registered yet", s.Name)
	}
	return nil
}

// untilDone repeats until it succeeds. It returns false if ctx ends before.
func (s *Server) untilDone(ctx context.Context, do func(context.Context) error) bool {
	for ctx.Err() == nil {
		err := do(ctx)
		if err == nil {
			return true
		}
		log.FromContext(ctx).V(1).Info("Webhooks are not registered yet", "name", s.Name, "reason", err.Error())
		select {
		case <-ctx.Done():
		case <-s.Clock.After(retry):
		}
	}
	return false
}

// maintain renews certificates if necessary, and registers the hooks.
func (s *Server) maintain(ctx context.Context) error {
	hosts, err := s.hosts()
	if err != nil {
		return err
	}
	data, err := s.pair(ctx, hosts)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(data[keyCert], data[keyKey])
	if err != nil {
		return fmt.Errorf("use certificate: %w", err)
	}
	s.certificate.Store(&pair)
	if s.Target == nil {
		return nil
	}
	bundle := Bundle(data)
	return Register(ctx, s.Target, s.Name, s.Hooks, func(path string) admissionregistrationv1.WebhookClientConfig {
		if s.Service != nil {
			at := atService(*s.Service, path)
			at.CABundle = bundle
			return at
		}
		return admissionregistrationv1.WebhookClientConfig{URL: ptr.To(s.base + path), CABundle: bundle}
	})
}

func (s *Server) hosts() ([]string, error) {
	if s.Service != nil {
		name := s.Service.Name + "." + s.Service.Namespace
		return []string{name + ".svc", name, s.Service.Name}, nil
	}
	parsed, err := url.Parse(s.base)
	if err != nil || parsed.Hostname() == "" {
		return nil, fmt.Errorf("URL of webhooks %q has no host", s.base)
	}
	return []string{parsed.Hostname()}, nil
}

// pair returns key, certificate and the CA bundle for API servers, all by the keys of the Secret.
func (s *Server) pair(ctx context.Context, hosts []string) (map[string][]byte, error) {
	if s.CertDir != "" {
		return readFiles(s.CertDir)
	}
	if s.Certificates != nil {
		former := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Secret.Namespace, Name: s.Secret.Name}}
		if err := client.IgnoreNotFound(s.Source.Delete(ctx, former)); err != nil {
			return nil, fmt.Errorf("delete former certificates of webhooks: %w", err)
		}
		return s.Certificates.For(ctx, s.Name, hosts)
	}
	return s.certificates(ctx, hosts)
}

// certificates reads the Secret and renews its content if necessary. If several replicas try at once, one of them
// succeeds.
func (s *Server) certificates(ctx context.Context, hosts []string) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, s.Secret, secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return nil, fmt.Errorf("read certificates of webhooks: %w", err)
	}
	data, changed, err := s.renew(secret.Data, hosts)
	if err != nil || !changed {
		return data, err
	}
	if missing {
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Secret.Namespace, Name: s.Secret.Name}, Data: data}
		err = s.Source.Create(ctx, secret)
	} else {
		secret.Data = data
		err = s.Source.Update(ctx, secret)
	}
	if err != nil {
		return nil, fmt.Errorf("store certificates of webhooks: %w", err) // another replica was faster; the next try reads its content
	}
	return data, nil
}

func (s *Server) renew(current map[string][]byte, hosts []string) (data map[string][]byte, changed bool, err error) {
	if s.Announced > 0 {
		return RenewAnnounced(current, hosts, s.Clock.Now(), s.Announced)
	}
	return Renew(current, hosts, s.Clock.Now())
}

func (s *Server) handler(logger logr.Logger) http.Handler {
	if s.Limits != nil {
		return s.Limits.handler(Handler(s.Hooks, logger))
	}
	return bounded(Handler(s.Hooks, logger), maxAtOnce)
}

// Handler answers the calls of hooks at their paths.
func Handler(hooks []Hook, logger logr.Logger) *http.ServeMux {
	mux := http.NewServeMux()
	for _, h := range hooks {
		handler, err := admission.StandaloneWebhook(&admission.Webhook{Handler: h.Handler}, admission.StandaloneOptions{Logger: logger})
		if err != nil {
			panic(err) // only options that are not passed can be invalid
		}
		mux.Handle(strings.TrimSuffix(h.Path, "/"), handler)
		mux.Handle(strings.TrimSuffix(h.Path, "/")+"/", handler)
	}
	return mux
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// bounded answers so many requests at once, and lets others wait until their callers give up.
func bounded(handler http.Handler, atOnce int) http.Handler {
	turns := make(chan struct{}, atOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
		case <-r.Context().Done():
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		handler.ServeHTTP(w, r)
	})
}
