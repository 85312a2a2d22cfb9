// Package admissiontest provides fakes for unit tests of admission plugins: a reader of objects, an authorizer and
// requests. Behaviour of the API server itself is tested by integration tests.
//
// For tests only.
package admissiontest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

var types = scheme.Served()

// Objects is a list of objects that plugins can read.
type Objects []runtime.Object

// Get finds an object by kind, namespace and name.
func (o Objects) Get(_ context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	for _, object := range o {
		if m := must(meta.Accessor(object)); resourceOf(object).GroupResource() == resource && m.GetNamespace() == namespace && m.GetName() == name {
			return object.DeepCopyObject(), nil
		}
	}
	return nil, errors.NewNotFound(resource, name)
}

// Each visits objects of a kind.
func (o Objects) Each(_ context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	for _, object := range o {
		if resourceOf(object).GroupResource() != resource || namespace != "" && must(meta.Accessor(object)).GetNamespace() != namespace {
			continue
		}
		if !visit(object) {
			return nil
		}
	}
	return nil
}

// EachCached is Each.
func (o Objects) EachCached(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	return o.Each(ctx, resource, namespace, visit)
}

// Stale is an Objects with an empty cache.
type Stale struct{ Objects }

// EachCached visits nothing.
func (Stale) EachCached(context.Context, schema.GroupResource, string, func(runtime.Object) bool) error {
	return nil
}

// Broken fails every read.
type Broken struct{ Err error }

// Get fails.
func (b Broken) Get(context.Context, schema.GroupResource, string, string) (runtime.Object, error) {
	return nil, b.Err
}

// Each fails.
func (b Broken) Each(context.Context, schema.GroupResource, string, func(runtime.Object) bool) error {
	return b.Err
}

// EachCached fails.
func (b Broken) EachCached(context.Context, schema.GroupResource, string, func(runtime.Object) bool) error {
	return b.Err
}

// Allow is an authorizer that permits everybody the listed requests, written "verb resource[/subresource] [name]".
type Allow []string

// Authorize looks up the request in the list.
func (a Allow) Authorize(_ context.Context, r authorizer.Attributes) (authorizer.Decision, string, error) {
	what := r.GetVerb() + " " + r.GetResource()
	if r.GetSubresource() != "" {
		what += "/" + r.GetSubresource()
	}
	if slices.Contains(a, what) || slices.Contains(a, what+" "+r.GetName()) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// User is the user of all requests.
const User = "jane"

// Create is a request to create an object.
func Create(object runtime.Object) admission.Attributes {
	return attributes(object, nil, admission.Create, "")
}

// Update is a request to change an object.
func Update(object, old runtime.Object) admission.Attributes {
	return attributes(object, old, admission.Update, "")
}

// UpdateSub is a request to change an object through a subresource.
func UpdateSub(object, old runtime.Object, subresource string) admission.Attributes {
	return attributes(object, old, admission.Update, subresource)
}

// Delete is a request to delete an object.
func Delete(object runtime.Object) admission.Attributes {
	return attributes(nil, object, admission.Delete, "")
}

func attributes(object, old runtime.Object, operation admission.Operation, subresource string) admission.Attributes {
	known := object
	if known == nil {
		known = old
	}
	m := must(meta.Accessor(known))
	kinds, _, err := types.ObjectKinds(known)
	must(kinds, err)
	var options runtime.Object = &metav1.CreateOptions{}
	return admission.NewAttributesRecord(object, old, kinds[0], m.GetNamespace(), m.GetName(), resourceOf(known), subresource,
		operation, options, false, &user.DefaultInfo{Name: User, Groups: []string{"system:authenticated"}})
}

// New returns the plugin that register adds, with the handler and the defaults of a server. The dependencies that a server
// injects (objects, the authorizer) are missing.
func New[P admission.Interface](register func(*admission.Plugins)) P {
	plugins := admission.NewPlugins()
	register(plugins)
	var found []admission.Interface
	for _, name := range plugins.Registered() {
		// The error says what the server would have to hand over.
		_, _ = plugins.InitPlugin(name, nil, keep(func(plugin admission.Interface) { found = append(found, plugin) }))
	}
	if len(found) != 1 {
		panic(fmt.Sprintf("admissiontest: %d plugins were built, not one", len(found))) // the test's mistake
	}
	return found[0].(P)
}

// keep is a plugin initializer that hands over the plugin.
type keep func(admission.Interface)

// Initialize calls the function.
func (k keep) Initialize(plugin admission.Interface) { k(plugin) }

// Admit calls all methods of a plugin that a server would call.
func Admit(plugin admission.Interface, a admission.Attributes) error {
	if !plugin.Handles(a.GetOperation()) {
		return nil
	}
	if initialized, ok := plugin.(admission.InitializationValidator); ok {
		if err := initialized.ValidateInitialization(); err != nil {
			return err
		}
	}
	ctx := context.Background()
	if mutating, ok := plugin.(admission.MutationInterface); ok {
		if err := mutating.Admit(ctx, a, nil); err != nil {
			return err
		}
	}
	if validating, ok := plugin.(admission.ValidationInterface); ok {
		return validating.Validate(ctx, a, nil)
	}
	return nil
}

// WantError fails the test unless err contains part; an empty part means that there must be no error.
func WantError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("got error %v, want none", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("got error %v, want one with %q", err, part)
	}
}

func resourceOf(object runtime.Object) schema.GroupVersionResource {
	kinds, _, err := types.ObjectKinds(object)
	must(kinds, err)
	resource, _ := meta.UnsafeGuessKindToResource(kinds[0])
	return resource
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("admissiontest: %v", err)) // the test's mistake
	}
	return value
}
