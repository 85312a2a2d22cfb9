package node

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/gardener-up/gardener-up/embedded/watchmap"
)

// versions are what a kubelet believes about itself and what its Node shows instead. Kubelets of clusters that emulate an
// older minor version have nothing to emulate but the number.
type versions struct{ own, shown string }

// showing returns a client through which the kubelet reads its own version where the cluster has the shown one, so that it
// sees no difference to write, and writes the shown one where it means its own.
func showing(client kubernetes.Interface, v versions) kubernetes.Interface {
	if v.shown == "" || v.shown == v.own {
		return client
	}
	return &versionedClient{Interface: client, versions: v} // the kubelet compares it with a nil pointer
}

type versionedClient struct {
	kubernetes.Interface
	versions versions
}

func (c *versionedClient) CoreV1() typedcorev1.CoreV1Interface {
	return versionedCore{CoreV1Interface: c.Interface.CoreV1(), versions: c.versions}
}

type versionedCore struct {
	typedcorev1.CoreV1Interface
	versions versions
}

func (c versionedCore) Nodes() typedcorev1.NodeInterface {
	return versionedNodes{NodeInterface: c.CoreV1Interface.Nodes(), versions: c.versions}
}

// versionedNodes covers the calls of a kubelet.
type versionedNodes struct {
	typedcorev1.NodeInterface
	versions versions
}

func (n versionedNodes) Create(ctx context.Context, node *corev1.Node, o metav1.CreateOptions) (*corev1.Node, error) {
	node = node.DeepCopy()
	replace(node, n.versions.own, n.versions.shown)
	created, err := n.NodeInterface.Create(ctx, node, o)
	return n.read(created), err
}

func (n versionedNodes) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.Node, error) {
	node, err := n.NodeInterface.Get(ctx, name, o)
	return n.read(node), err
}

func (n versionedNodes) List(ctx context.Context, o metav1.ListOptions) (*corev1.NodeList, error) {
	list, err := n.NodeInterface.List(ctx, o)
	if list != nil {
		for i := range list.Items {
			n.read(&list.Items[i])
		}
	}
	return list, err
}

func (n versionedNodes) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	events, err := n.NodeInterface.Watch(ctx, o)
	if err != nil {
		return nil, err
	}
	return watchmap.New(events, func(event watch.Event) watch.Event {
		if node, ok := event.Object.(*corev1.Node); ok {
			n.read(node)
		}
		return event
	}), nil
}

func (n versionedNodes) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*corev1.Node, error) {
	data, err := n.versions.patch(data)
	if err != nil {
		return nil, fmt.Errorf("patch node %q: %w", name, err)
	}
	node, err := n.NodeInterface.Patch(ctx, name, kind, data, o, subresources...)
	return n.read(node), err
}

func (n versionedNodes) read(node *corev1.Node) *corev1.Node {
	if node != nil {
		replace(node, n.versions.shown, n.versions.own)
	}
	return node
}

func replace(node *corev1.Node, from, to string) {
	if info := &node.Status.NodeInfo; info.KubeletVersion == from {
		info.KubeletVersion = to
	}
}

// patch is the merge patch with the shown version in the place of the own.
func (v versions) patch(data []byte) ([]byte, error) {
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("read patch: %w", err)
	}
	status, _ := content["status"].(map[string]any)
	info, _ := status["nodeInfo"].(map[string]any)
	if info["kubeletVersion"] != v.own {
		return data, nil
	}
	info["kubeletVersion"] = v.shown
	return json.Marshal(content)
}
