package ownflags_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

func TestGet(t *testing.T) {
	t.Setenv("ETCD_DATA_DIR", "from-variable")
	for name, tc := range map[string]struct {
		flags ownflags.Flags
		want  string
	}{
		"a value after an equals sign":              {ownflags.Flags{"--data-dir=a"}, "a"},
		"a value that is the next argument":         {ownflags.Flags{"--data-dir", "a"}, "a"},
		"one dash":                                  {ownflags.Flags{"-data-dir=a"}, "a"},
		"the last one counts":                       {ownflags.Flags{"--data-dir=a", "--data-dir", "b"}, "b"},
		"an empty value is a value":                 {ownflags.Flags{"--data-dir="}, ""},
		"a flag without a value has no next one":    {ownflags.Flags{"--force-new-cluster", "--data-dir=a"}, "a"},
		"a longer name is another flag":             {ownflags.Flags{"--data-dir-x=a"}, "from-variable"},
		"the value of another flag is not a flag":   {ownflags.Flags{"--name", "data-dir=x"}, "from-variable"},
		"a variable counts where there is no flag":  {nil, "from-variable"},
		"what comes without a flag is not one":      {ownflags.Flags{"data-dir=a"}, "from-variable"},
		"a value may contain an equals sign":        {ownflags.Flags{"--data-dir=a=b"}, "a=b"},
		"a flag may be the last one with no value":  {ownflags.Flags{"--name=x", "--data-dir"}, ""},
		"a flag of two arguments before it is read": {ownflags.Flags{"--name", "x", "--data-dir=a"}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.flags.Get("data-dir"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWith(t *testing.T) {
	got := ownflags.Flags{"--name", "x", "--initial-cluster=a", "-initial-cluster", "b", "--metrics=basic"}.With("initial-cluster", "c")
	want := ownflags.Flags{"--name", "x", "--metrics=basic", "--initial-cluster=c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	if got := (ownflags.Flags{"--name=m"}).DataDir(); got != "m.etcd" {
		t.Errorf("data directory %q", got)
	}
	for name, tc := range map[string]struct {
		flags          ownflags.Flags
		endpoint, host string
	}{
		"no flags":                            {nil, "http://localhost:2379", "localhost"},
		"all addresses":                       {ownflags.Flags{"--listen-client-urls=https://0.0.0.0:1"}, "https://localhost:1", "localhost"},
		"clients know it by a name":           {ownflags.Flags{"--listen-client-urls=https://127.0.0.1:1,http://127.0.0.2:2", "--advertise-client-urls=https://etcd.svc:1"}, "https://127.0.0.1:1", "etcd.svc"},
		"clients know it by where it listens": {ownflags.Flags{"--listen-client-urls", "https://127.0.0.1:1"}, "https://127.0.0.1:1", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, err := tc.flags.Endpoint()
			if err != nil || endpoint.String() != tc.endpoint {
				t.Errorf("endpoint %v, %v; want %s", endpoint, err, tc.endpoint)
			}
			if host, err := tc.flags.Host(); err != nil || host != tc.host {
				t.Errorf("host %q, %v; want %s", host, err, tc.host)
			}
		})
	}
}
