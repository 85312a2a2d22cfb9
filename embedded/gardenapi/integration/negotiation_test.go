package integration

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestNegotiation(t *testing.T) {
	metadataClient, err := metadata.NewForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	resources := metadataClient.Resource(core.SchemeGroupVersion.WithResource("controllerdeployments"))
	create(t, &core.ControllerDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "negotiated", Annotations: map[string]string{constants.ConfirmationDeletion: "true"}, Finalizers: []string{"example.org/keep"}},
		Type:       "test",
	})
	t.Run("metadata is read by clients that would rather have protobuf", func(t *testing.T) {
		if object, err := resources.Get(t.Context(), "negotiated", metav1.GetOptions{}); err != nil || object.Name != "negotiated" {
			t.Errorf("object %v, %v", object, err)
		}
	})
	t.Run("deleting with the client of the garbage collector is no error", func(t *testing.T) {
		if err := resources.Delete(t.Context(), "negotiated", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	kept := &core.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "negotiated"}}
	if err := admin(t).Patch(t.Context(), kept, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
}
