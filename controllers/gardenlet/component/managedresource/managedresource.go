// Package managedresource builds ManagedResources: a list of objects for the shoot, kept in a Secret of the seed.
package managedresource

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// SecretPrefix comes before the name of the ManagedResource.
const SecretPrefix = "managedresource-"

// Origin is the value of the label origin. Health checks consider only ManagedResources with that value.
const Origin = "gardener"

// scheme knows the allowed kinds of objects.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	out := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		utilruntime.Must(add(out))
	}
	return out
})

// Build builds the ManagedResource and its Secret. KeepObjects leaves the objects in the shoot when the ManagedResource
// is deleted.
func Build(name, namespace string, keepObjects bool, objects ...client.Object) (*corev1.Secret, *resourcesv1alpha1.ManagedResource, error) {
	data := map[string][]byte{}
	for _, object := range objects {
		key, raw, err := encode(object)
		if err != nil {
			return nil, nil, fmt.Errorf("build managed resource %q: %w", name, err)
		}
		data[key] = raw
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: SecretPrefix + name, Namespace: namespace},
		Type:       corev1.SecretTypeOpaque, Data: data,
	}
	resource := &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"origin": Origin}},
		Spec: resourcesv1alpha1.ManagedResourceSpec{
			SecretRefs:   []corev1.LocalObjectReference{{Name: secret.Name}},
			InjectLabels: map[string]string{"shoot.gardener.cloud/no-cleanup": "true"},
			KeepObjects:  ptr.To(keepObjects),
		},
	}
	return secret, resource, nil
}

// encode writes an object under a key made of kind, namespace and name, without fields that only a server sets.
func encode(object client.Object) (string, []byte, error) {
	gvk, err := apiutil.GVKForObject(object, scheme())
	if err != nil {
		return "", nil, fmt.Errorf("find kind of %T: %w", object, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return "", nil, fmt.Errorf("convert %s %q: %w", gvk.Kind, object.GetName(), err)
	}
	delete(content, "status")
	if meta, ok := content["metadata"].(map[string]any); ok {
		delete(meta, "creationTimestamp")
	}
	content["apiVersion"], content["kind"] = gvk.ToAPIVersionAndKind()
	raw, err := yaml.Marshal(content)
	if err != nil {
		return "", nil, fmt.Errorf("encode %s %q: %w", gvk.Kind, object.GetName(), err)
	}
	return fmt.Sprintf("%s__%s__%s.yaml", gvk.Kind, object.GetNamespace(), keySafe(object.GetName())), raw, nil
}

// keySafe replaces characters that a key of a Secret must not contain, such as the colons in names of RBAC objects.
func keySafe(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r == ':' || r == '/' {
			out[i] = '_'
		}
	}
	return string(out)
}
