package embedded

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/servers"
)

// The ConfigMap by which an embedded cluster says what others must know about it: the address, host:port on this machine, of
// the front door to its shoots.
const (
	WaysNamespace = metav1.NamespaceSystem
	WaysName      = "embedded-cluster"
	WaysFrontDoor = "frontDoor" // key of its data
)

// FindWays reads the address of the front door to a cluster's shoots. found is false if the cluster is not an embedded one. It
// returns an error if the cluster does not answer, or refuses the user of the kubeconfig.
func FindWays(ctx context.Context, c kubernetes.Interface) (frontDoor string, found bool, err error) {
	told, err := c.CoreV1().ConfigMaps(WaysNamespace).Get(ctx, WaysName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("the cluster does not answer: %w", err)
	}
	return told.Data[WaysFrontDoor], true, nil
}

// Ways is the part of an embedded cluster that writes the ConfigMap, once others can use the cluster.
func Ways(cluster *rest.Config, frontDoor string) component.Part {
	return component.Part{After: []string{servers.FrontDoor, servers.Node}, Component: component.NewStep("ways", func(ctx context.Context) error {
		c, err := kubernetes.NewForConfig(cluster)
		if err != nil {
			return err
		}
		return tellWays(ctx, c, frontDoor)
	}, nil)}
}

func tellWays(ctx context.Context, c kubernetes.Interface, frontDoor string) error {
	told := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: WaysNamespace, Name: WaysName}, Data: map[string]string{WaysFrontDoor: frontDoor},
	}
	_, err := c.CoreV1().ConfigMaps(WaysNamespace).Create(ctx, told, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = c.CoreV1().ConfigMaps(WaysNamespace).Update(ctx, told, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("publish how other processes reach the cluster: %w", err)
	}
	return nil
}
