package integration

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
)

const applyPatch = "application/apply-patch+yaml"

// attempt is a request of the gardenlet of seed a for an object of seed b.
type attempt struct {
	verb, method, path, contentType string
	body                            []byte
	resource                        schema.GroupResource
	subresource                     string
	absent                          bool // there is no such object
}

func (a attempt) String() string { return a.verb + " " + a.path + " (" + a.contentType + ")" }

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

// mayMiss reports whether the gardenlet may learn that the object does not exist. It must not create it by that.
func (a attempt) mayMiss() bool {
	return a.absent && a.subresource == "" && a.contentType != applyPatch && slices.Contains(seedauthorizer.Rules()[a.resource].Absent, a.verb)
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
	var refused, read, missed int
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
			case code == http.StatusNotFound && one.mayMiss():
				missed++
			case code != http.StatusForbidden:
				t.Errorf("%s is answered with %d: %s", one, code, answer)
			default:
				refused++
			}
		})
	}
	group.Wait()
	t.Logf("%d requests: %d refused, %d that all gardenlets may send, %d for nothing", len(all), refused, read, missed)
}

func send(t *testing.T, client *http.Client, host string, a attempt) (int, string) {
	request, err := http.NewRequestWithContext(t.Context(), a.method, host+a.path, bytes.NewReader(a.body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	if a.contentType != "" {
		request.Header.Set("Content-Type", a.contentType)
	}
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
