package bootstrap

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Secrets are the Secrets of the seed with the kubeconfigs of the gardenlet.
func (a *Access) Secrets() []corev1.SecretReference {
	all := []corev1.SecretReference{*a.secrets.kubeconfig}
	if a.secrets.initial != nil {
		all = append(all, *a.secrets.initial)
	}
	return all
}

// BootstrapAgain replaces the certificate as at the first start if its Secret is gone, and somebody has written another bootstrap
// kubeconfig. Otherwise it does nothing, and the gardenlet keeps its certificate.
func (a *Access) BootstrapAgain(ctx context.Context) error {
	a.renewing.Lock()
	defer a.renewing.Unlock()
	if a.secrets.initial == nil {
		return nil
	}
	stored, _, err := a.secrets.load(ctx)
	if err != nil || stored != nil {
		return err
	}
	secret, err := a.secrets.get(ctx, a.secrets.initial)
	if err != nil || secret == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	made, err := a.bootstrapWith(ctx, kubeconfigOf(secret))
	if err != nil {
		return fmt.Errorf("request another client certificate with a bootstrap token: %w", err)
	}
	logger := log.FromContext(ctx)
	if made.garden.Server != a.Garden().Server {
		logger.Info("The garden has another address, which the gardenlet uses when it is started again", "address", made.garden.Server)
		return a.secrets.dropInitial(ctx)
	}
	if err := errors.Join(a.use(made), a.secrets.dropInitial(ctx)); err != nil {
		return err
	}
	logger.Info("Requested another client certificate with a bootstrap token", "expires", made.leaf.NotAfter)
	return nil
}
