package kubecontroller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithoutEndpoints(t *testing.T) {
	const off = "-endpoints-controller,-endpointslice-controller,-endpointslice-mirroring-controller"
	for name, tc := range map[string]struct {
		args, want []string
	}{
		"no flag means all but the endpoint controllers": {
			args: []string{"--kubeconfig=k"},
			want: []string{"--controllers=*," + off, "--kubeconfig=k"},
		},
		"a given list keeps its order": {
			args: []string{"--controllers=*,bootstrapsigner", "--v=2"},
			want: []string{"--controllers=*,bootstrap-signer-controller," + off, "--v=2"},
		},
		"endpoint controllers that are asked for are taken out, by alias too": {
			args: []string{"--controllers", "endpoint,endpointslice-controller,namespace"},
			want: []string{"--controllers=namespace-controller," + off},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, withoutEndpoints(tc.args)); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetsHaveKnownControllersOnly(t *testing.T) {
	if unknown := unknownControllers(SeedControllers()); len(unknown) > 0 {
		t.Errorf("unknown: %q", unknown)
	}
}
