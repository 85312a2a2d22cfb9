package groups

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/util"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/openapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
	"github.com/gardener-up/gardener-up/embedded/internal/randomtest"
)

// manager makes the field manager of a kind.
func manager(tb testing.TB, types *scheme.Types, gvk schema.GroupVersionKind, structs bool) *managedfields.FieldManager {
	tb.Helper()
	sample, err := types.New(gvk)
	if err != nil {
		tb.Fatal(err)
	}
	config := genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, apiopenapi.NewDefinitionNamer(scheme.Served()))
	definitions, err := builder3.BuildOpenAPIDefinitionsForResources(config, util.GetCanonicalTypeName(sample))
	if err != nil {
		tb.Fatal(err)
	}
	by, err := managedfields.NewTypeConverter(definitions, false)
	if err != nil {
		tb.Fatal(err)
	}
	if !structs {
		by = newConverter(by)
	}
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	out, err := managedfields.NewDefaultFieldManager(by, runtime.UnsafeObjectConvertor(types.Scheme), types.Scheme, types.Scheme, gvk, hub, "", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// read returns a defaulted object as a handler has it, and as a manifest that is applied.
func read(tb testing.TB, types *scheme.Types, file string) (runtime.Object, *unstructured.Unstructured, schema.GroupVersionKind) {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	object, gvk, err := types.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	types.Default(object)
	hub, err := types.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		tb.Fatal(err)
	}
	manifest := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &manifest.Object); err != nil {
		tb.Fatal(err)
	}
	return hub, manifest, *gvk
}

// changed is a copy with one more label.
func changed(tb testing.TB, object runtime.Object) runtime.Object {
	tb.Helper()
	object = object.DeepCopyObject()
	accessor, err := meta.Accessor(object)
	if err != nil {
		tb.Fatal(err)
	}
	accessor.SetLabels(map[string]string{"changed": "yes"})
	return object
}

// history is what managers leave in an object: one creates it, one changes it, one applies a manifest.
func history(t *testing.T, types *scheme.Types, gvk schema.GroupVersionKind, object runtime.Object, manifest *unstructured.Unstructured, structs bool) (states []runtime.Object) {
	fields := manager(t, types, gvk, structs)
	note := func(state runtime.Object, err error) runtime.Object {
		if err != nil {
			t.Fatal(err)
		}
		copied := state.DeepCopyObject()
		accessor, err := meta.Accessor(copied)
		if err != nil {
			t.Fatal(err)
		}
		entries := accessor.GetManagedFields()
		for i := range entries {
			entries[i].Time = nil
		}
		slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int { return cmp.Compare(a.Manager, b.Manager) }) // else by time
		accessor.SetManagedFields(entries)
		states = append(states, copied)
		return state
	}
	empty, err := types.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	created := note(fields.Update(empty, object.DeepCopyObject(), "creator"))
	updated := note(fields.Update(created, changed(t, created), "changer"))
	note(fields.Update(updated, updated.DeepCopyObject(), "idler"))
	note(fields.Apply(updated, manifest, "applier", true))
	return states
}

func TestConverter(t *testing.T) {
	files, err := filepath.Glob("../../../../examples/full/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	types := scheme.New()
	for _, file := range append(files, "../../../../examples/90-shoot.yaml") {
		t.Run("managers of fields are the same by structs and lazily: "+filepath.Base(file), func(t *testing.T) {
			object, manifest, gvk := read(t, types, file)
			byStructs, lazily := history(t, types, gvk, object, manifest, true), history(t, types, gvk, object, manifest, false)
			if diff := gocmp.Diff(byStructs, lazily); diff != "" {
				t.Errorf("after creation, change, no change and application (-structs +lazily):\n%s", diff)
			}
		})
	}

	t.Run("so they are after any change", func(t *testing.T) {
		_, _, gvk := read(t, types, "../../../../examples/full/shoot.yaml")
		byStructs, lazily := manager(t, types, gvk, true), manager(t, types, gvk, false)
		for seed := range int64(100) {
			live, changed := random(t, types, gvk, seed), random(t, types, gvk, seed/2) // every other object is the same
			var entries [2][]metav1.ManagedFieldsEntry
			for i, fields := range []*managedfields.FieldManager{byStructs, lazily} {
				state := live.DeepCopyObject()
				for _, next := range []runtime.Object{changed, live, changed} {
					var err error
					next = next.DeepCopyObject()
					accessor, _ := meta.Accessor(next)
					if state, err = fields.Update(state, next, "changer"); err != nil {
						t.Fatal(err)
					}
					entries[i] = append(entries[i], accessor.GetManagedFields()...)
				}
			}
			if diff := gocmp.Diff(entries[0], entries[1], cmpopts.IgnoreFields(metav1.ManagedFieldsEntry{}, "Time")); diff != "" {
				t.Fatalf("seed %d (-structs +lazily):\n%s", seed, diff)
			}
		}
	})

	t.Run("an object is not changed by looking at it", func(t *testing.T) {
		object, _, gvk := read(t, types, "../../../../examples/full/shoot.yaml")
		before := object.DeepCopyObject()
		if _, err := manager(t, types, gvk, false).Update(before.DeepCopyObject(), object, "somebody"); err != nil {
			t.Fatal(err)
		}
		accessor, _ := meta.Accessor(object)
		accessor.SetManagedFields(nil)
		object.GetObjectKind().SetGroupVersionKind(before.GetObjectKind().GroupVersionKind())
		if diff := gocmp.Diff(before, object); diff != "" {
			t.Errorf("changed (-before +after):\n%s", diff)
		}
	})
}

// random is an object with anything in its spec and status.
func random(t *testing.T, types *scheme.Types, gvk schema.GroupVersionKind, seed int64) runtime.Object {
	object, err := types.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	randomtest.Filler(seed).Fill(object)
	return object
}

func BenchmarkUpdate(b *testing.B) {
	types := scheme.New()
	for name, structs := range map[string]bool{"structs": true, "lazily": false} {
		object, _, gvk := read(b, types, "../../../../examples/90-shoot.yaml")
		fields := manager(b, types, gvk, structs)
		empty, _ := types.New(gvk)
		created, err := fields.Update(empty, object, "creator")
		if err != nil {
			b.Fatal(err)
		}
		next := changed(b, created)
		b.Run(name+"/create", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fresh := object.DeepCopyObject()
				if _, err := fields.Update(empty, fresh, "creator"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/change", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fields.Update(created, next.DeepCopyObject(), "changer"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
