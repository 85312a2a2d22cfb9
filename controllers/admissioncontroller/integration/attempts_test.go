package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what attempts are for: a resource, or a subresource, of a version that the garden serves.
type target struct {
	metav1.APIResource
	resource          schema.GroupResource
	subresource, base string
	version           metav1.GroupVersion // of the bodies
}

func newTarget(version schema.GroupVersion, resource metav1.APIResource) target {
	name, subresource, _ := strings.Cut(resource.Name, "/")
	t := target{
		APIResource: resource, resource: schema.GroupResource{Group: version.Group, Resource: name}, subresource: subresource,
		base: "/apis/" + version.String() + "/", version: metav1.GroupVersion(version),
	}
	if version.Group == "" {
		t.base = "/api/" + version.Version + "/"
	}
	if resource.Version != "" {
		t.version = metav1.GroupVersion{Group: resource.Group, Version: resource.Version}
	}
	return t
}

// kind is that of the resource, also for subresources, whose bodies may be of another kind.
func (t target) kind() string {
	if t.subresource == "" {
		return t.Kind
	}
	for _, object := range objects["b"] {
		gvk, err := admin.GroupVersionKindFor(object)
		if err != nil {
			panic(err)
		}
		if plural, _ := apimeta.UnsafeGuessKindToResource(gvk); plural.Resource == t.resource.Resource {
			return gvk.Kind
		}
	}
	return t.Kind
}

// attemptsOf tries an object of seed b in its namespace, and objects in the namespace of seed b.
func attemptsOf(version schema.GroupVersion, resource metav1.APIResource, verb string) []attempt {
	t := newTarget(version, resource)
	var out []attempt
	for _, at := range places(t) {
		if at == (place{}) && verb != "list" && verb != "watch" {
			continue // only these work across namespaces
		}
		for _, a := range t.attempts(verb, at) {
			a.verb, a.resource, a.subresource, a.absent = verb, t.resource, t.subresource, at.absent
			out = append(out, a)
		}
	}
	return out
}

func (t target) attempts(verb string, at place) []attempt {
	const dryRun = "?dryRun=All"
	collection := t.base
	if t.Namespaced && at.namespace != "" {
		collection += "namespaces/" + at.namespace + "/"
	}
	collection += t.resource.Resource
	object := collection + "/" + at.name
	if t.subresource != "" {
		object += "/" + t.subresource
	}
	read := func(paths ...string) (out []attempt) {
		for _, path := range paths {
			out = append(out, attempt{method: http.MethodGet, path: path})
		}
		return out
	}
	one := "fieldSelector=metadata.name%3D" + at.name // API servers ask about such a list by the name
	remove := func(path string) []attempt { return []attempt{{method: http.MethodDelete, path: path + dryRun}} }
	switch verb {
	case "get":
		return read(object)
	case "list":
		return read(collection, collection+"?"+one)
	case "watch":
		return read(collection+"?watch=true&timeoutSeconds=1", collection+"?watch=true&timeoutSeconds=1&"+one)
	case "create":
		if t.subresource != "" {
			collection = object
		}
		return t.write(http.MethodPost, collection+dryRun, "application/json", at, false)
	case "update":
		return t.write(http.MethodPut, object+dryRun, "application/json", at, true)
	case "patch":
		merge := attempt{method: http.MethodPatch, path: object + dryRun, body: []byte(`{"metadata":{"labels":{"x":"y"}}}`), contentType: "application/merge-patch+json"}
		return append(t.write(http.MethodPatch, object+dryRun+"&fieldManager=proof&force=true", applyPatch, at, true), merge)
	case "delete":
		return remove(object)
	case "deletecollection":
		return remove(collection)
	}
	panic(fmt.Sprintf("the verb %q of %s is new", verb, t.Name))
}

// write sends the object of seed b and, to a place where the gardenlet of seed a has none, its own object.
func (t target) write(method, path, contentType string, at place, named bool) []attempt {
	var out []attempt
	for _, seed := range []string{"b", "a"} {
		if own, known := objects["a"][t.Kind]; seed == "a" && (!known || !t.Namespaced || own.GetNamespace() == at.namespace) {
			continue
		}
		content := body(seed, t.Kind, t.version, at.namespace)
		if named {
			content = renamed(content, at.name)
		}
		out = append(out, attempt{method: method, path: path, contentType: contentType, body: content})
	}
	return out
}

func renamed(content []byte, name string) []byte {
	object := map[string]any{}
	if err := json.Unmarshal(content, &object); err != nil {
		panic(err)
	}
	object["metadata"].(map[string]any)["name"] = name
	content, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return content
}

type place struct {
	namespace, name string
	absent          bool // nothing has this name
}

// places are where objects of seed b are, or could be; an empty one is all namespaces. Kinds that this test does not know are
// tried by name alone.
func places(t target) []place {
	kind := t.kind()
	var out []place
	if object, known := objects["b"][kind]; known {
		out = append(out, place{namespace: object.GetNamespace(), name: object.GetName()})
	}
	switch kind {
	case "BackupEntry":
		for _, namespace := range []string{"garden-b", "garden", "garden-a"} { // of projects of b, of the landscape, of seed a
			for _, prefix := range []string{"", "source-"} {
				out = append(out, place{namespace, prefix + "shoot--b--shoot--other", true})
			}
		}
	case "Secret":
		for _, name := range []string{"shoot.kubeconfig", "cloud"} {
			out = append(out, place{namespace: "garden-b", name: name})
		}
		out = append(out, place{namespace: "seed-b", name: "internal-domain"}, place{namespace: "garden", name: "b.login"})
	case "ServiceAccount":
		out = append(out, place{namespace: "garden", name: "gardenlet-bootstrap-b"})
	}
	if t.Namespaced {
		return append(out, place{"garden-b", "shoot", kind == "BackupEntry"}, place{"seed-b", "thing", true}, place{"kube-system", "thing", true}, place{})
	}
	return append(out, place{name: "thing-b", absent: true})
}
