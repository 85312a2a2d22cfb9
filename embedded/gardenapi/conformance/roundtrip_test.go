package conformance

import (
	"bytes"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// own are all kinds and lists of Gardener that are served.
func own() map[schema.GroupVersionKind]runtime.Object {
	out := map[schema.GroupVersionKind]runtime.Object{}
	for gvk, goType := range types.AllKnownTypes() {
		old := gvk.Group == "core.gardener.cloud" && gvk.Version == "v1alpha1" // the same types as v1beta1
		if !old && strings.Contains(goType.PkgPath(), "/embedded/apis/") {
			out[gvk] = reflect.New(goType).Interface().(runtime.Object)
		}
	}
	return out
}

// check fills an object of a kind at random and takes it through everything that happens to objects.
func check(t *testing.T, gvk schema.GroupVersionKind, object runtime.Object, seed int64) {
	t.Helper()
	filler(seed).Fill(object)
	object.GetObjectKind().SetGroupVersionKind(gvk)

	text := toJSON(t, object)
	fromJSON, _, err := read(text)
	if err != nil {
		t.Fatalf("seed %d: decode JSON: %v", seed, err)
	}
	if diff := diffOf(object, fromJSON); diff != "" {
		t.Fatalf("seed %d: JSON (-before +after):\n%s", seed, diff)
	}
	inYAML, err := yaml.JSONToYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	fromYAML, _, err := read(inYAML)
	if err != nil {
		t.Fatalf("seed %d: decode YAML: %v", seed, err)
	}
	if diff := diffOf(object, fromYAML); diff != "" {
		t.Fatalf("seed %d: YAML (-before +after):\n%s", seed, diff)
	}
	if diff := diffOf(object, throughProtobuf(t, gvk, object)); diff != "" {
		t.Fatalf("seed %d: protocol buffers (-before +after):\n%s", seed, diff)
	}
	types.Default(object)
	again := object.DeepCopyObject()
	types.Default(again)
	if diff := cmp.Diff(object, again, equalQuantities); diff != "" {
		t.Fatalf("seed %d: defaulting twice (-once +twice):\n%s", seed, diff)
	}
	validate(gvk, object, fromJSON)
}

// throughProtobuf also holds that equal objects have equal forms.
func throughProtobuf(t *testing.T, gvk schema.GroupVersionKind, object runtime.Object) runtime.Object {
	t.Helper()
	form, err := object.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	out, err := types.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.(interface{ Unmarshal([]byte) error }).Unmarshal(form); err != nil {
		t.Fatal(err)
	}
	if again, err := out.(interface{ Marshal() ([]byte, error) }).Marshal(); err != nil || !bytes.Equal(form, again) {
		t.Fatalf("%x became %x, %v", form, again, err)
	}
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out
}

var equalQuantities = cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })

// diffOf is empty for objects that mean the same. It asks for the difference only if there is one, which is slow.
func diffOf(before, after runtime.Object) string {
	if equality.Semantic.DeepEqual(before, after) {
		return ""
	}
	return cmp.Diff(before, after, cmpopts.EquateEmpty(), equalQuantities)
}

// validate only sees whether anything panics.
func validate(gvk schema.GroupVersionKind, object, old runtime.Object) {
	v, ok := validators[gvk]
	if !ok {
		return
	}
	v.create(object)
	if v.update != nil {
		v.update(object, old)
		v.update(old, object)
	}
}

func TestRoundTrip(t *testing.T) {
	for gvk := range own() {
		t.Run(gvk.GroupVersion().String()+" "+gvk.Kind, func(t *testing.T) {
			t.Parallel() // as in an API server, which handles many kinds at once
			seeds := rand.New(rand.NewSource(1))
			for range 20 {
				object, err := types.New(gvk)
				if err != nil {
					t.Fatal(err)
				}
				check(t, gvk, object, seeds.Int63())
			}
		})
	}
}

// FuzzKinds is TestRoundTrip for as long as one likes.
func FuzzKinds(f *testing.F) {
	kinds := slices.SortedFunc(maps.Keys(own()), func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	for i := range kinds {
		f.Add(uint8(i), int64(i))
	}
	f.Fuzz(func(t *testing.T, number uint8, seed int64) {
		gvk := kinds[int(number)%len(kinds)]
		object, err := types.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		check(t, gvk, object, seed)
	})
}

// FuzzManifest changes the examples byte by byte: what decodes is defaulted and validated without panic, and what is
// valid is still valid after it has been stored and read.
func FuzzManifest(f *testing.F) {
	for _, text := range manifests(f) {
		inJSON, err := yaml.YAMLToJSON(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(inJSON)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, gvk, err := read(text)
		v, ok := validators[gvk]
		if err != nil || !ok {
			return
		}
		types.Default(object)
		errs := v.create(object)
		stored, gvk, err := read(toJSON(t, object))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		types.Default(stored)
		validate(gvk, stored, object)
		if after := v.create(stored); len(errs) == 0 && len(after) > 0 {
			t.Fatalf("was valid: %v", describe(after))
		}
	})
}
