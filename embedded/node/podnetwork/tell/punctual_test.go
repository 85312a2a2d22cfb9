package tell

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// punctual is a client that sends nothing when its context has ended, as one of a real server does.
type punctual struct{ kubernetes.Interface }

func (p punctual) CoreV1() typedcorev1.CoreV1Interface { return core{p.Interface.CoreV1()} }

type core struct{ typedcorev1.CoreV1Interface }

func (c core) Nodes() typedcorev1.NodeInterface { return nodes{c.CoreV1Interface.Nodes()} }

type nodes struct{ typedcorev1.NodeInterface }

func (n nodes) Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return n.NodeInterface.Get(ctx, name, options)
}

func (n nodes) List(ctx context.Context, options metav1.ListOptions) (*corev1.NodeList, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return n.NodeInterface.List(ctx, options)
}

func (n nodes) PatchStatus(ctx context.Context, name string, data []byte) (*corev1.Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return n.NodeInterface.PatchStatus(ctx, name, data)
}
