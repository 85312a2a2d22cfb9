package frontdoor

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// gateways are the names, as namespace/name, of the Gateways that this front door serves.
func (v *VirtualServices) gateways(objs []any) map[string]bool {
	ours := map[string]bool{}
	for _, obj := range objs {
		object, ok := obj.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		selector, _, err := unstructured.NestedStringMap(object.Object, "spec", "selector")
		if err != nil {
			v.log.Error(err, "Gateway cannot be read", "namespace", object.GetNamespace(), "name", object.GetName())
			continue
		}
		if maps.Equal(selector, v.selector) {
			ours[object.GetNamespace()+"/"+object.GetName()] = true
		}
	}
	return ours
}

// inNamespace is the full name of a Gateway that a VirtualService in the namespace refers to.
func inNamespace(namespace, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return namespace + "/" + name
}
