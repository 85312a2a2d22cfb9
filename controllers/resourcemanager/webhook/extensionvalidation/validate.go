// Package extensionvalidation refuses objects of extensions.gardener.cloud that no extension could handle, and changes
// of immutable fields. It does not repeat the schemas of the definitions.
package extensionvalidation

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Validate is the handler of the webhook.
func Validate(_ context.Context, request admission.Request) admission.Response {
	object, old := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode object: %w", err))
	}
	if request.Operation != admissionv1.Update {
		return answer(object, New(object))
	}
	if err := old.UnmarshalJSON(request.OldObject.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode old object: %w", err))
	}
	return answer(object, Changed(object, old))
}

func answer(object *unstructured.Unstructured, problems []string) admission.Response {
	if len(problems) == 0 {
		return admission.Allowed("")
	}
	return admission.Denied(fmt.Sprintf("%s %q is invalid: %s", object.GetKind(), object.GetName(), strings.Join(problems, "; ")))
}

// New lists all mistakes of an object. Objects of other kinds have none.
func New(object *unstructured.Unstructured) (problems []string) {
	rule, found := rules[object.GetKind()]
	if !found {
		return nil
	}
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, field := range append(paths(at("type")), rule.required...) {
		if value, _, _ := unstructured.NestedFieldNoCopy(spec, field...); empty(value) {
			report("spec.%s is missing", strings.Join(field, "."))
		}
	}
	for _, check := range rule.checks {
		check(spec, report)
	}
	return problems
}

// Changed lists all mistakes of a change. The spec of an object that is being deleted must not change. An unchanged
// spec is not validated again, so that finalizers and status can always be written.
func Changed(object, old *unstructured.Unstructured) []string {
	spec, before := object.Object["spec"], old.Object["spec"]
	if equality.Semantic.DeepEqual(spec, before) {
		return nil
	}
	if object.GetDeletionTimestamp() != nil {
		return []string{"spec cannot be changed while the object is being deleted"}
	}
	problems := New(object)
	for _, field := range append(paths(at("type")), rules[object.GetKind()].immutable...) {
		path := append([]string{"spec"}, field...)
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		was, _, _ := unstructured.NestedFieldNoCopy(old.Object, path...)
		if !equality.Semantic.DeepEqual(value, was) {
			problems = append(problems, fmt.Sprintf("%s is immutable", strings.Join(path, ".")))
		}
	}
	return problems
}

func empty(value any) bool {
	switch typed := value.(type) {
	case nil:
		return true
	case string:
		return typed == ""
	case []any:
		return len(typed) == 0
	default:
		return false
	}
}
