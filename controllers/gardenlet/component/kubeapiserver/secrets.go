package kubeapiserver

import (
	"context"
	"fmt"
	"net"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Users of the static tokens.
const (
	HealthCheckUser = "system:kube-apiserver-health-check"
	ClusterAdmin    = "system:cluster-admin"
)

// Secrets are the names of the Secrets that the pods mount.
type Secrets struct {
	Server            string
	CAClientBundle    string
	CAEtcdBundle      string
	CAFrontProxy      string
	CAKubeletBundle   string
	EtcdClient        string
	KubeletClient     string
	Aggregator        string
	ServiceAccount    string
	ServiceAccountOld string // bundle of all keys that verify tokens
	StaticToken       string
}

// GenerateSecrets generates the secrets that only kube-apiserver uses and returns all that it mounts. The CAs and keys
// above must be generated before. The certificates that users and extension API servers see move with the shoot to another seed.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager, hosts []string, ips []net.IP) (Secrets, error) {
	var out Secrets
	for _, want := range []struct {
		name    *string
		config  secretsmanager.Config
		options []secretsmanager.Option
	}{
		{&out.Server, secretsmanager.Certificate{
			Name: constants.SecretNameKubeAPIServer, CommonName: "system:apiserver:kube-apiserver", Usage: secretsmanager.Server, OmitCA: true,
			DNSNames: append(serverNames(sm.Namespace), hosts...), IPs: append([]net.IP{net.IPv4(127, 0, 0, 1)}, ips...),
		}, []secretsmanager.Option{secretsmanager.SignedBy(constants.SecretNameCACluster), secretsmanager.Persist()}},
		{&out.EtcdClient, secretsmanager.Certificate{
			Name: constants.SecretNameETCDClient, CommonName: constants.SecretNameETCDClient, Usage: secretsmanager.Client, OmitCA: true,
		}, []secretsmanager.Option{secretsmanager.SignedBy(constants.SecretNameCAETCD)}},
		{&out.KubeletClient, secretsmanager.Certificate{
			Name: constants.SecretNameKubeAPIServerToKubelet, CommonName: "system:kube-apiserver:kubelet", Usage: secretsmanager.Client, OmitCA: true,
		}, []secretsmanager.Option{secretsmanager.SignedByOld(constants.SecretNameCAKubelet)}},
		{&out.Aggregator, secretsmanager.Certificate{
			Name: constants.SecretNameKubeAggregator, CommonName: "system:kube-aggregator", Usage: secretsmanager.Client, OmitCA: true,
		}, []secretsmanager.Option{secretsmanager.SignedBy(constants.SecretNameCAFrontProxy), secretsmanager.Persist()}},
	} {
		secret, err := sm.Generate(ctx, want.config, want.options...)
		if err != nil {
			return out, fmt.Errorf("generate secrets of kube-apiserver: %w", err)
		}
		*want.name = secret.Name
	}
	for _, shared := range []struct {
		name   *string
		config string
		bundle bool
	}{
		{&out.CAClientBundle, constants.SecretNameCAClient, true},
		{&out.CAEtcdBundle, constants.SecretNameCAETCD, true},
		{&out.CAFrontProxy, constants.SecretNameCAFrontProxy, true},
		{&out.CAKubeletBundle, constants.SecretNameCAKubelet, true},
		{&out.ServiceAccount, constants.SecretNameServiceAccountKey, false},
		{&out.ServiceAccountOld, constants.SecretNameServiceAccountKey, true},
		{&out.StaticToken, constants.SecretNameKubeAPIServerStaticToken, false},
	} {
		secret := sm.Current(shared.config)
		if shared.bundle {
			secret = sm.Bundle(shared.config)
		}
		if secret == nil {
			return out, fmt.Errorf("secret %q of kube-apiserver has not been generated", shared.config)
		}
		*shared.name = secret.Name
	}
	return out, nil
}

func serverNames(namespace string) []string {
	return append(append(names.ServiceNames(names.APIServer, namespace), names.ServiceNames("kubernetes", "default")...), "localhost")
}
