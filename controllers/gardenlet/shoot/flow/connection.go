package flow

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// deployConnection writes the kubeconfigs by which Gardener itself reaches the shoot: from outside of the seed, and from
// inside of it.
func (p *Plan) deployConnection(ctx context.Context) error {
	certificate, err := p.secrets.Generate(ctx, secretsmanager.Certificate{
		Name: "gardener-client", CommonName: "gardener.cloud:system:gardener", Organization: []string{"system:masters"},
		Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedBy(constants.SecretNameCAClient))
	if err != nil {
		return err
	}
	ca := p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	for name, server := range map[string]string{
		constants.SecretNameGardener:         p.AdvertisedAddresses(p.FrontDoorPort)[0].URL,
		constants.SecretNameGardenerInternal: names.APIServerURL(p.namespace),
	} {
		kubeconfig := access.CertificateKubeconfigData(access.Cluster{Name: p.namespace, Server: server, CA: ca}, certificate.Data)
		_, err := p.seed.Apply(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.namespace}, Type: corev1.SecretTypeOpaque,
			Data: map[string][]byte{constants.DataKeyKubeconfig: kubeconfig},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deployAccess lets extensions have tokens with the rights of Gardener.
func (p *Plan) deployAccess(ctx context.Context) error {
	return p.deployManaged(ctx, shootsystem.ResourceAccess, false, shootsystem.GardenerAccess()...)
}

// connect makes the client for the shoot and waits until the API server answers it.
func (p *Plan) connect(ctx context.Context) error {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: p.namespace, Name: constants.SecretNameGardenerInternal}
	if err := p.SeedClient.Get(ctx, key, secret); err != nil {
		return fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config, err := p.ShootConfig(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config.QPS = -1 // the API server has limits of its own
	if err := poll(ctx, func() error { return ready(ctx, config) }); err != nil {
		return err
	}
	shoot, err := client.NewWithWatch(config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return fmt.Errorf("make client of the shoot: %w", err)
	}
	p.shoot, p.shootConfig = shoot, config
	return nil
}

func ready(ctx context.Context, config *rest.Config) error {
	code, body, err := health.Get(ctx, config, "/readyz")
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("answer is %d: %.200s", code, body)
	}
	if err != nil {
		return fmt.Errorf("ask the shoot's API server whether it is ready: %w", err)
	}
	return nil
}
