package kubeapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// asked is a transport that keeps what it is asked.
type asked struct {
	url  string
	fail error
}

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	a.url = r.URL.String()
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("kubelet")), Header: http.Header{}, Request: r}, a.fail
}

// refusing refuses connections with an error.
type refusing struct{ err error }

func (refusing) Handles(o admission.Operation) bool { return o == admission.Connect }
func (f refusing) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetName() != "embedded" || a.GetSubresource() != "proxy" || a.GetKind().Kind != "NodeProxyOptions" {
		return errors.New("other attributes")
	}
	return f.err
}

func TestNodeProxy(t *testing.T) {
	node := func(_ context.Context, name string) (*corev1.Node, error) {
		addresses := map[string]string{"embedded": "127.64.0.9", "usual": "10.1.2.3"}
		if addresses[name] == "" {
			return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "nodes"}, name)
		}
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeInternalIP, Address: addresses[name]},
		}}}, nil
	}
	info := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	for name, tc := range map[string]struct {
		method, path, upgrade string
		refuses, fails        error
		wantURL, wantBody     string
		wantCode              int
	}{
		"KON-4 a kubelet at a loopback address":    {path: "/api/v1/nodes/embedded/proxy/metrics/resource?x=1", wantURL: "https://127.64.0.9:10250/metrics/resource?x=1", wantBody: "kubelet"},
		"nodes at other addresses":                 {path: "/api/v1/nodes/usual/proxy/metrics", wantBody: "usual way"},
		"nodes that do not exist":                  {path: "/api/v1/nodes/none/proxy/metrics", wantBody: "usual way"},
		"another port of the node":                 {path: "/api/v1/nodes/https:embedded:443/proxy/metrics", wantBody: "usual way"},
		"another subresource":                      {path: "/api/v1/nodes/embedded/status", wantBody: "usual way"},
		"another resource":                         {path: "/api/v1/namespaces/a/pods/embedded/proxy/metrics", wantBody: "usual way"},
		"a path that is authorized in a namespace": {path: "/api/v1/namespaces/a/nodes/embedded/proxy/pods", wantBody: "usual way"},
		"a path that is authorized as a watch":     {path: "/api/v1/watch/nodes/embedded/proxy/pods", wantBody: "usual way"},
		"another version":                          {path: "/api/v9/nodes/embedded/proxy/pods", wantBody: "usual way"},
		"commands in containers":                   {method: http.MethodPost, path: "/api/v1/nodes/embedded/proxy/run/a/b/c", wantBody: "usual way"},
		"upgraded connections":                     {upgrade: "websocket", path: "/api/v1/nodes/embedded/proxy/exec/a/b/c", wantBody: "usual way"},
		"what admission refuses":                   {refuses: apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "embedded", nil), path: "/api/v1/nodes/embedded/proxy/metrics", wantCode: http.StatusForbidden},
		"a kubelet that the guard does not know":   {fails: errors.New("boom"), path: "/api/v1/nodes/embedded/proxy/metrics", wantURL: "https://127.64.0.9:10250/metrics", wantCode: http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			transport := &asked{fail: tc.fails}
			handler := nodeProxy{node: node, transport: transport, admission: refusing{tc.refuses}, next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("usual way"))
			})}
			r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, http.NoBody)
			r.Header.Set("Upgrade", tc.upgrade)
			parsed, err := info.NewRequestInfo(r)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r.WithContext(request.WithRequestInfo(r.Context(), parsed)))
			if want := max(tc.wantCode, http.StatusOK); w.Code != want || tc.wantBody != "" && w.Body.String() != tc.wantBody || transport.url != tc.wantURL {
				t.Errorf("it asks %q and answers %d %s", transport.url, w.Code, w.Body)
			}
		})
	}
}
