package machine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/providers/contract"
)

// Refresh gives running machines of a class the present user data. If their kubelets would not read a change again, the kubelets start
// again.
func Refresh(ctx context.Context, reader client.Reader, writer client.Client, namespace, class string, userData []byte) error {
	list := &corev1.PodList{}
	if err := reader.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels(contract.MachinePodLabels())); err != nil {
		return fmt.Errorf("list pods of machines: %w", err)
	}
	wanted := secretData(class, userData)
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.DeletionTimestamp != nil || pod.Annotations[classAnnotation] != class {
			continue
		}
		secret := &corev1.Secret{}
		err := reader.Get(ctx, client.ObjectKeyFromObject(pod), secret)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read secret %s of a machine: %w", pod.Name, err)
		}
		if err != nil || maps.EqualFunc(secret.Data, wanted, slices.Equal[[]byte]) {
			continue
		}
		secret.Data = wanted
		if err := writer.Update(ctx, secret); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("write secret %s of a machine: %w", pod.Name, err)
		}
		before := pod.DeepCopy()
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, bootAnnotation, fingerprint(wanted)) // which makes the node read the Secret again
		if err := writer.Patch(ctx, pod, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("announce secret %s to a machine: %w", pod.Name, err)
		}
	}
	return nil
}
