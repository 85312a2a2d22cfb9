package node

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

func TestShownVersion(t *testing.T) {
	const own, shown = "v1.36.3", "v1.34.0"
	plain := fake.NewClientset()
	nodes := showing(plain, versions{own: own, shown: shown}).CoreV1().Nodes()
	stored := func() string {
		node, err := plain.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return node.Status.NodeInfo.KubeletVersion
	}
	events, err := nodes.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	node.Status.NodeInfo.KubeletVersion = own
	t.Run("ARC-9 a node registers with the version of its cluster", func(t *testing.T) {
		created, err := nodes.Create(t.Context(), node, metav1.CreateOptions{})
		if err != nil || created.Status.NodeInfo.KubeletVersion != own || stored() != shown {
			t.Errorf("kubelet reads %v (%v), cluster has %s", created, err, stored())
		}
		if node.Status.NodeInfo.KubeletVersion != own {
			t.Error("the kubelet's object was changed")
		}
	})
	t.Run("the kubelet finds nothing to correct", func(t *testing.T) {
		got, err := nodes.Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil || got.Status.NodeInfo.KubeletVersion != own {
			t.Errorf("get: %v, %v", got, err)
		}
		list, err := nodes.List(t.Context(), metav1.ListOptions{})
		if err != nil || list.Items[0].Status.NodeInfo.KubeletVersion != own {
			t.Errorf("list: %v, %v", list, err)
		}
		if seen := (<-events.ResultChan()).Object.(*corev1.Node); seen.Status.NodeInfo.KubeletVersion != own {
			t.Errorf("watch: %v", seen)
		}
	})
	t.Run("ARC-9 what the kubelet corrects becomes the version of its cluster", func(t *testing.T) {
		before := []byte(`{"status":{"nodeInfo":{"kubeletVersion":"v1.33.0"}}}`)
		if _, err := plain.CoreV1().Nodes().Patch(t.Context(), "n", types.StrategicMergePatchType, before, metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
		patch := []byte(`{"status":{"nodeInfo":{"kubeletVersion":"v1.36.3"}}}`)
		if _, err := nodes.Patch(t.Context(), "n", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil || stored() != shown {
			t.Errorf("stored %s, %v", stored(), err)
		}
	})
	t.Run("the kubelet can tell that there is a client", func(t *testing.T) {
		if kind := reflect.TypeOf(showing(plain, versions{own: own, shown: shown})).Kind(); kind != reflect.Pointer {
			t.Errorf("the client is a %s", kind)
		}
	})
	t.Run("without another version the client stays as it is", func(t *testing.T) {
		for _, v := range []versions{{own: own}, {own: own, shown: own}} {
			if showing(plain, v) != plain {
				t.Errorf("%+v wraps the client", v)
			}
		}
	})
}
