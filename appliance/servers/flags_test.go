package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// A server that takes the kubelet's port gets no requests of the seed's API server, which carry what users type in their pods.
func TestSeedVerifiesItsKubelet(t *testing.T) {
	in := Access{PKI: &pki.Bundle{}}
	in.PKI.Seed.CA = "ca.crt"
	if flags := in.seedFlags(storage{}, "").Args(); !slices.Contains(flags, "--kubelet-certificate-authority=ca.crt") {
		t.Errorf("the API server of the seed verifies nobody: %q", flags)
	}
}

func TestSeedLimitsUsers(t *testing.T) {
	in := RuntimeInputs{Etcds: Etcds{Access: Access{PKI: &pki.Bundle{}}}}
	t.Run("APP-19 a component of a control plane takes neither all requests nor all watches of a seed", func(t *testing.T) {
		if c := in.seedServer(storage{}); c.MaxRequestsPerUser != 100 || c.MaxWatchesPerUser != 500 {
			t.Errorf("%d requests and %d watches per user", c.MaxRequestsPerUser, c.MaxWatchesPerUser)
		}
	})
}

func TestGardenAsksItsTokenWebhook(t *testing.T) {
	files, err := paths.New("/state")
	if err != nil {
		t.Fatal(err)
	}
	in := GardenInputs{Etcds: Etcds{Access: Access{PKI: &pki.Bundle{}}, Paths: files}}
	for enabled, want := range map[bool][]string{
		false: nil,
		true:  {"--authentication-token-webhook-config-file=/state/kubeconfigs/token-webhook.yaml", "--authentication-token-webhook-cache-ttl=0s"},
	} {
		t.Run(fmt.Sprintf("OIDC-6 the API server of the garden asks the webhook if that is enabled: %t", enabled), func(t *testing.T) {
			in.Settings.OpenIDConnectWebhook = config.OpenIDConnectWebhook{Enabled: enabled}
			var got []string
			for _, flag := range in.gardenFlags(storage{}).Args() {
				if strings.HasPrefix(flag, "--authentication-token-webhook") {
					got = append(got, flag)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("flags %q, want %q", got, want)
			}
		})
	}
}

func TestGardenHasAName(t *testing.T) {
	t.Run("OPR-13 the API server of the garden knows its name in the domain of the garden", func(t *testing.T) {
		in := GardenInputs{Etcds: Etcds{Access: Access{PKI: &pki.Bundle{}}}, Door: Door{Domain: "garden.example.org"}}
		if flags := in.gardenFlags(storage{}).Args(); !slices.Contains(flags, "--external-hostname=api.garden.example.org") {
			t.Errorf("flags %q", flags)
		}
	})
}

func TestGardenNames(t *testing.T) {
	names := &GardenNames{}
	source := Door{Names: names, Ports: state.Ports{GardenAPIServer: 6443}}.Sources()[0]
	routed := func(name string) bool {
		to, found := source.Route(name)
		if found && (to.Host != "127.0.0.1" || to.Port != 6443) {
			t.Errorf("%s leads to %+v", name, to)
		}
		return found
	}
	t.Run("OPR-13 a name of the garden is routed as long as it is one", func(t *testing.T) {
		if routed("api.old.example.org") {
			t.Error("a name is routed before it is set")
		}
		names.Set([]string{"api.old.example.org"})
		if !routed("api.old.example.org") || routed("api.other.example.org") || routed("old.example.org") {
			t.Error("other names are routed than those that are set")
		}
		names.Set(nil)
		if routed("api.old.example.org") {
			t.Error("a former name is routed")
		}
	})
	t.Run("a process without the garden has no names of it", func(t *testing.T) {
		if sources := (Door{}).Sources(); len(sources) > 0 {
			t.Errorf("%d sources", len(sources))
		}
	})
}
