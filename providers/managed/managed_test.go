package managed_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/managed"
)

func TestApply(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	resource := &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--a--b", Name: "greeting"}, Spec: resourcesv1alpha1.ManagedResourceSpec{KeepObjects: ptr.To(true)},
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(resource).Build()
	if err := (managed.Resource{Client: c, Namespace: resource.Namespace, Name: resource.Name}).Apply(t.Context(), map[string][]byte{"a.yaml": []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(resource), resource); err != nil || resource.Spec.KeepObjects != nil {
		t.Errorf("MIG-3 the objects of a shoot that has stayed would outlive their ManagedResource: %v, %v", resource.Spec.KeepObjects, err)
	}
}
