// Package apply writes objects to the garden by server-side apply. Each write is one request. A repeated write changes
// nothing.
package apply

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// FieldManager owns the fields of all written objects.
const FieldManager = "gardener-apiserver"

// Object is an object and the resource it is written to. Its kind and apiVersion must be set.
type Object struct {
	Resource schema.GroupVersionResource
	Object   runtime.Object
}

// Write applies one object. It takes over fields that other managers own.
func Write(ctx context.Context, client dynamic.Interface, o Object) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o.Object)
	if err != nil {
		return err
	}
	delete(content, "status")
	object := &unstructured.Unstructured{Object: content}
	var to dynamic.ResourceInterface = client.Resource(o.Resource)
	if namespace := object.GetNamespace(); namespace != "" {
		to = client.Resource(o.Resource).Namespace(namespace)
	}
	if _, err := to.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: FieldManager, Force: true}); err != nil {
		return fmt.Errorf("apply %s %q: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}
