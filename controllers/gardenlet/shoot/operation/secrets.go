package operation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
)

// ReadSecret reads a Secret of the garden that users write and extensions get. It refuses kubeconfigs that could run
// programs or read files where an extension uses them. Admission refuses most of them, but looks only at what is written: a
// Secret and the first reference to it may be written at the same time, and nothing looks at Secrets behind new bindings.
func ReadSecret(ctx context.Context, garden client.Reader, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := garden.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read secret %q: %w", key, err)
	}
	if err := tenantkubeconfig.CheckData(secret.Data); err != nil {
		return nil, misconfigured("secret %q: %w", key, err)
	}
	return secret, nil
}
