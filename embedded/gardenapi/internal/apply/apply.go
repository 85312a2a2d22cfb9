// Package apply writes objects to the garden by server-side apply: one request each, again and again without effect.
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

// FieldManager owns the fields.
const FieldManager = "gardener-apiserver"

// Object is written to a resource. Its kind and apiVersion must be set.
type Object struct {
	Resource schema.GroupVersionResource
	Object   runtime.Object
}

// Write applies one object and takes its fields from whoever owns them.
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
