package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestAddresses(t *testing.T) {
	for address, want := range map[string][]string{
		"10.1.2.3:8080":   {"10.1.2.3:8080", "127.0.0.1:8080"},
		"[fd00::1]:8080":  {"[fd00::1]:8080", "127.0.0.1:8080"},
		"127.64.1.2:8080": {"127.64.1.2:8080"},
		":8080":           {":8080"},
		"0.0.0.0:8080":    {"0.0.0.0:8080"},
	} {
		if got := addresses(address); !slices.Equal(got, want) {
			t.Errorf("addresses for %s are %v, want %v", address, got, want)
		}
	}
}

func TestProfiles(t *testing.T) {
	for name, tc := range map[string]struct {
		config Config
		path   string
		want   int
	}{
		"ETC-13 no profiles are served unless they are wanted": {Config{}, "/debug/pprof/heap", http.StatusNotFound},
		"ETC-13 profiles are served":                           {Config{Profiles: true}, "/debug/pprof/heap", http.StatusOK},
		"ETC-13 their list is served":                          {Config{Profiles: true}, "/debug/pprof/", http.StatusOK},
		"ETC-13 symbols are served":                            {Config{Profiles: true}, "/debug/pprof/symbol", http.StatusOK},
		"ETC-13 profiles need a certificate where others do":   {Config{Profiles: true, Cert: "file"}, "/debug/pprof/heap", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			handler(tc.config).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, tc.path, nil))
			if answer.Code != tc.want {
				t.Errorf("status %d, want %d", answer.Code, tc.want)
			}
		})
	}
}
