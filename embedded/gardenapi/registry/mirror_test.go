package registry

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func binding(namespace, name string) *core.SecretBinding {
	return &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// TestMirror changes what a mirror keeps as its reflector does. That it follows storages is tested by all integration tests
// of plugins.
func TestMirror(t *testing.T) {
	m := newMirror(context.Background(), nil)
	kept := countedStore{m.kept, &m.changes, cache.NewCacheMutationDetector("test")}
	names := func(namespace string) (names []string) {
		m.each(namespace, func(obj runtime.Object) bool {
			names = append(names, obj.(*core.SecretBinding).Namespace+"/"+obj.(*core.SecretBinding).Name)
			return len(names) < 3
		})
		return names
	}
	for _, step := range []struct {
		name   string
		change func() error
		want   []string
	}{
		{"nothing is known at first", func() error { return nil }, nil},
		{"a list is visited in the order of namespaces and names", func() error {
			return kept.Replace([]any{binding("b", "a"), binding("a", "z"), binding("a", "c")}, "5")
		}, []string{"a/c", "a/z", "b/a"}},
		{"nothing changes", func() error { return nil }, []string{"a/c", "a/z", "b/a"}},
		{"a new object is seen, and no more are visited than wanted", func() error { return kept.Add(binding("a", "a")) }, []string{"a/a", "a/c", "a/z"}},
		{"an object that is gone is not", func() error { return kept.Delete(binding("a", "c")) }, []string{"a/a", "a/z", "b/a"}},
		{"the newest state is visited", func() error { return kept.Update(binding("a", "z")) }, []string{"a/a", "a/z", "b/a"}},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, names("")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if diff := cmp.Diff([]string{"b/a"}, names("b")); diff != "" {
		t.Errorf("objects of one namespace (-want +got):\n%s", diff)
	}
	changed := binding("a", "z")
	if err := kept.Update(changed); err != nil {
		t.Fatal(err)
	}
	if obj, found := m.get("a", "z"); !found || obj != runtime.Object(changed) {
		t.Errorf("an object by its name: got %v, %v", obj, found)
	}
	if _, found := m.get("", "z"); found {
		t.Error("an object is not found without its namespace")
	}
}
