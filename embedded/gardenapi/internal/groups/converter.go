package groups

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// converter looks at objects as maps rather than as Go structs, as kube-apiserver does with custom resources. Every write
// walks the old and the new object several times to find out which fields it has changed; over a struct, each of these
// walks goes by reflection, converts values such as IntOrString through JSON again, and makes a map of the whole object
// for each manager only to read its apiVersion. Objects of Gardener have hundreds of fields: making the map once is cheaper.
type converter struct {
	managedfields.TypeConverter
}

// ObjectToTyped takes structs and maps. It does not change obj.
func (c converter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if _, isMap := obj.(*unstructured.Unstructured); isMap {
		return c.TypeConverter.ObjectToTyped(obj, opts...)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	return c.TypeConverter.ObjectToTyped(&unstructured.Unstructured{Object: content}, opts...)
}
