package rawextension

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestNormalize(t *testing.T) {
	type holder struct {
		One  runtime.RawExtension
		Some map[string]runtime.RawExtension
		None *runtime.RawExtension
	}
	for name, tc := range map[string][2]string{
		"spaces and lines go":               {"{\n  \"a\": [ 1, \"b  c\" ]\n}\n", `{"a":[1,"b  c"]}`},
		"the order of keys stays":           {`{"b": 1, "a": 2}`, `{"b":1,"a":2}`},
		"signs of HTML are escaped":         {`{"a":"<b> & c"}`, "{\"a\":\"\\u003cb\\u003e \\u0026 c\"}"},
		"numbers keep their spelling":       {`{"a": 1.0e5}`, `{"a":1.0e5}`},
		"what is in the form already stays": {`{"a":1}`, `{"a":1}`},
		"what is no JSON stays":             {"{ a", "{ a"},
		"nothing stays nothing":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			sent := []byte(tc[0])
			got := &holder{One: runtime.RawExtension{Raw: sent}, Some: map[string]runtime.RawExtension{"a": {Raw: sent}}}
			Normalize(got)
			if diff := cmp.Diff([2]string{tc[1], tc[1]}, [2]string{string(got.One.Raw), string(got.Some["a"].Raw)}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if string(sent) != tc[0] {
				t.Errorf("the bytes of somebody else became %q", sent)
			}
		})
	}
}

// TestNormalForm is about the promise of Normalize: a client's copy that went through JSON is equal.
func TestNormalForm(t *testing.T) {
	raw := func() *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte("{\n \"a\": \"<x>\" }")} }
	shoot := &core.Shoot{Spec: core.ShootSpec{
		Extensions: []core.Extension{{ProviderConfig: raw()}}, Networking: &core.Networking{ProviderConfig: raw()},
		Kubernetes: core.Kubernetes{KubeAPIServer: &core.KubeAPIServerConfig{AdmissionPlugins: []core.AdmissionPlugin{{Config: raw()}}}},
		Provider:   core.Provider{InfrastructureConfig: raw(), Workers: []core.Worker{{ProviderConfig: raw()}}},
	}}
	Normalize(shoot)
	written, err := json.Marshal(shoot)
	if err != nil {
		t.Fatal(err)
	}
	read := &core.Shoot{}
	if err := json.Unmarshal(written, read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shoot.Spec, read.Spec); diff != "" {
		t.Errorf("a copy (-normal +read):\n%s", diff)
	}
}
