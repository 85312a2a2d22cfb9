package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/userdata"
)

func TestEnvironment(t *testing.T) {
	kubeconfig := `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"s","cluster":{"server":"https://api.s:8443"}}]}`
	data, err := userdata.Document{Files: []userdata.File{userdata.NewFile("/k", 0, []byte(kubeconfig))}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ host, want map[string]string }{
		"a host without a proxy": {host: map[string]string{"NO_PROXY": "x"}, want: map[string]string{}},
		"the proxy is not for the cluster's own names": {
			host: map[string]string{"https_proxy": "http://p", "no_proxy": "corp"},
			want: map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": ".svc,.svc.cluster.local,api.s,corp"},
		},
		"what kind lets its users choose": {
			host: map[string]string{"KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER": "native"},
			want: map[string]string{"KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER": "native"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := environment(func(key string) (string, bool) { value, ok := tc.host[key]; return value, ok }, container.Order{UserData: data})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}
