package flow

import (
	"context"
	"errors"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func (p *Plan) deployService(ctx context.Context) error {
	_, err := p.seed.Apply(ctx, kubeapiserver.Service(p.namespace))
	return err
}

// awaitService waits for the address by which the seed reaches the API server.
func (p *Plan) awaitService(ctx context.Context) error {
	service := kubeapiserver.Service(p.namespace)
	err := await.Until(ctx, p.SeedClient, service, func() error {
		if net.ParseIP(service.Spec.ClusterIP) == nil {
			return errors.New("no cluster IP yet")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("wait for service %q: %w", names.APIServer, err)
	}
	p.apiServerIP = service.Spec.ClusterIP
	return nil
}

func (p *Plan) deployRoute(ctx context.Context) error {
	door, err := p.gateway()
	if err != nil {
		return err
	}
	gateway, route := kubeapiserver.Route(p.namespace, p.APIServerHosts(), door.Labels)
	return p.seed.ApplyAll(ctx, gateway, route)
}

func (p *Plan) destroyRoute(ctx context.Context) error {
	gateway, route := kubeapiserver.Route(p.namespace, nil, nil)
	return p.delete(ctx, route, gateway)
}

func (p *Plan) destroyService(ctx context.Context) error {
	return p.delete(ctx, kubeapiserver.Service(p.namespace))
}

// ensureAddresses tells users where the API server is.
func (p *Plan) ensureAddresses(ctx context.Context) error {
	return p.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		s.AdvertisedAddresses = p.AdvertisedAddresses(p.FrontDoorPort)
	})
}

func (p *Plan) deployAPIServer(ctx context.Context) error {
	values, err := p.apiServerValues(ctx)
	if err != nil {
		return err
	}
	objects, _, err := kubeapiserver.Objects(values)
	if err != nil {
		return err
	}
	if err := p.seed.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	if err := p.deployConnection(ctx); err != nil {
		return err
	}
	return p.publishKubeconfig(ctx)
}

func (p *Plan) apiServerValues(ctx context.Context) (kubeapiserver.Values, error) {
	config := p.Shoot.Spec.Kubernetes.KubeAPIServer
	values := kubeapiserver.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), Version: p.Version(), Config: config,
		AdvertiseAddress: p.apiServerIP, ServiceCIDR: p.ServiceCIDR(), Workerless: p.Workerless(),
		Hostname: p.APIServerHosts()[0], Issuer: p.issuer(),
	}
	first, err := p.ServiceIP(1)
	if err != nil {
		return values, err
	}
	ips := []net.IP{first}
	if ip := net.ParseIP(p.apiServerIP); ip != nil {
		ips = append(ips, ip)
	}
	if values.Secrets, err = kubeapiserver.GenerateSecrets(ctx, p.secrets, p.APIServerHosts(), ips); err != nil {
		return values, err
	}
	if p.tunnelled() {
		values.Egress = p.tunnelMode().Egress(p.vpn)
	}
	values.HealthToken = secretsmanager.TokenFor(p.secrets.Current(constants.SecretNameKubeAPIServerStaticToken).Data, kubeapiserver.HealthCheckUser)
	for _, key := range []*corev1.Secret{p.secrets.Current(constants.SecretNameETCDEncryptionKey), p.secrets.Old(constants.SecretNameETCDEncryptionKey)} {
		if key != nil {
			values.Encryption = append(values.Encryption, kubeapiserver.EncryptionKeyData{
				Name: string(key.Data[secretsmanager.KeyEncryptionKey]), Secret: string(key.Data[secretsmanager.KeyEncryptionData]),
			})
		}
	}
	return values, p.readAPIServerFiles(ctx, config, &values)
}

// readAPIServerFiles reads the documents in the project that the Shoot refers to.
func (p *Plan) readAPIServerFiles(ctx context.Context, config *gardencorev1beta1.KubeAPIServerConfig, values *kubeapiserver.Values) error {
	if config == nil {
		return nil
	}
	var err error
	if audit := config.AuditConfig; audit != nil && audit.AuditPolicy != nil && audit.AuditPolicy.ConfigMapRef != nil {
		if values.AuditPolicy, err = p.readDocument(ctx, audit.AuditPolicy.ConfigMapRef.Name, constants.DataKeyAuditPolicy); err != nil {
			return fmt.Errorf("read audit policy: %w", err)
		}
	}
	if structured := config.StructuredAuthentication; structured != nil {
		if values.Authentication, err = p.readDocument(ctx, structured.ConfigMapName, constants.DataKeyConfigYAML); err != nil {
			return fmt.Errorf("read authentication configuration: %w", err)
		}
	}
	for _, plugin := range config.AdmissionPlugins {
		if plugin.KubeconfigSecretName == nil {
			continue
		}
		secret := &corev1.Secret{}
		key := client.ObjectKey{Namespace: p.Shoot.Namespace, Name: *plugin.KubeconfigSecretName}
		if err := p.GardenReader.Get(ctx, key, secret); err != nil {
			return fmt.Errorf("read kubeconfig of admission plugin %q: %w", plugin.Name, err)
		}
		if values.PluginKubeconfigs == nil {
			values.PluginKubeconfigs = map[string][]byte{}
		}
		values.PluginKubeconfigs[plugin.Name] = secret.Data[constants.DataKeyKubeconfig]
	}
	return nil
}

func (p *Plan) readDocument(ctx context.Context, name, dataKey string) (string, error) {
	configMap := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: p.Shoot.Namespace, Name: name}
	if err := p.GardenReader.Get(ctx, key, configMap); err != nil {
		return "", fmt.Errorf("read config map %q: %w", key, err)
	}
	document := configMap.Data[dataKey]
	if document == "" {
		return "", fmt.Errorf("config map %q has no key %q", key, dataKey)
	}
	return document, nil
}

// issuer of service account tokens is the internal address, which stays when the external domain is given up.
func (p *Plan) issuer() string {
	if config := p.Shoot.Spec.Kubernetes.KubeAPIServer; config != nil && config.ServiceAccountConfig != nil {
		if issuer := ptr.Deref(config.ServiceAccountConfig.Issuer, ""); issuer != "" {
			return issuer
		}
	}
	return "https://" + p.Internal.APIServer()
}

func (p *Plan) awaitAPIServer(ctx context.Context) error {
	return p.awaitDeployment(ctx, names.APIServer)
}

// deleteAPIServer gives the pods no time to say goodbye: there is nobody left to talk to.
func (p *Plan) deleteAPIServer(ctx context.Context) error {
	if err := p.deleteDeployment(ctx, names.APIServer); err != nil {
		return err
	}
	err := p.SeedClient.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(p.namespace), client.MatchingLabels(kubeapiserver.Labels()), client.GracePeriodSeconds(1))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete pods of kube-apiserver: %w", err)
	}
	return nil
}

func (p *Plan) awaitAPIServerGone(ctx context.Context) error {
	return p.awaitDeploymentGone(ctx, names.APIServer)
}
