package connectivity

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTry(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	got := Try(t.Context(), []string{open.Addr().String(), closed.Addr().String()})
	if failure, tried := got[open.Addr().String()]; !tried || failure != "" {
		t.Errorf("NWX-4 an address that answers: %t, %q", tried, failure)
	}
	if failure := got[closed.Addr().String()]; !strings.Contains(failure, "refused") {
		t.Errorf("NWX-4 an address that does not answer: %q", failure)
	}
}

func TestHandler(t *testing.T) {
	var asked []string
	handler := Handler(func(_ context.Context, addresses []string) Result {
		asked = addresses
		return Result{addresses[0]: "", addresses[1]: "timed out"}
	})
	request := func(path string, addresses ...string) *httptest.ResponseRecorder {
		asked = nil
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"?"+url.Values{Param: addresses}.Encode(), nil))
		return w
	}
	if w := request("/healthz"); w.Code != http.StatusOK {
		t.Errorf("/healthz answers %d", w.Code)
	}
	w := request(Path, "100.96.0.7:8080", "100.64.0.3:53")
	result := Result{}
	if err := json.Unmarshal(w.Body.Bytes(), &result); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if diff := cmp.Diff(Result{"100.96.0.7:8080": "", "100.64.0.3:53": "timed out"}, result); diff != "" || w.Code != http.StatusOK {
		t.Errorf("NWX-4 status %d, result (-want +got):\n%s", w.Code, diff)
	}
	for name, addresses := range map[string][]string{
		"nothing":               nil,
		"a name":                {"kubernetes.default:443"},
		"no port":               {"100.96.0.7"},
		"the pod itself":        {"100.96.0.7:8080", "127.0.0.1:8080"},
		"the pod as IPv6":       {"[::ffff:127.0.0.1]:8080"},
		"the data of a cloud":   {"169.254.169.254:80"},
		"everything at the pod": {"0.0.0.0:8080"},
		"too many":              slices.Repeat([]string{"100.96.0.7:8080"}, most+1),
	} {
		t.Run("NWX-4 refuses "+name, func(t *testing.T) {
			if w := request(Path, addresses...); w.Code != http.StatusBadRequest || asked != nil {
				t.Errorf("status %d %s, tried %v", w.Code, w.Body, asked)
			}
		})
	}
}
