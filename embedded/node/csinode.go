package node

import (
	"context"
	"fmt"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// csiNodeRetry is the pause before the next attempt to write the CSINode; the first ones wait for the Node.
const csiNodeRetry = 500 * time.Millisecond

// registerCSINode writes the CSINode of the Node, which says that it has no drivers of volumes. The kubelet writes it with the
// volume plugin for such drivers, which embedded nodes do not have. It tries until it succeeds or ctx ends.
func registerCSINode(ctx context.Context, client kubernetes.Interface, name string) {
	var reported string
	_ = wait.PollUntilContextCancel(ctx, csiNodeRetry, true, func(ctx context.Context) (bool, error) {
		err := writeCSINode(ctx, client, name)
		if err != nil && !apierrors.IsNotFound(err) && err.Error() != reported {
			reported = err.Error()
			klog.FromContext(ctx).Info("Could not write the CSINode yet", "node", name, "reason", reported)
		}
		return err == nil, nil
	})
}

// writeCSINode makes the CSINode belong to the Node that has the name now, with which it is deleted.
func writeCSINode(ctx context.Context, client kubernetes.Interface, name string) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read node %q: %w", name, err)
	}
	owners := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
	drivers := client.StorageV1().CSINodes()
	present, err := drivers.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = drivers.Create(ctx, &storagev1.CSINode{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{}},
		}, metav1.CreateOptions{})
	case err != nil || len(present.OwnerReferences) == 1 && present.OwnerReferences[0].UID == node.UID:
	default:
		present.OwnerReferences = owners
		_, err = drivers.Update(ctx, present, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("write CSINode %q: %w", name, err)
	}
	return nil
}
