package podservice

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestDial(t *testing.T) {
	to := netip.MustParseAddrPort("100.64.3.4:443")
	t.Run("APP-13 nothing is dialled before the cluster can be asked", func(t *testing.T) {
		if _, err := New(t.TempDir()).Dial(t.Context(), "tcp", to); err == nil || !strings.Contains(err.Error(), "not known yet") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("APP-13 Services are served by TCP only", func(t *testing.T) {
		if _, err := New(t.TempDir()).Dial(t.Context(), "udp", to); err == nil || !strings.Contains(err.Error(), "udp") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("APP-13 no pod is dialled that no node of the cluster has", func(t *testing.T) {
		var simulated *guardeddial.SimulatedError
		if _, err := New(t.TempDir()).DialPod(t.Context(), netip.MustParseAddrPort("127.64.3.4:80")); !errors.As(err, &simulated) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("APP-13 the cluster is not asked before somebody dials, and an end of the request is no wait", func(t *testing.T) {
		asked := make(chan struct{}, 100)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked <- struct{}{}
			http.Error(w, "not now", http.StatusServiceUnavailable)
		}))
		defer server.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := New(t.TempDir())
		s.Use(ctx, &rest.Config{Host: server.URL})
		if len(asked) > 0 {
			t.Error("it was asked")
		}
		request, end := context.WithCancel(ctx)
		go func() { <-asked; end() }()
		if _, err := s.Dial(request, "tcp", to); err == nil || !strings.Contains(err.Error(), "not known yet") {
			t.Errorf("error is %v", err)
		}
	})
}
