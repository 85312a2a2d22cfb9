package shoot

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestWarnedFieldsAreDocumented compares docs/api.md with the lists that warnings are made of.
func TestWarnedFieldsAreDocumented(t *testing.T) {
	var old []string
	for _, field := range outdated {
		old = append(old, field.path)
	}
	if diff := cmp.Diff(old, documented(t, "outdated")); diff != "" {
		t.Errorf("outdated fields (-code +docs/api.md):\n%s", diff)
	}
	without := slices.DeleteFunc(documented(t, "without effect: Shoot"), func(path string) bool { return slices.Contains(old, path) })
	if diff := cmp.Diff(ineffective, without); diff != "" {
		t.Errorf("fields without effect (-code +docs/api.md):\n%s", diff)
	}
}

// documented returns the paths in a list of docs/api.md.
func documented(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("../../../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "<!-- "+name+" -->\n")
	list, _, _ = strings.Cut(list, "<!-- end -->")
	if !found {
		t.Fatalf("there is no list %q", name)
	}
	var paths []string
	for line := range strings.Lines(list) {
		paths = append(paths, strings.Split(line, "`")[1])
	}
	return paths
}

func TestEveryPathOfFieldsWithoutEffectExists(t *testing.T) {
	for _, path := range ineffective {
		at := reflect.TypeFor[core.Shoot]()
		for key := range strings.SplitSeq(path, ".") {
			for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
				at = at.Elem()
			}
			at = fieldOf(reflect.New(at).Elem(), strings.TrimSuffix(key, "[]")).Type()
		}
	}
}

func TestFieldsWithoutEffectCauseAWarning(t *testing.T) {
	shoot := &core.Shoot{}
	core.SetObjectDefaults_Shoot(shoot)
	shoot.Spec.Provider.Workers = []core.Worker{{Name: "a"}}
	core.SetObjectDefaults_Shoot(shoot)
	if got := warnIneffective(shoot, nil); len(got) > 0 {
		t.Errorf("warned of defaults: %q", got)
	}
	shoot.Spec.Provider.Workers[0].ControlPlane = &core.WorkerControlPlane{}
	want := []string{"spec.provider.workers[].controlPlane is stored, but has no effect in this landscape"}
	if diff := cmp.Diff(want, warnIneffective(shoot, nil)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if got := warnIneffective(shoot, shoot.DeepCopy()); len(got) > 0 {
		t.Errorf("warned of what did not change: %q", got)
	}
}
