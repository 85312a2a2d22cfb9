package resourcemanager_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	propertyNamespace = "property"
	propertyRounds    = 8
	propertyNames     = 8 // small, so that objects come, go and come back
)

// world is what a random walk knows: what ought to be there, and what others added.
type world struct {
	random  *rand.Rand
	desired map[string]map[string]string // data of our ConfigMaps by name
	foreign map[string]map[string]string // data that others added to them
}

// choose draws a new set of objects; what others added is lost with an object that goes.
func (w *world) choose() string {
	w.desired = map[string]map[string]string{}
	var content strings.Builder
	for i := range propertyNames {
		name := fmt.Sprintf("p-%d", i)
		if w.random.IntN(3) == 0 {
			delete(w.foreign, name)
			continue
		}
		data := map[string]string{}
		for k := range 1 + w.random.IntN(3) {
			data[fmt.Sprintf("k%d", k)] = fmt.Sprintf("v%d", w.random.IntN(100))
		}
		w.desired[name] = data
		fmt.Fprintf(&content, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s}\ndata:\n", name, propertyNamespace)
		for key, value := range data {
			fmt.Fprintf(&content, "  %s: %s\n", key, value)
		}
	}
	return content.String()
}

// meddle changes or deletes a random object as another writer.
func (w *world) meddle(t *testing.T) {
	t.Helper()
	for name := range w.desired { // the order of maps is random, too
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: propertyNamespace, Name: name}}
		patch := ""
		switch w.random.IntN(5) {
		case 0:
			if err := target.Delete(t.Context(), object); err != nil && !apierrors.IsNotFound(err) {
				t.Fatal(err)
			}
			delete(w.foreign, name)
			continue
		case 1:
			patch = `{"data":{"k0":"changed"}}`
		case 2:
			patch = `{"data":{"k0":null},"metadata":{"labels":null,"annotations":null}}`
		case 3:
			patch = `{"data":{"theirs":"kept"}}`
		default:
			continue
		}
		err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch)))
		if apierrors.IsNotFound(err) {
			continue // deleted a moment ago, and not restored yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(patch, "theirs") {
			w.foreign[name] = map[string]string{"theirs": "kept"}
		}
	}
}

// holds compares the cluster with what ought to be: exactly our objects and the bystander, our fields and those others added.
func (w *world) holds(ctx context.Context) error {
	list := &corev1.ConfigMapList{}
	if err := target.List(ctx, list, client.InNamespace(propertyNamespace)); err != nil {
		return err
	}
	found := 0
	for _, object := range list.Items {
		if object.Name == "kube-root-ca.crt" || object.Name == "bystander" {
			continue
		}
		data, wanted := w.desired[object.Name]
		if !wanted {
			return fmt.Errorf("%s should not exist", object.Name)
		}
		found++
		for key, value := range data {
			if object.Data[key] != value {
				return fmt.Errorf("%s: %s is %q, want %q", object.Name, key, object.Data[key], value)
			}
		}
		for key, value := range w.foreign[object.Name] {
			if object.Data[key] != value {
				return fmt.Errorf("%s: somebody else's %s is %q", object.Name, key, object.Data[key])
			}
		}
		if len(object.Data) != len(data)+len(w.foreign[object.Name]) {
			return fmt.Errorf("%s: data is %v, want %v and %v", object.Name, object.Data, data, w.foreign[object.Name])
		}
		if object.Annotations["resources.gardener.cloud/origin"] != "test:"+namespace+"/property" {
			return fmt.Errorf("%s has no mark", object.Name)
		}
	}
	if found != len(w.desired) {
		return fmt.Errorf("%d objects, want %d", found, len(w.desired))
	}
	return nil
}

func TestClusterEqualsDesiredAfterRandomEdits(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &world{random: rand.New(rand.NewPCG(seed, 0)), foreign: map[string]map[string]string{}}
	bystander := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: propertyNamespace, Name: "bystander", Labels: map[string]string{"resources.gardener.cloud/managed-by": "gardener"}}}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: propertyNamespace}}, bystander} {
		if err := target.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	r := create(t, "property", w.choose())
	for round := range propertyRounds {
		eventually(t, fmt.Sprintf("GRM-2 GRM-3 GRM-4 round %d, new content", round), w.holds)
		for range 3 {
			w.meddle(t)
		}
		eventually(t, fmt.Sprintf("GRM-3 round %d, after edits of others", round), w.holds)
		r.setContent(w.choose())
	}
	eventually(t, "last content", w.holds)
	resource, err := r.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Delete(t.Context(), resource); err != nil {
		t.Fatal(err)
	}
	clear(w.desired)
	eventually(t, "GRM-4 deletion removes what was ours", w.holds)
	if err := target.Get(t.Context(), client.ObjectKeyFromObject(bystander), bystander); err != nil {
		t.Errorf("GRM-4 deletion leaves what was not ours: %v", err)
	}
}
