package apiserver

import (
	"context"
	"net"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/encryption"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func (s Server) values(ctx context.Context, made credentials.Made, clusterIP string) (kubeapiserver.Values, error) {
	config := s.Shoot.Spec.Kubernetes.KubeAPIServer
	values := kubeapiserver.Values{
		Namespace: s.Space.Name, Image: s.Space.Image, Replicas: s.Replicas, EtcdMembers: s.EtcdMembers, Version: s.Shoot.Spec.Kubernetes.Version, Config: config,
		AdvertiseAddress: clusterIP, ServiceCIDR: s.Networks.Services, Workerless: helper.IsWorkerless(s.Shoot),
		Hostname: s.Exposure.APIServerHosts()[0], Issuer: s.issuer(),
	}
	values.SeedRanges, values.NodesInSeed, values.FrontDoors = operation.SeedRanges(s.Seed), s.nodesInSeed(), s.frontDoors()
	values.SimulatedRanges, values.PrivateNetworks = s.simulatedRanges(), s.Exposure.PrivateNetworks
	values.AllowedIssuerHosts = operation.AllowedIssuerHosts(s.Seed)
	first, err := s.Networks.ServiceIP(1)
	if err != nil {
		return values, err
	}
	ips := []net.IP{first}
	if ip := net.ParseIP(clusterIP); ip != nil {
		ips = append(ips, ip)
	}
	door, err := s.Exposure.Door()
	if err != nil {
		return values, err
	}
	if door.IsValid() {
		ips = append(ips, door.Addr().AsSlice())
	}
	if values.Secrets, err = kubeapiserver.GenerateSecrets(ctx, made.Manager, s.Exposure.APIServerHosts(), ips); err != nil {
		return values, err
	}
	if values.TokenWebhook, err = s.Webhook.ForAPIServer(ctx, made); err != nil {
		return values, err
	}
	if s.Exposure.Tunnelled() {
		values.Egress = s.Exposure.TunnelMode().Egress(made.Tunnel)
	}
	values.HealthToken = secretsmanager.TokenFor(made.Current(constants.SecretNameKubeAPIServerStaticToken).Data, kubeapiserver.HealthCheckUser)
	values.NoLongerEncrypted, values.FormerProvider = encryption.Leaving(s.Shoot), encryption.FormerProvider(s.Shoot)
	return values, s.readFiles(ctx, config, &values)
}

// issuer of service account tokens is the internal address, which stays the same if the external domain is removed.
func (s Server) issuer() string {
	if config := s.Shoot.Spec.Kubernetes.KubeAPIServer; config != nil && config.ServiceAccountConfig != nil {
		if issuer := ptr.Deref(config.ServiceAccountConfig.Issuer, ""); issuer != "" {
			return issuer
		}
	}
	return "https://" + s.Exposure.Internal.APIServer()
}
