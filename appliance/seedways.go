package appliance

import (
	"context"
	"errors"
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

// errNotEmbedded is why clusters of other kinds are not served.
var errNotEmbedded = errors.New("the cluster is none that this binary runs on this machine (it has no ConfigMap " + waysNamespace + "/" + waysName + ")")

// ways are how this process and an embedded cluster reach each other.
type ways struct {
	frontDoor string // host:port of the front door to its shoots
}

// findWays asks the cluster. An error says that it does not answer, does not let the kubeconfig's user in, or is none of
// ours.
func findWays(ctx context.Context, config *rest.Config) (ways, error) {
	config = rest.CopyConfig(config)
	config.Timeout = answerTimeout
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return ways{}, err
	}
	told, err := c.CoreV1().ConfigMaps(waysNamespace).Get(ctx, waysName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ways{}, errNotEmbedded
	}
	if err != nil {
		return ways{}, fmt.Errorf("the cluster does not answer: %w", err)
	}
	return ways{frontDoor: told.Data[waysFrontDoor]}, nil
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
