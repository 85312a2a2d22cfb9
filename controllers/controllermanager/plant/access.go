package plant

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
)

const (
	keyKubeconfig = "kubeconfig"
	// timeout of a look at the cluster of a Plant, which is up to three requests.
	timeout = 10 * time.Second
)

// accessOf makes a client configuration from a Secret. Users write these Secrets, so kubeconfigs that would run programs
// on this machine or read its files are refused.
func accessOf(secret *corev1.Secret) (*rest.Config, error) {
	raw := secret.Data[keyKubeconfig]
	if len(raw) == 0 {
		return nil, fmt.Errorf("secret %q has no key %s", secret.Name, keyKubeconfig)
	}
	config, err := tenantkubeconfig.Access(raw)
	if errors.Is(err, tenantkubeconfig.ErrUnreadable) {
		return nil, fmt.Errorf("secret %q has no valid kubeconfig: it cannot be parsed", secret.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("kubeconfig of secret %q: %w", secret.Name, err)
	}
	config.Timeout = timeout
	return config, nil
}
