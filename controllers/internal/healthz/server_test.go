package healthz_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/healthz"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestServer(t *testing.T) {
	var sick atomic.Bool
	plain, secure := testport.Free(t), testport.Free(t)
	server := &healthz.Server{
		Plain:  &componentconfig.Listener{BindAddress: "127.0.0.1", Port: plain},
		Secure: &componentconfig.HTTPSListener{Listener: componentconfig.Listener{BindAddress: "127.0.0.1", Port: secure}},
		Healthy: func(*http.Request) error {
			if sick.Load() {
				return errors.New("lease not renewed")
			}
			return nil
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()

	for _, url := range []string{fmt.Sprintf("http://127.0.0.1:%d/healthz", plain), fmt.Sprintf("https://127.0.0.1:%d/healthz", secure)} {
		scheme, _, _ := strings.Cut(url, ":")
		t.Run("GLT-12 "+scheme+" answers 200 in good health", func(t *testing.T) {
			if status, body := get(t, url); status != 200 || body != "ok" {
				t.Errorf("%d %q", status, body)
			}
		})
		t.Run("GLT-12 "+scheme+" answers 500 and the reason otherwise", func(t *testing.T) {
			sick.Store(true)
			defer sick.Store(false)
			if status, body := get(t, url); status != 500 || !strings.Contains(body, "lease not renewed") {
				t.Errorf("%d %q", status, body)
			}
		})
	}
	t.Run("an address that is taken ends the server", func(t *testing.T) {
		again := &healthz.Server{Plain: &componentconfig.Listener{BindAddress: "127.0.0.1", Port: plain}}
		if err := again.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("Start = %v", err)
		}
	})
	t.Run("a certificate that cannot be read ends the server", func(t *testing.T) {
		again := &healthz.Server{Secure: &componentconfig.HTTPSListener{TLS: &componentconfig.TLSFiles{ServerCertPath: "nowhere", ServerKeyPath: "nowhere"}}}
		if err := again.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("Start = %v", err)
		}
	})
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Start = %v", err)
	}
}

// get asks until the server answers.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	var response *http.Response
	testwait.Until(t, url, func() (err error) { response, err = client.Get(url); return err })
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}
