package name_test

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/machine/name"
)

func TestOfProviderID(t *testing.T) {
	const namespace = "shoot--sky--sun"
	for machine, want := range map[string]bool{
		"worker-z1-5d8f7-abcde":   true,
		"a.b":                     true,
		strings.Repeat("a", 253):  true,
		strings.Repeat("a", 254):  false,
		"":                        false,
		"../pods/m":               false,
		"m/status":                false,
		"m?watch=true":            false,
		"M":                       false,
		"m\nfaked line of a log":  false,
		strings.Repeat("a", 1e6):  false,
		strings.Repeat("a.", 1e6): false,
	} {
		gotNamespace, gotMachine, ok := name.OfProviderID(name.ProviderID(namespace, machine))
		if ok != want || ok && (gotNamespace != namespace || gotMachine != machine) || !ok && gotNamespace+gotMachine != "" {
			t.Errorf("GLT-30 machine %.40q: %.40q, %.40q, %v, want %v", machine, gotNamespace, gotMachine, ok, want)
		}
	}
	for _, id := range []string{"", "aws:///" + namespace + "/m", "local:///" + namespace, "local:////m", "local:///a.b/m", "local:///" + strings.Repeat("n", 64) + "/m"} {
		if gotNamespace, gotMachine, ok := name.OfProviderID(id); ok || gotNamespace+gotMachine != "" {
			t.Errorf("GLT-30 %q: %q, %q, %v", id, gotNamespace, gotMachine, ok)
		}
	}
}
