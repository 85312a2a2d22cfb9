package managedseed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Connect makes clients of shoots from the kubeconfigs in their namespaces of the seed, adapted by the function config.
func Connect(seed client.Client, config func(kubeconfig []byte) (*rest.Config, error)) func(context.Context, string) (client.Client, error) {
	return func(ctx context.Context, namespace string) (client.Client, error) {
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: constants.SecretNameGardenerInternal}, secret); err != nil {
			return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
		}
		access, err := config(secret.Data[constants.DataKeyKubeconfig])
		if err != nil {
			return nil, err
		}
		c, err := client.New(access, client.Options{Scheme: clientgoscheme.Scheme})
		if err != nil {
			return nil, fmt.Errorf("make client of the shoot: %w", err)
		}
		return c, nil
	}
}
