// Package monitoring serves the metrics of a landscape: of the garden, the seeds and the control planes and nodes of shoots. Operators
// log in with a token of the garden, users of a shoot with the password that the gardenlet publishes for them.
package monitoring

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/embedded/drain"
	"github.com/gardener-up/gardener-up/embedded/federation"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

// Times of the server. A request may take what its targets may take.
const (
	headerTimeout   = 10 * time.Second
	writeTimeout    = time.Minute
	shutdownTimeout = 5 * time.Second
)

// atOnce is how many requests are answered at a time. The others are told to come again.
const atOnce = 8

const healthPath = "/healthz"

// Part is the server. The objects of the landscape come first, with the namespace of its clients.
func Part(in Inputs) component.Part {
	return component.Part{
		After: []string{landscape.PartName}, Restart: true, Health: in.health(),
		Component: loop.New(in.Name, in.run, in.ready),
	}
}

func (in Inputs) run(ctx context.Context) error {
	garden, err := in.Garden()
	if err != nil {
		return err
	}
	if err := landscape.Register(ctx, garden, clientObjects()); err != nil {
		return err
	}
	certificate, err := polled.NewCertificate(in.Server.Cert, in.Server.Key)
	if err != nil {
		return fmt.Errorf("read the certificate for metrics: %w", err)
	}
	go certificate.Run(ctx)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", in.Address)
	if err != nil {
		return fmt.Errorf("listen for requests for metrics: %w", err)
	}
	return serve(ctx, listener, &http.Server{
		Handler: in.handler(garden), ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.Get},
	})
}

func serve(ctx context.Context, listener net.Listener, server *http.Server) error {
	connections := &drain.Connections{}
	server.ConnState = connections.Note
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve metrics: %w", err)
	case <-ctx.Done():
	}
	stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	err := connections.Shutdown(stopping, server)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}

// handler serves the metrics and, for everybody, whether it serves.
func (in Inputs) handler(garden client.Client) http.Handler {
	log := in.Log.WithName(in.Name)
	access := &access{garden: garden, seeds: in.Seeds, runtime: in.Runtime}
	metrics := federation.Handler{
		Federation: federation.New(federation.DefaultLimits()), Access: access.decide, Targets: finder{Inputs: in, garden: garden}.targets, Log: log,
	}
	mux := http.NewServeMux()
	mux.HandleFunc(healthPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	mux.Handle(metricsPath, limited(metrics, atOnce))
	return mux
}

// limited answers a few requests at a time.
func limited(handler http.Handler, most int) http.Handler {
	slots := make(chan struct{}, most)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			handler.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "5")
			http.Error(w, "too many requests for metrics at a time; try again in a moment", http.StatusTooManyRequests)
		}
	})
}

// asking is the client of a part that asks itself: it sends nothing, so it need not know whom it asks.
var asking = &http.Client{Transport: &http.Transport{
	DisableKeepAlives: true,
	TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}, //nolint:gosec // see above
}}

func (in Inputs) ready(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, in.health(), nil)
	if err != nil {
		return err
	}
	response, err := asking.Do(request)
	if err != nil {
		return fmt.Errorf("metrics are not served yet: %w", err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("metrics are not served yet: %s answers %s", in.health(), response.Status)
	}
	return nil
}

func (in Inputs) health() string { return "https://" + in.Address + healthPath }
