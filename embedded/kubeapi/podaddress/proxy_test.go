package podaddress

import (
	"context"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/apis/core"
)

// shared gives away its objects as a cache does.
type shared struct {
	storage.Interface
	pod       core.Pod
	endpoints core.Endpoints
}

func (s *shared) Get(_ context.Context, _ string, _ storage.GetOptions, out runtime.Object) error {
	switch o := out.(type) {
	case *core.Pod:
		*o = s.pod
	case *core.Endpoints:
		*o = s.endpoints
	}
	return nil
}

func TestProxy(t *testing.T) {
	t.Run("APP-13 only the proxy sees stand-ins", func(t *testing.T) {
		s := &shared{
			pod:       core.Pod{Status: core.PodStatus{PodIPs: []core.PodIP{{IP: "127.64.1.2"}, {IP: "10.0.0.1"}, {IP: "127.0.0.1"}}}},
			endpoints: core.Endpoints{Subsets: []core.EndpointSubset{{Addresses: []core.EndpointAddress{{IP: "127.64.1.2"}}}}},
		}
		before := &shared{pod: *s.pod.DeepCopy(), endpoints: *s.endpoints.DeepCopy()}
		read := func(resource, subresource string) (pod core.Pod, endpoints core.Endpoints) {
			ctx := request.WithRequestInfo(t.Context(), &request.RequestInfo{IsResourceRequest: true, Resource: resource, Subresource: subresource})
			for _, out := range []runtime.Object{&pod, &endpoints} {
				if err := (proxying{s}).Get(ctx, "", storage.GetOptions{}, out); err != nil {
					t.Fatal(err)
				}
			}
			return pod, endpoints
		}
		for _, resource := range []string{"pods", "services"} {
			pod, endpoints := read(resource, "proxy")
			if diff := cmp.Diff([]core.PodIP{{IP: "0.64.1.2"}, {IP: "10.0.0.1"}, {IP: "127.0.0.1"}}, pod.Status.PodIPs); diff != "" {
				t.Errorf("the proxy of %s sees addresses of a pod: %s", resource, diff)
			}
			if got := endpoints.Subsets[0].Addresses[0].IP; got != "0.64.1.2" {
				t.Errorf("the proxy of %s sees the endpoint %s", resource, got)
			}
		}
		for _, request := range [][2]string{{"pods", ""}, {"pods", "log"}, {"nodes", "proxy"}} {
			pod, endpoints := read(request[0], request[1])
			if diff := cmp.Diff(before.pod, pod); diff != "" {
				t.Errorf("a request for %v sees stand-ins: %s", request, diff)
			}
			if diff := cmp.Diff(before.endpoints, endpoints); diff != "" {
				t.Errorf("a request for %v sees stand-ins: %s", request, diff)
			}
		}
		if diff := cmp.Diff([]any{before.pod, before.endpoints}, []any{s.pod, s.endpoints}); diff != "" {
			t.Errorf("what the cache has is changed: %s", diff)
		}
	})
}

func TestRestored(t *testing.T) {
	t.Run("APP-13 addresses of pods have stand-ins, and no others", func(t *testing.T) {
		for from, want := range map[string]string{"0.64.1.2": "127.64.1.2", "127.64.1.2": "", "0.0.0.1": "", "10.64.1.2": "", "::1": ""} {
			got, ok := Restored(netip.MustParseAddr(from))
			if ok != (want != "") || ok && got.String() != want {
				t.Errorf("%s is restored to %s %t, want %q", from, got, ok, want)
			}
		}
	})
}
