package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

func TestCSINode(t *testing.T) {
	client := fake.NewClientset()
	if err := writeCSINode(t.Context(), client, "a"); err == nil {
		t.Error("a CSINode without Node was written")
	}
	for _, uid := range []types.UID{"1", "1", "2"} { // a restart, and a Node of the same name
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: uid}}
		_ = client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("nodes"), "", "a")
		if err := client.Tracker().Add(node); err != nil {
			t.Fatal(err)
		}
		registerCSINode(t.Context(), client, "a")
		got, err := client.StorageV1().CSINodes().Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "a", UID: uid}}, got.OwnerReferences); diff != "" || len(got.Spec.Drivers) > 0 {
			t.Errorf("owners (-want +got):\n%s\ndrivers %v", diff, got.Spec.Drivers)
		}
	}
}
