// Package connection connects this process to the API server of a shoot.
package connection

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
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Connection is the access of the steps of this run to the shoot.
type Connection struct {
	Client client.WithWatch
	Config *rest.Config
}

// Connector connects to the API server of a shoot.
type Connector struct {
	Space    seed.Space
	Exposure exposure.Shoot
}

// DeployKubeconfigs writes the kubeconfigs by which Gardener itself reaches the shoot, from outside and from inside of
// the seed.
func (c Connector) DeployKubeconfigs(ctx context.Context, made credentials.Made) error {
	certificate, err := made.Generate(ctx, secretsmanager.Certificate{
		Name: "gardener-client", CommonName: "gardener.cloud:system:gardener", Organization: []string{"system:masters"},
		Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedBy(constants.SecretNameCAClient))
	if err != nil {
		return err
	}
	ca := made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	for name, server := range map[string]string{
		constants.SecretNameGardener:         c.Exposure.URL(),
		constants.SecretNameGardenerInternal: names.APIServerURL(c.Space.Name),
	} {
		kubeconfig := access.CertificateKubeconfigData(access.Cluster{Name: c.Space.Name, Server: server, CA: ca}, certificate.Data)
		_, err := c.Space.Apply(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.Space.Name}, Type: corev1.SecretTypeOpaque,
			Data: map[string][]byte{constants.DataKeyKubeconfig: kubeconfig},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Connect makes the client for the shoot and waits until the API server responds.
func (c Connector) Connect(ctx context.Context) (Connection, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: c.Space.Name, Name: constants.SecretNameGardenerInternal}
	if err := c.Space.Client.Get(ctx, key, secret); err != nil {
		return Connection{}, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config, err := c.Exposure.Config(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return Connection{}, err
	}
	if err := await.Poll(ctx, func() error { return ready(ctx, config) }); err != nil {
		return Connection{}, err
	}
	shoot, err := client.NewWithWatch(config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return Connection{}, fmt.Errorf("make client of the shoot: %w", err)
	}
	return Connection{Client: shoot, Config: config}, nil
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
