package gardenkeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// rootConfigMap is where the garden publishes its authorities, in every namespace. Gardenlets outside of this process read it in
// kube-public.
const rootConfigMap, rootKey = "kube-root-ca.crt", "ca.crt"

const publishedInterval = 200 * time.Millisecond

// Published waits until a controller of the garden has published these authorities.
func Published(ctx context.Context, garden *rest.Config, trusted []byte) error {
	client, err := kubernetes.NewForConfig(garden)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	last := errors.New("it was not read")
	err = wait.PollUntilContextCancel(ctx, publishedInterval, true, func(ctx context.Context) (bool, error) {
		root, err := client.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, rootConfigMap, metav1.GetOptions{})
		if last = err; err == nil && root.Data[rootKey] != string(trusted) {
			last = errors.New("it has other authorities")
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until ConfigMap %s of the garden has the present authorities: %w", rootConfigMap, errors.Join(last, err))
	}
	return nil
}
