package rawextension

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestValidate(t *testing.T) {
	raw := func(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }
	with := func(text string) *core.Shoot {
		return &core.Shoot{Spec: core.ShootSpec{
			Extensions: []core.Extension{{}, {ProviderConfig: raw(text)}},
			Networking: &core.Networking{ProviderConfig: raw(text)},
			Provider:   core.Provider{InfrastructureConfig: raw(text), Workers: []core.Worker{{Volume: &core.Volume{}, ProviderConfig: raw(text)}}},
		}}
	}
	for _, text := range []string{"", "{}", " \n{\"a\": [1]}", "null"} {
		t.Run("allowed is "+text, func(t *testing.T) {
			if errs := Validate(with(text), nil); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
	for _, text := range []string{"1", `"a"`, "[]", "true", " -1.5"} {
		t.Run("not allowed is "+text, func(t *testing.T) {
			var fields []string
			for _, err := range Validate(with(text), &core.Shoot{}) {
				fields = append(fields, err.Field)
			}
			want := "[spec.extensions[1].providerConfig spec.networking.providerConfig spec.provider.infrastructureConfig spec.provider.workers[0].providerConfig]"
			if fmt.Sprint(fields) != want {
				t.Errorf("got  %v\nwant %s", fields, want)
			}
		})
	}
	t.Run("long values are cut", func(t *testing.T) {
		long := `"` + strings.Repeat("a", 10000) + `"`
		if errs := Validate(with(long), nil); len(errs) != 4 || len(errs[0].Error()) > 200 {
			t.Errorf("got %.500v", errs)
		}
	})
	t.Run("what was wrong before may stay", func(t *testing.T) {
		if errs := Validate(with("1"), with("2")); len(errs) > 0 {
			t.Error(errs)
		}
	})
	t.Run("an object without any", func(t *testing.T) {
		if errs := Validate(&core.Project{}, nil); len(errs) > 0 {
			t.Error(errs)
		}
	})
}
