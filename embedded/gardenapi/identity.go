package gardenapi

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	identityNamespace = "kube-system"
	identityName      = constants.ClusterIdentity
	identityOrigin    = constants.ClusterIdentityOriginGardenerAPIServer
	identityRetry     = 2 * time.Second
)

// keepIdentity writes the identity of the garden to a well-known ConfigMap and repeats this until it succeeds.
func keepIdentity(server *genericapiserver.GenericAPIServer, c Config, garden kubernetes.Interface) error {
	return server.AddPostStartHook("cluster-identity", func(hook genericapiserver.PostStartHookContext) error {
		go func() {
			var last string
			_ = wait.PollUntilContextCancel(hook, identityRetry, true, func(ctx context.Context) (bool, error) {
				err := writeIdentity(ctx, garden, c.ClusterIdentity)
				if err != nil && err.Error() != last {
					last = err.Error()
					c.Log.Info("Cannot write the cluster identity, trying again", "reason", last)
				}
				return err == nil, nil
			})
		}()
		return nil
	})
}

// writeIdentity creates the immutable ConfigMap. It replaces one with another identity.
func writeIdentity(ctx context.Context, garden kubernetes.Interface, identity string) error {
	maps := garden.CoreV1().ConfigMaps(identityNamespace)
	wanted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: identityName, Namespace: identityNamespace},
		Immutable:  ptr.To(true),
		Data:       map[string]string{constants.ClusterIdentity: identity, constants.ClusterIdentityOrigin: identityOrigin},
	}
	found, err := maps.Get(ctx, identityName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("read cluster identity: %w", err)
	case found.Data[constants.ClusterIdentity] == identity && found.Data[constants.ClusterIdentityOrigin] == identityOrigin:
		return nil
	default:
		options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(found.UID))}
		if err := maps.Delete(ctx, identityName, options); err != nil {
			return fmt.Errorf("delete former cluster identity: %w", err)
		}
	}
	if _, err := maps.Create(ctx, wanted, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create cluster identity: %w", err)
	}
	return nil
}
