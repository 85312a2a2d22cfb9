// Package webhooktest sends objects to webhooks that nobody expects.
//
// For tests only.
package webhooktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testmutation"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// hostile are texts that webhooks might stumble over.
var hostile = []string{"", "null", "-1", "1e30", "100Mi", "*", "\xff\xfe", `{"a":{"b":[null]}}`}

// Fuzz calls webhooks about changed objects of all resources that they have rules for, in the first version of each. A webhook must answer each request without a panic, and one about an empty object without a failure of its own. What it
// changes must fit the object that it got, and when API servers call it again, as they may, it must be content.
func Fuzz(f *testing.F, hooks []webhook.Hook) {
	scheme := Scheme(f)
	targets, err := targetsOf(scheme, hooks)
	if err != nil {
		f.Fatal(err)
	}
	for target := range targets {
		f.Add(uint16(target), byte(0), []byte{}, "")
		for n, text := range hostile {
			edits := []byte{}
			for place := range byte(10) {
				edits = append(edits, place*7, byte(n*37)+place*23, byte(n)+place)
			}
			f.Add(uint16(target), byte(n), edits, text)
		}
	}
	f.Fuzz(func(t *testing.T, number uint16, operation byte, edits []byte, text string) {
		target := targets[int(number)%len(targets)]
		object, ok := testmutation.Mutate(target.empty(scheme), edits, text)
		if !ok {
			return
		}
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		changed, code := target.call(t, operation, raw)
		if len(edits) == 0 && code >= http.StatusInternalServerError {
			t.Errorf("%s answers a request about an empty object with %d", target.hook.Name, code)
		}
		if again, _ := target.call(t, operation, changed); string(again) != string(changed) {
			t.Errorf("%s changes what it has changed:\n%s\n%s", target.hook.Name, changed, again)
		}
	})
}

// Scheme knows the kinds of a seed, and definitions of kinds.
func Scheme(f *testing.F) *runtime.Scheme {
	f.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(install.AddSeed(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		f.Fatal(err)
	}
	return scheme
}

// target is a webhook and a kind that it is called about.
type target struct {
	hook       webhook.Hook
	operations []admissionregistrationv1.OperationType
	resource   schema.GroupVersionResource
	kind       schema.GroupVersionKind
}

func targetsOf(scheme *runtime.Scheme, hooks []webhook.Hook) ([]target, error) {
	kinds := map[schema.GroupVersionResource]schema.GroupVersionKind{}
	for kind := range scheme.AllKnownTypes() {
		plural, _ := apimeta.UnsafeGuessKindToResource(kind)
		kinds[plural] = kind
	}
	var out []target
	for _, hook := range hooks {
		for _, rule := range hook.Rules {
			for _, name := range rule.Resources {
				resource := schema.GroupVersionResource{Group: rule.APIGroups[0], Version: rule.APIVersions[0], Resource: name}
				kind, known := kinds[resource]
				if !known {
					return nil, fmt.Errorf("webhook %s: no kind is known for %s", hook.Name, resource)
				}
				out = append(out, target{hook, rule.Operations, resource, kind})
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there are no webhooks")
	}
	return out, nil
}

func (target target) empty(scheme *runtime.Scheme) runtime.Object {
	object, err := scheme.New(target.kind)
	if err != nil {
		panic(err) // the kind is from the scheme
	}
	object.GetObjectKind().SetGroupVersionKind(target.kind)
	return object
}

// call returns the object as the webhook wants it, in order of its keys, and the HTTP status of the answer.
func (target target) call(t *testing.T, operation byte, raw []byte) (changed []byte, code int32) {
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind(target.kind), Resource: metav1.GroupVersionResource(target.resource), Namespace: "namespace", Name: "name",
		Operation: admissionv1.Operation(target.operations[int(operation)%len(target.operations)]),
	}}
	if request.Operation != admissionv1.Delete {
		request.Object.Raw = raw
	}
	if request.Operation != admissionv1.Create {
		request.OldObject.Raw = raw
	}
	response := target.hook.Handler.Handle(t.Context(), request)
	if response.Result != nil {
		code = response.Result.Code
	}
	if len(response.Patches) == 0 || !response.Allowed {
		return raw, code
	}
	if target.hook.Validating {
		t.Errorf("%s validates and changes: %v", target.hook.Name, response.Patches)
	}
	content, err := json.Marshal(response.Patches)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(content)
	if err != nil {
		t.Fatalf("%s answers with no patch: %v", target.hook.Name, err)
	}
	if changed, err = patch.Apply(slices.Clone(raw)); err != nil {
		t.Fatalf("%s answers with a patch that does not fit: %v\n%s\n%s", target.hook.Name, err, raw, content)
	}
	return changed, code
}
