package sandboxed

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

func TestCommandLine(t *testing.T) {
	image := imagestore.Image{Config: v1.Config{Entrypoint: []string{"entry"}, Cmd: []string{"default"}}}
	for name, tc := range map[string]struct {
		command, args []string
		image         imagestore.Image
		want          []string
	}{
		"APP-11 the image's entry point with its arguments":      {image: image, want: []string{"entry", "default"}},
		"APP-11 arguments of the pod replace those of the image": {args: []string{"a"}, image: image, want: []string{"entry", "a"}},
		"APP-11 a command replaces both":                         {command: []string{"c"}, image: image, want: []string{"c"}},
		"APP-11 a command with arguments":                        {command: []string{"c"}, args: []string{"a"}, image: image, want: []string{"c", "a"}},
		"APP-11 nothing to run is an error":                      {},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := commandLine(&cri.ContainerConfig{Command: tc.command, Args: tc.args}, tc.image)
			if (err != nil) != (tc.want == nil) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("command line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	image := imagestore.Image{Config: v1.Config{Env: []string{"PATH=/image", "A=1", "B=1"}}}
	got := variables(&cri.ContainerConfig{Envs: []*cri.KeyValue{{Key: "B", Value: []byte("2=2")}, {Key: "C"}}}, image)
	if diff := cmp.Diff([]string{"PATH=/image", "A=1", "B=2=2", "C="}, got); diff != "" {
		t.Errorf("APP-11 variables (-want +got):\n%s", diff)
	}
}

func TestCapabilities(t *testing.T) {
	for name, tc := range map[string]struct {
		context     *cri.LinuxContainerSecurityContext
		has, hasNot string
		wantNone    bool
	}{
		"APP-11 the usual ones":            {has: "CAP_CHOWN", hasNot: "CAP_SYS_ADMIN"},
		"APP-11 one more":                  {context: with([]string{"SYS_TIME"}, nil), has: "CAP_SYS_TIME", hasNot: "CAP_SYS_ADMIN"},
		"APP-11 none":                      {context: with(nil, []string{"ALL"}), wantNone: true},
		"APP-11 none but one":              {context: with([]string{"NET_BIND_SERVICE"}, []string{"ALL"}), has: "CAP_NET_BIND_SERVICE", hasNot: "CAP_CHOWN"},
		"APP-11 all of a privileged one":   {context: &cri.LinuxContainerSecurityContext{Privileged: true}, has: "CAP_SYS_ADMIN"},
		"APP-11 one is dropped, by prefix": {context: with(nil, []string{"CAP_CHOWN"}), has: "CAP_KILL", hasNot: "CAP_CHOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			got := capabilities(tc.context)
			if tc.wantNone && len(got) > 0 || tc.has != "" && !slices.Contains(got, tc.has) || tc.hasNot != "" && slices.Contains(got, tc.hasNot) {
				t.Errorf("capabilities %v", got)
			}
		})
	}
}

func with(add, drop []string) *cri.LinuxContainerSecurityContext {
	return &cri.LinuxContainerSecurityContext{Capabilities: &cri.Capability{AddCapabilities: add, DropCapabilities: drop}}
}
