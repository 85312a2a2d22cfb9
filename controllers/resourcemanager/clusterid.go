package resourcemanager

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Values of Config.ClusterID that refer to the identity in ConfigMap kube-system/cluster-identity.
const (
	ClusterIDFromCluster = "<cluster>" // it must exist
	ClusterIDOrNone      = "<default>" // no identity if it does not exist
)

const clusterIdentity = "cluster-identity" // name and key

func resolveClusterID(ctx context.Context, reader client.Reader, configured string) (string, error) {
	if configured != ClusterIDFromCluster && configured != ClusterIDOrNone {
		return configured, nil
	}
	identity := &corev1.ConfigMap{}
	err := reader.Get(ctx, types.NamespacedName{Namespace: metav1.NamespaceSystem, Name: clusterIdentity}, identity)
	if configured == ClusterIDOrNone {
		err = client.IgnoreNotFound(err)
	}
	if err != nil {
		return "", fmt.Errorf("read cluster identity: %w", err)
	}
	id := identity.Data[clusterIdentity]
	if id == "" && configured == ClusterIDFromCluster {
		return "", fmt.Errorf("ConfigMap %s/%s has no key %q", metav1.NamespaceSystem, clusterIdentity, clusterIdentity)
	}
	return id, nil
}
