package pages_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/embedded/pages"
	"github.com/gardener-up/gardener-up/embedded/shortanswers"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// cluster reads as gardenlets read shoots, admin without limits.
var cluster, admin client.WithWatch

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(env *testenv.Env) {
		var err, failed error
		cluster, err = client.NewWithWatch(shortanswers.Only(env.Config), client.Options{})
		admin, failed = client.NewWithWatch(env.Config, client.Options{})
		if err = errors.Join(err, failed); err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}

// fill makes Nodes with long annotations, as an administrator of a shoot can, and selects them.
func fill(t *testing.T, name string, count, annotation int) client.ListOption {
	t.Helper()
	test := map[string]string{"test": name}
	for i := range count {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%d", name, i), Labels: maps.Clone(test), Annotations: map[string]string{"filler": strings.Repeat("x", annotation)},
		}}
		for label := range annotation / 50 { // annotations have 256 KiB together, but no limit bounds labels
			node.Labels[fmt.Sprintf("l%d", label)] = strings.Repeat("x", 60)
		}
		if err := admin.Create(t.Context(), node); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := admin.DeleteAllOf(context.Background(), &corev1.Node{}, client.MatchingLabels(test)); err != nil {
			t.Error(err)
		}
	})
	return client.MatchingLabels(test)
}

// counting counts requests of lists.
func counting(requests *int) client.Reader {
	return interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			*requests++
			return c.List(ctx, list, opts...)
		},
	})
}

func TestOf(t *testing.T) {
	t.Run("usual objects come in few pages", func(t *testing.T) {
		these, requests, read := fill(t, "usual", 150, 100), 0, 0
		for page, err := range pages.Of(t.Context(), counting(&requests), &corev1.NodeList{}, 150, these) {
			if err != nil {
				t.Fatal(err)
			}
			read += len(page.Items)
		}
		if read != 150 || requests != 2 {
			t.Errorf("read %d nodes with %d requests", read, requests)
		}
	})
	t.Run("long objects come in short pages, each of them once", func(t *testing.T) {
		these, names := fill(t, "long", 40, 200<<10), map[string]int{}
		if err := cluster.List(t.Context(), &corev1.NodeList{}, these); !errors.Is(err, shortanswers.ErrLong) {
			t.Fatalf("all at once: %v", err)
		}
		for page, err := range pages.Of(t.Context(), cluster, &corev1.NodeList{}, 40, these) {
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range page.Items {
				names[node.Name]++
			}
		}
		for name, times := range names {
			if times != 1 {
				t.Errorf("node %s was read %d times", name, times)
			}
		}
		if len(names) != 40 {
			t.Errorf("read %d nodes", len(names))
		}
		first, err := pages.First(t.Context(), cluster, &corev1.NodeList{}, these)
		if err != nil || len(first.Items) == 0 {
			t.Errorf("the first page has %d nodes, %v", len(first.Items), err)
		}
	})
	t.Run("a list ends at its bound", func(t *testing.T) {
		these, read := fill(t, "many", 130, 0), 0
		metadata := &metav1.PartialObjectMetadataList{}
		metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
		for _, list := range []client.ObjectList{&corev1.NodeList{}, metadata} {
			var last error
			for _, last = range pages.Of(t.Context(), cluster, list, 129, these) {
				read++
			}
			var many *pages.TooMany
			if !errors.As(last, &many) || many.Kind != "Node" || many.Most != 129 {
				t.Errorf("error %v", last)
			}
		}
		if read != 4 { // two pages each, the second of which is the error
			t.Errorf("%d pages", read)
		}
	})
	t.Run("an error of the server ends a list", func(t *testing.T) {
		boom, times := errors.New("boom"), 0
		failing := interceptor.NewClient(cluster, interceptor.Funcs{
			List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return boom },
		})
		for _, err := range pages.Of(t.Context(), failing, &corev1.NodeList{}, 1) {
			if times++; !errors.Is(err, boom) || times > 1 {
				t.Fatalf("error %v, for the time %d", err, times)
			}
		}
	})
}
