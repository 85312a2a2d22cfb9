package app

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/federation"
)

func TestMetricsAddress(t *testing.T) {
	for name, tc := range map[string]struct{ url, dial, serverName string }{
		"an address of this machine is dialled":               {"https://127.0.0.1:9000/metrics", "127.0.0.1:9000", ""},
		"a name at the front door is asked for there":         {"https://metrics.garden.example.org:8443/metrics", "192.0.2.1:8443", "metrics.garden.example.org"},
		"an address of version 6 is dialled with its bracket": {"https://[::1]:9000/metrics", "[::1]:9000", ""},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := addressOf(tc.url, "192.0.2.1:8443", nil)
			if err != nil || at.dial != tc.dial || at.serverName != tc.serverName {
				t.Errorf("got %+v, %v", at, err)
			}
			config := scrapeConfigOf(at, authorization{CredentialsFile: "f"}).ScrapeConfigs[0]
			if diff := cmp.Diff([]staticConfig{{Targets: []string{tc.dial}}}, config.Static); diff != "" || config.TLS.ServerName != tc.serverName || !config.HonorLabels {
				t.Errorf("configuration is %+v", config)
			}
		})
	}
	if _, err := addressOf("", "192.0.2.1:8443", nil); err == nil || !strings.Contains(err.Error(), "no metrics") {
		t.Errorf("an older landscape: %v", err)
	}
}

func TestReadMetrics(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			http.Error(w, "no valid credential", http.StatusUnauthorized)
		case r.URL.Query().Get("scope") == "seed/none":
			http.Error(w, "there is no such seed or shoot", http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(r.URL.Query().Get("scope") + " " + r.URL.Query().Get("name[]")))
		}
	}))
	defer server.Close()
	at, err := addressOf(server.URL+"/metrics", "", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	if err != nil {
		t.Fatal(err)
	}
	body, err := at.get(t.Context(), "secret", federation.Scope{Kind: federation.Garden}, []string{"up"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	text := make([]byte, 64)
	n, _ := body.Read(text)
	if got := string(text[:n]); got != "garden up" {
		t.Errorf("asked for %q", got)
	}
	_, err = at.get(t.Context(), "secret", federation.Scope{Kind: federation.Seed, Name: "none"}, nil)
	if coded, ok := errors.AsType[*exitError](err); !ok || coded.code != codeNotFound || coded.hint == "" || !strings.Contains(err.Error(), "no such seed") {
		t.Errorf("a seed that is none: %v", err)
	}
	if _, err := at.get(t.Context(), "other", federation.Scope{}, nil); err == nil || !strings.Contains(err.Error(), "no valid credential") {
		t.Errorf("another token: %v", err)
	}
}

func TestCheckToken(t *testing.T) {
	for expiration, ok := range map[time.Duration]bool{usualToken: true, shortestToken: true, longestToken: true, time.Minute: false, longestToken + 1: false} {
		if err := checkToken(expiration); (err == nil) != ok {
			t.Errorf("%s: %v", expiration, err)
		}
	}
}
