package machine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/providers/contract"

	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// Update gives the pods of the machines in a namespace another image. Their kubelets start again, and the machines stay. A pod that
// differs in anything else from what this version would make stays as it is until its machine is replaced: only the image of a pod
// can be changed, and Update does not sign a pod that it would not make. pods signs; nil signs none.
func Update(ctx context.Context, reader client.Reader, writer client.Client, namespace, image string, pods *podsignature.Signer) error {
	list := &corev1.PodList{}
	if err := reader.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels(contract.MachinePodLabels())); err != nil {
		return fmt.Errorf("list pods of machines: %w", err)
	}
	signature, err := Signature(pods, namespace, image)
	if err != nil {
		return err
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.DeletionTimestamp != nil || stopped(pod) || len(pod.Spec.Containers) != 1 || pod.Spec.Containers[0].Image == image {
			continue
		}
		made, err := Signature(pods, namespace, pod.Spec.Containers[0].Image)
		if err != nil {
			return err
		}
		if made != pod.Annotations[podsignature.Annotation] {
			continue
		}
		before := pod.DeepCopy()
		pod.Spec.Containers[0].Image = image
		if signature != "" {
			metav1.SetMetaDataAnnotation(&pod.ObjectMeta, podsignature.Annotation, signature)
		}
		if err := writer.Patch(ctx, pod, client.StrategicMergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("update pod %s of a machine: %w", pod.Name, err)
		}
	}
	return nil
}
