package seedhost

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
)

// kubeconfigKey is the key of the kubeconfig in the data of the Secret.
const kubeconfigKey = "kubeconfig"

// parse accepts only a self-contained kubeconfig: users who may write Secrets of the garden must neither run commands
// nor read files here. The operator's environment decides about proxies.
func parse(text []byte) (*rest.Config, error) {
	if len(text) == 0 {
		return nil, fmt.Errorf("it has no data.%s", kubeconfigKey)
	}
	access, err := tenantkubeconfig.Access(text)
	if errors.Is(err, tenantkubeconfig.ErrUnreadable) {
		return nil, errors.New("its kubeconfig cannot be read")
	}
	if err != nil {
		return nil, fmt.Errorf("its kubeconfig is refused: %w", err)
	}
	access.Proxy = nil
	return access, nil
}
