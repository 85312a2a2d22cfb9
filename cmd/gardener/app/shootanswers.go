package app

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// answerTimeout is generous, since an API server that is late is asked again and would be late again.
	answerTimeout = 10 * time.Second
	// answerExpiration is the shortest that the garden grants.
	answerExpiration = 10 * time.Minute
)

// shootAPI asks the API server of a shoot whether it is ready. The Shoot alone does not say: after a start of the landscape
// its conditions are those from before the stop until care has checked it.
type shootAPI struct {
	landscape *landscape
	key       types.NamespacedName
	client    rest.Interface // nil until a kubeconfig was got
}

// answers returns nil if the API server is ready.
func (a *shootAPI) answers(ctx context.Context) error {
	if a.client == nil {
		if err := a.connect(ctx); err != nil {
			return err
		}
	}
	return a.client.Get().AbsPath("/readyz").Do(ctx).Error()
}

func (a *shootAPI) connect(ctx context.Context) error {
	kubeconfig, err := adminKubeconfig(ctx, a.landscape, a.key.Namespace, a.key.Name, answerExpiration)
	if err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig of shoot %s: %w", a.key, err)
	}
	config.Timeout, config.NegotiatedSerializer = answerTimeout, scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return err
	}
	a.client = client
	return nil
}
