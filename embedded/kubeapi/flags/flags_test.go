package flags

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestArgs(t *testing.T) {
	for name, tc := range map[string]struct {
		flags Flags
		want  []string
	}{
		"the zero value leaves all to kube-apiserver but a few": {
			flags: Flags{},
			want:  []string{"--authorization-mode=Node,RBAC", "--allow-privileged=true", "--profiling=false"},
		},
		"ETC-1 events go to an etcd of their own": {
			flags: Flags{Etcd: Etcd{Servers: []string{"https://a"}, EventsServers: []string{"https://b", "https://c"}}},
			want: []string{
				"--etcd-servers=https://a", "--etcd-servers-overrides=/events#https://b;https://c",
				"--authorization-mode=Node,RBAC", "--allow-privileged=true", "--profiling=false",
			},
		},
		"switches come in a fixed order and extra flags last": {
			flags: Flags{
				Port: 6443, RuntimeConfig: map[string]bool{"b": true, "a": false}, Tokens: Tokens{MaxLife: ptr.To(time.Hour)},
				AuthorizationMode: []string{"RBAC"}, Extra: []string{"--v=2"}, Audit: Audit{Policy: "p", Webhook: "w"}, MaxRequests: ptr.To[int32](5),
			},
			want: []string{
				"--secure-port=6443", "--service-account-max-token-expiration=1h0m0s", "--authorization-mode=RBAC",
				"--runtime-config=a=false,b=true", "--audit-policy-file=p", "--audit-webhook-config-file=w", "--max-requests-inflight=5",
				"--allow-privileged=true", "--profiling=false", "--v=2",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.flags.Args()); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutNodesKeepsWhatIsSet(t *testing.T) {
	flags := Flags{RuntimeConfig: map[string]bool{"apps/v1": true}, EnableAdmission: []string{"RuntimeClass"}}
	got := flags.WithoutNodes()
	if !got.RuntimeConfig["apps/v1"] || got.RuntimeConfig["batch/v1"] {
		t.Errorf("runtime config %v", got.RuntimeConfig)
	}
	want := []string{"DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize"}
	if diff := cmp.Diff(want, got.DisableAdmission); diff != "" {
		t.Errorf("disabled admission (-want +got):\n%s", diff)
	}
	if len(flags.RuntimeConfig) != 1 || flags.DisableAdmission != nil {
		t.Error("the original has changed")
	}
}
