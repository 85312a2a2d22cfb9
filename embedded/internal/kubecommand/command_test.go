package kubecommand_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

func TestValue(t *testing.T) {
	for name, tc := range map[string]struct {
		args  []string
		value string
		found bool
		rest  []string
	}{
		"a flag with an equals sign":     {[]string{"--a=1", "--controllers=*,-x", "--b"}, "*,-x", true, []string{"--a=1", "--b"}},
		"a flag with its value after it": {[]string{"--controllers", "*", "--b"}, "*", true, []string{"--b"}},
		"no such flag":                   {[]string{"--controllers-x=1"}, "", false, []string{"--controllers-x=1"}},
		"the last one wins":              {[]string{"--controllers=a", "--controllers=b"}, "b", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			value, found, rest := kubecommand.Value(tc.args, "controllers")
			if value != tc.value || found != tc.found {
				t.Errorf("got %q, %v", value, found)
			}
			if diff := cmp.Diff(tc.rest, rest); diff != "" {
				t.Errorf("rest (-want +got):\n%s", diff)
			}
		})
	}
}
