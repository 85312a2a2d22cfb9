package testmutation

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func shoot() *core.Shoot {
	return &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}, Spec: core.ShootSpec{Region: "r"}}
}

// choose finds the bytes that choose a field of shoot().
func choose(t *testing.T, kind byte, at ...any) []byte {
	t.Helper()
	base := shoot()
	all := paths(merge(skeleton(reflect.TypeOf(*base), nil), tree(base)), nil)
	for n, one := range all {
		if slices.Equal(one, path(at)) {
			return []byte{byte(n >> 8), byte(n), kind}
		}
	}
	t.Fatalf("there is no field %v", at)
	return nil
}

func TestMutate(t *testing.T) {
	t.Run("without edits an object stays as it is", func(t *testing.T) {
		got, ok := Mutate(shoot(), nil, "")
		if diff := cmp.Diff(shoot(), got); !ok || diff != "" {
			t.Errorf("%t (-want +got):\n%s", ok, diff)
		}
	})
	for name, tc := range map[string]struct {
		edits []byte
		text  string
		want  func(*core.Shoot)
	}{
		"a field is filled":               {choose(t, 0, "spec", "seedName"), "", func(s *core.Shoot) { s.Spec.SeedName = new(Text) }},
		"a field is removed":              {choose(t, 1, "spec", "region"), "", func(s *core.Shoot) { s.Spec.Region = "" }},
		"a text is written":               {choose(t, 4, "spec", "region"), "x", func(s *core.Shoot) { s.Spec.Region = "x" }},
		"an item of a list is filled":     {choose(t, 0, "spec", "provider", "workers", 0, "name"), "", func(s *core.Shoot) { s.Spec.Provider.Workers = []core.Worker{{Name: Text}} }},
		"a raw extension gets any JSON":   {choose(t, 5, "spec", "provider", "infrastructureConfig"), `[1]`, func(s *core.Shoot) { s.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte(`[1]`)} }},
		"a text becomes large":            {choose(t, 7, "metadata", "name"), "", func(s *core.Shoot) { s.Name = string(slices.Repeat([]byte("s"), Large)) }},
		"incomplete edits change nothing": {[]byte{0, 1}, "", func(*core.Shoot) {}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Mutate(shoot(), tc.edits, tc.text)
			want := shoot()
			tc.want(want)
			if diff := cmp.Diff(want, got); !ok || diff != "" {
				t.Errorf("%t (-want +got):\n%s", ok, diff)
			}
		})
	}
	t.Run("an object stays as small as requests are", func(t *testing.T) {
		edits := slices.Repeat(choose(t, 7, "spec", "provider", "workers"), 8)
		got, ok := Mutate(shoot(), slices.Concat(choose(t, 0, "spec", "provider"), edits), "")
		if size := len(JSON(got)); !ok || size > 2*largest {
			t.Errorf("%t, %d bytes", ok, size)
		}
	})
	t.Run("what is no object of the type is none", func(t *testing.T) {
		if got, ok := Mutate(shoot(), choose(t, 5, "spec", "provider"), "[]"); ok {
			t.Errorf("%v", got)
		}
	})
	t.Run("a filled object decodes", func(t *testing.T) {
		var edits []byte
		for _, field := range []string{"metadata", "spec", "status"} {
			edits = append(edits, choose(t, 0, field)...)
		}
		for n := 0; n < len(edits); n += 3 {
			got, ok := Mutate(shoot(), edits[n:n+3], "")
			if !ok || cmp.Equal(shoot(), got) {
				t.Errorf("%t, %v", ok, got)
			}
		}
	})
}
