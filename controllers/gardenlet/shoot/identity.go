package shoot

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// identity returns the identity of a cluster: the configured one, or else the one in the cluster. It is read when it is
// needed, since controllers start before all objects of a cluster exist.
type identity struct {
	reader client.Reader
	known  string
}

func (i identity) get(ctx context.Context) (string, error) {
	if i.known != "" {
		return i.known, nil
	}
	configMap := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: constants.ClusterIdentity}
	if err := i.reader.Get(ctx, key, configMap); err != nil {
		return "", fmt.Errorf("read identity of the cluster: %w", err)
	}
	value := configMap.Data[constants.ClusterIdentity]
	if value == "" {
		return "", fmt.Errorf("config map %q contains no identity of the cluster", key)
	}
	return value, nil
}
