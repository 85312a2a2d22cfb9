package appliance

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Where an embedded cluster tells what others must know about it: a ConfigMap with the address, host:port on this machine,
// of the front door to its shoots.
const (
	waysNamespace = metav1.NamespaceSystem
	waysName      = "embedded-cluster"
	waysFrontDoor = "frontDoor"
)

// answerTimeout is how long the API server of a seed may take to answer the first question.
const answerTimeout = 15 * time.Second

// ways are how this process and an embedded cluster reach each other.
type ways struct {
	frontDoor string // host:port of the front door to its shoots
}

// findWays asks the cluster; found is false if it is no embedded one. An error says that it does not answer, or does not let
// the kubeconfig's user in.
func findWays(ctx context.Context, c kubernetes.Interface) (w ways, found bool, err error) {
	told, err := c.CoreV1().ConfigMaps(waysNamespace).Get(ctx, waysName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ways{}, false, nil
	}
	if err != nil {
		return ways{}, false, fmt.Errorf("the cluster does not answer: %w", err)
	}
	return ways{frontDoor: told.Data[waysFrontDoor]}, true, nil
}

// tellWays is the counterpart of findWays, for the embedded cluster itself.
func tellWays(ctx context.Context, config *rest.Config, w ways) error {
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	told := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: waysNamespace, Name: waysName}, Data: map[string]string{waysFrontDoor: w.frontDoor},
	}
	if _, err = c.CoreV1().ConfigMaps(waysNamespace).Create(ctx, told, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
		_, err = c.CoreV1().ConfigMaps(waysNamespace).Update(ctx, told, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("tell the ways to the cluster: %w", err)
	}
	return nil
}
