package kubecontroller

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/util/keyutil"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	serviceaccountcontroller "k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// tokens fills Secrets of type kubernetes.io/service-account-token. kube-controller-manager also starts this controller
// separately from the others.
type tokens struct {
	controller *serviceaccountcontroller.TokensController
	workers    int
}

// newTokens returns nil without an error if there is no signing key.
func newTokens(ctx context.Context, c app.ControllerContext) (app.Controller, error) {
	config := c.ComponentConfig.SAController
	if config.ServiceAccountKeyFile == "" {
		return nil, nil
	}
	key, err := keyutil.PrivateKeyFromFile(config.ServiceAccountKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	var ca []byte
	if config.RootCAFile != "" {
		if ca, err = os.ReadFile(config.RootCAFile); err != nil {
			return nil, fmt.Errorf("read root CA: %w", err)
		}
	}
	generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
	if err != nil {
		return nil, fmt.Errorf("make token generator: %w", err)
	}
	client, err := c.NewClient("tokens-controller")
	if err != nil {
		return nil, err
	}
	controller, err := serviceaccountcontroller.NewTokensController(klog.FromContext(ctx),
		c.InformerFactory.Core().V1().ServiceAccounts(), c.InformerFactory.Core().V1().Secrets(), client,
		serviceaccountcontroller.TokensControllerOptions{TokenGenerator: generator, RootCA: ca})
	if err != nil {
		return nil, err
	}
	return &tokens{controller: controller, workers: int(config.ConcurrentSATokenSyncs)}, nil
}

func (t *tokens) Name() string { return names.ServiceAccountTokenController }

func (t *tokens) Run(ctx context.Context) { t.controller.Run(ctx, t.workers) }
