package integration

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
)

// attempt is a request of the gardenlet of seed a for an object of seed b.
type attempt struct {
	verb, method, path, contentType string
	body                            []byte
	resource                        schema.GroupResource
	subresource                     string
}

func (a attempt) String() string { return a.verb + " " + a.path }

// everybody may do this, gardenlet or not: ask about own rights, and read what all of the garden knows.
var everybody = map[string][]string{
	"selfsubjectaccessreviews.authorization.k8s.io": {"create"}, "selfsubjectrulesreviews.authorization.k8s.io": {"create"},
	"selfsubjectreviews.authentication.k8s.io": {"create"}, "tokenreviews.authentication.k8s.io": {"create"},
	"cloudprofiles.core.gardener.cloud": {"get", "list", "watch"}, "exposureclasses.core.gardener.cloud": {"get", "list", "watch"},
	"seeds.core.gardener.cloud": {"get", "list", "watch"},
}

// permitted reports whether an attempt may succeed: the gardenlets of all seeds read the same shoots, seeds and extensions.
// Creations may never succeed.
func (a attempt) permitted() bool {
	if slices.Contains(everybody[a.resource.String()], a.verb) && a.subresource == "" {
		return true
	}
	rule := seedauthorizer.Rules()[a.resource]
	if a.subresource != "" {
		rule = rule.Subresources[a.subresource]
	}
	return a.verb != "create" && slices.Contains(rule.Always, a.verb)
}

// TestSeedsAreApart tries each verb on each resource that the garden has, so that a new kind is tried by itself.
func TestSeedsAreApart(t *testing.T) {
	gardenlet := gardenletOf("a")
	gardenlet.QPS, gardenlet.Burst = -1, 0
	client, err := rest.HTTPClientFor(gardenlet)
	if err != nil {
		t.Fatal(err)
	}
	all := attempts(t)
	if len(all) < 500 {
		t.Fatalf("only %d requests were generated", len(all))
	}
	t.Run("GAC-8 GAC-9 GAC-10 every request for objects of another seed is refused", func(t *testing.T) { try(t, client, gardenlet.Host, all) })
}

// try sends all requests, several at a time.
func try(t *testing.T, client *http.Client, host string, all []attempt) {
	var refused, read int
	var mu sync.Mutex
	var group sync.WaitGroup
	seats := make(chan struct{}, 32)
	for _, one := range all {
		seats <- struct{}{}
		group.Go(func() {
			defer func() { <-seats }()
			code, answer := send(t, client, host, one)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case one.permitted():
				read++
				if code == http.StatusForbidden {
					t.Errorf("%s is refused, though all gardenlets may: %s", one, answer)
				}
			case code != http.StatusForbidden:
				t.Errorf("%s is answered with %d: %s", one, code, answer)
			default:
				refused++
			}
		})
	}
	group.Wait()
	t.Logf("%d requests: %d refused, %d that all gardenlets may send", len(all), refused, read)
}

func send(t *testing.T, client *http.Client, host string, a attempt) (int, string) {
	request, err := http.NewRequestWithContext(t.Context(), a.method, host+a.path, bytes.NewReader(a.body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	request.Header.Set("Content-Type", a.contentType)
	request.Header.Set("Accept", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
	return answer.StatusCode, string(text)
}

// attempts are generated from what the garden serves, in all versions.
func attempts(t *testing.T) []attempt {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	var all []attempt
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			for _, verb := range resource.Verbs {
				all = append(all, attemptsOf(version, resource, verb)...)
			}
		}
	}
	return all
}

// attemptsOf tries an object of seed b in its namespace, and objects in the namespace of seed b.
func attemptsOf(version schema.GroupVersion, resource metav1.APIResource, verb string) []attempt {
	name, subresource, _ := strings.Cut(resource.Name, "/")
	base := "/apis/" + version.String()
	if version.Group == "" {
		base = "/api/" + version.Version
	}
	var out []attempt
	for _, at := range places(name, resource, subresource) {
		a := attempt{verb: verb, resource: schema.GroupResource{Group: version.Group, Resource: name}, subresource: subresource, contentType: "application/json"}
		collection := base + "/"
		if at == (place{}) && verb != "list" && verb != "watch" {
			continue // only these work across namespaces
		}
		if resource.Namespaced && at.namespace != "" {
			collection += "namespaces/" + at.namespace + "/"
		}
		collection += name
		object := collection + "/" + at.name
		if subresource != "" {
			object += "/" + subresource
		}
		kind := metav1.GroupVersion{Group: version.Group, Version: version.Version}
		if resource.Version != "" {
			kind = metav1.GroupVersion{Group: resource.Group, Version: resource.Version}
		}
		switch verb {
		case "get":
			a.method, a.path = http.MethodGet, object
		case "list":
			a.method, a.path = http.MethodGet, collection
		case "watch":
			a.method, a.path = http.MethodGet, collection+"?watch=true&timeoutSeconds=1"
		case "create":
			a.method, a.path, a.body = http.MethodPost, collection+"?dryRun=All", body("b", resource.Kind, kind, at.namespace)
			if subresource != "" {
				a.path = object + "?dryRun=All"
			}
		case "update":
			a.method, a.path, a.body = http.MethodPut, object+"?dryRun=All", body("b", resource.Kind, kind, at.namespace)
		case "patch":
			a.method, a.path, a.body, a.contentType = http.MethodPatch, object+"?dryRun=All", []byte(`{"metadata":{"labels":{"x":"y"}}}`), "application/merge-patch+json"
		case "delete":
			a.method, a.path = http.MethodDelete, object+"?dryRun=All"
		case "deletecollection":
			a.method, a.path = http.MethodDelete, collection+"?dryRun=All"
		default:
			panic(fmt.Sprintf("the verb %q of %s is new", verb, resource.Name))
		}
		out = append(out, a)
	}
	return out
}

type place struct{ namespace, name string }

// places are where objects of seed b are; an empty one is all namespaces. Kinds that this test does not know are tried by
// name alone.
func places(name string, resource metav1.APIResource, subresource string) []place {
	kind := resource.Kind
	if subresource != "" {
		for _, object := range objects["b"] {
			if gvk, err := admin.GroupVersionKindFor(object); err == nil && strings.HasPrefix(name, strings.ToLower(gvk.Kind)) {
				kind = gvk.Kind
			}
		}
	}
	var out []place
	if object, known := objects["b"][kind]; known {
		out = append(out, place{object.GetNamespace(), object.GetName()})
	}
	if kind == "BackupBucket" || kind == "BackupEntry" {
		return out // gardenlets may apply and delete those that do not exist
	}
	if kind == "Secret" {
		out = append(out, place{"garden-b", "shoot.kubeconfig"}, place{"garden-b", "cloud"}, place{"seed-b", "internal-domain"})
	}
	if kind == "ServiceAccount" {
		out = append(out, place{"garden", "gardenlet-bootstrap-b"})
	}
	if resource.Namespaced {
		return append(out, place{"garden-b", "shoot"}, place{"seed-b", "thing"}, place{"kube-system", "thing"}, place{})
	}
	return append(out, place{name: "thing-b"})
}
