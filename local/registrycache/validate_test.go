package registrycache

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const head = `{"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig",`

func TestDecodeRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ config, want string }{
		"OSC-8 nothing":                  {"", "providerConfig is missing"},
		"OSC-8 another version":          {`{"apiVersion":"registry.extensions.gardener.cloud/v1","kind":"RegistryConfig"}`, "has to be RegistryConfig of registry.extensions.gardener.cloud/v1alpha3"},
		"OSC-8 another kind":             {`{"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"MirrorConfig"}`, "has to be"},
		"OSC-8 fields that nobody knows": {head + `"caches":[{"upstrem":"x"}]}`, `unknown field "upstrem"`},
		"OSC-8 what is no quantity":      {head + `"caches":[{"upstream":"x","volume":{"size":"big"}}]}`, "read providerConfig"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode(&runtime.RawExtension{Raw: []byte(tc.config)}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	was := Status{Caches: []CacheStatus{{Upstream: "docker.io", VolumeSize: "1Gi", StorageClassName: "fast"}}}
	resources := []gardencorev1beta1.NamedResourceReference{
		{Name: "login", ResourceRef: autoscalingv1.CrossVersionObjectReference{Kind: "Secret", Name: "s"}},
		{Name: "map", ResourceRef: autoscalingv1.CrossVersionObjectReference{Kind: "ConfigMap", Name: "m"}},
	}
	for name, tc := range map[string]struct {
		caches string
		want   []string
	}{
		"OSC-8 all that can be said": {caches: `[{"upstream":"docker.io","remoteURL":"https://mirror.gcr.io","volume":{"size":"1Gi","storageClassName":"fast"},
			"garbageCollection":{"ttl":"0s"},"secretReferenceName":"login","proxy":{"httpProxy":"http://p:1","httpsProxy":"http://p:1"},"http":{"tls":false},"highAvailability":{"enabled":true}},
			{"upstream":"10.0.0.1:5000","remoteURL":"http://10.0.0.1:5000"},{"upstream":"registry.k8s.io"}]`},
		"OSC-8 no caches":                      {`[]`, []string{"caches"}},
		"OSC-8 a registry twice":               {`[{"upstream":"a.b"},{"upstream":"a.b"}]`, []string{"caches[1].upstream"}},
		"OSC-8 no registry":                    {`[{}]`, []string{"caches[0].upstream"}},
		"OSC-8 a URL for a registry":           {`[{"upstream":"https://a.b"}]`, []string{"caches[0].upstream"}},
		"OSC-8 a port that is none":            {`[{"upstream":"a.b:0"},{"upstream":"a.b:x"}]`, []string{"caches[0].upstream", "caches[1].upstream"}},
		"OSC-8 a remote without scheme":        {`[{"upstream":"a.b","remoteURL":"a.b"},{"upstream":"b.b","remoteURL":"https://a.b/c"}]`, []string{"caches[0].remoteURL", "caches[1].remoteURL"}},
		"OSC-8 a volume of nothing":            {`[{"upstream":"a.b","volume":{"size":"0","storageClassName":"A_B"}}]`, []string{"caches[0].volume.size", "caches[0].volume.storageClassName"}},
		"OSC-8 a time before now":              {`[{"upstream":"a.b","garbageCollection":{"ttl":"-1s"}}]`, []string{"caches[0].garbageCollection.ttl"}},
		"OSC-8 a secret that nobody refers to": {`[{"upstream":"a.b","secretReferenceName":"x"},{"upstream":"b.b","secretReferenceName":"map"}]`, []string{"caches[0].secretReferenceName", "caches[1].secretReferenceName"}},
		"OSC-8 a proxy that is none":           {`[{"upstream":"a.b","proxy":{"httpProxy":"p:1","httpsProxy":"x"}}]`, []string{"caches[0].proxy.httpProxy", "caches[0].proxy.httpsProxy"}},
		"OSC-8 TLS":                            {`[{"upstream":"a.b","http":{"tls":true}}]`, []string{"caches[0].http.tls"}},
		"OSC-8 another volume":                 {`[{"upstream":"docker.io","volume":{"size":"2Gi"}}]`, []string{"caches[0].volume.size", "caches[0].volume.storageClassName"}},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := Decode(&runtime.RawExtension{Raw: []byte(head + `"caches":` + tc.caches + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range Validate(config, resources, was) {
				got = append(got, e.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAssign(t *testing.T) {
	prefix := netip.MustParsePrefix
	caches := func(upstreams ...string) (out []Cache) {
		for _, u := range upstreams {
			out = append(out, Cache{Upstream: u})
		}
		return out
	}
	first, err := assign(caches("a", "b"), Status{}, prefix("10.0.0.0/24"))
	if err != nil || first.Caches[0].Endpoint != "http://10.0.0.32:5000" || first.Caches[1].address() != "10.0.0.33" {
		t.Errorf("OSC-8 addresses are %+v, %v", first, err)
	}
	raw, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var read Status
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	second, err := assign(caches("c", "b"), read, prefix("10.0.0.0/24"))
	if err != nil || second.Caches[1].address() != "10.0.0.33" || second.Caches[0].address() != "10.0.0.34" {
		t.Errorf("OSC-8 an address was taken away, or given to somebody else at once: %+v, %v", second, err)
	}
	if _, err := assign(caches("a"), Status{}, prefix("10.0.0.0/27")); err == nil {
		t.Error("OSC-8 a range without room gave an address")
	}
	if six, err := assign(caches("a"), Status{}, prefix("fd00::/112")); err != nil || six.Caches[0].Endpoint != "http://[fd00::20]:5000" || six.Caches[0].address() != "fd00::20" {
		t.Errorf("OSC-8 addresses are %+v, %v", six, err)
	}
}

func TestObjectNames(t *testing.T) {
	seen := map[string]string{}
	for _, upstream := range []string{"docker.io", "a-b.c", "a.b-c", "a.b:5000", strings.Repeat("a", 200) + ".io", strings.Repeat("a", 200) + ".eu"} {
		name := objectName(upstream)
		if other, taken := seen[name]; taken || len(name) > 51 {
			t.Errorf("OSC-8 %s and %s are both %s", upstream, other, name)
		}
		seen[name] = upstream
	}
	if got := objectName("docker.io"); got != "registry-docker-io" {
		t.Errorf("OSC-8 name is %s", got)
	}
}
