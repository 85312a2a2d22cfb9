package deployed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// authorities of a virtual garden with their common names. That of kubelets signs nothing: there are no nodes.
var authorities = map[string]string{
	constants.SecretNameCACluster: "kubernetes", constants.SecretNameCAClient: "kubernetes-client", constants.SecretNameCAETCD: "etcd",
	constants.SecretNameCAETCDPeer: "etcd-peer", constants.SecretNameCAFrontProxy: "front-proxy", constants.SecretNameCAKubelet: "kubelet",
	secretCAGardener: "gardener",
}

// credentials generates the secrets of one Garden.
type credentials struct {
	*writer
	secrets *secretsmanager.Manager
	made    made
}

// made are the names of the generated Secrets, as the components mount them.
type made struct {
	etcds             map[string]etcd.Secrets // by role
	apiServer         kubeapiserver.Secrets
	controllerManager kubecontrollermanager.Secrets
	resourceManager   pod.Mount
	// operator and authorizer are client certificates: of this process, and of the API server that asks the admission controller.
	operator, authorizer map[string][]byte
	// servers are the certificates of servers of Gardener, accesses the kubeconfigs of its components, by the name of the component.
	servers, accesses map[string]pod.Mount
}

// generate makes all secrets that are missing or due, and the kubeconfig that components mount. clusterIP is the address of the API server.
func (c *credentials) generate(ctx context.Context, clusterIP string) error {
	if err := c.generateShared(ctx); err != nil {
		return err
	}
	for _, role := range []string{etcd.Main, etcd.Events} {
		secrets, err := etcd.GenerateSecretsFor(ctx, c.secrets, role, prefix+"etcd-"+role)
		if err != nil {
			return err
		}
		c.made.etcds[role] = secrets
	}
	ips, err := addresses(c.services(), clusterIP)
	if err != nil {
		return err
	}
	hosts := append(names.ServiceNames(apiServer, c.Namespace), c.hosts()...)
	if c.made.apiServer, err = kubeapiserver.GenerateSecrets(ctx, c.secrets, hosts, ips); err != nil {
		return err
	}
	if c.made.controllerManager, err = kubecontrollermanager.GenerateSecretsFor(ctx, c.secrets, c.server()); err != nil {
		return err
	}
	manager := resourcemanager.Access
	manager.Server = c.server()
	if c.made.resourceManager, err = manager.Mount(ctx, c.secrets); err != nil {
		return err
	}
	if err := c.generateClients(ctx); err != nil {
		return err
	}
	return c.generateGardener(ctx)
}

// generateShared makes the authorities and keys that several components use.
func (c *credentials) generateShared(ctx context.Context) error {
	if err := c.complete(ctx); err != nil {
		return err
	}
	keep := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
	var configs []secretsmanager.Config
	for name, commonName := range authorities {
		configs = append(configs, secretsmanager.Certificate{Name: name, CommonName: commonName, Usage: secretsmanager.CA})
	}
	configs = append(configs,
		secretsmanager.Key{Name: constants.SecretNameServiceAccountKey},
		secretsmanager.EncryptionKey{Name: constants.SecretNameETCDEncryptionKey, Bytes: 32},
		secretsmanager.EncryptionKey{Name: secretEncryptionKey, Bytes: 32},
		secretsmanager.StaticTokens{Name: constants.SecretNameKubeAPIServerStaticToken, Tokens: []secretsmanager.StaticToken{
			{Username: kubeapiserver.HealthCheckUser, UserID: "health-check"},
		}},
	)
	for _, config := range configs {
		if _, err := c.secrets.Generate(ctx, config, keep...); err != nil {
			return err
		}
	}
	return c.applyAll(ctx, access.CertificateKubeconfigFor(c.server(), c.Namespace))
}

// complete refuses to make an authority or a key again that is missing while the data exist that need it.
func (c *credentials) complete(ctx context.Context) error {
	err := c.get(ctx, etcdMain, &druidv1alpha1.Etcd{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	missing := map[string]bool{constants.SecretNameServiceAccountKey: true, constants.SecretNameETCDEncryptionKey: true, secretEncryptionKey: true}
	for name := range authorities {
		missing[name] = true
	}
	for _, secret := range c.secrets.Persisted() {
		delete(missing, secret.Labels[secretsmanager.LabelName])
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("namespace %q has lost its Secrets with the labels name=%v, which %s was made with: restore them from a backup of the namespace; new ones could not read what is stored",
		c.Namespace, slices.Sorted(maps.Keys(missing)), etcdMain)
}

// generateClients makes the certificates of clients that mount no kubeconfig.
func (c *credentials) generateClients(ctx context.Context) error {
	for _, one := range []struct {
		to     *map[string][]byte
		config secretsmanager.Certificate
	}{
		{&c.made.operator, secretsmanager.Certificate{Name: secretOperator, CommonName: "gardener.cloud:system:gardener", Organization: []string{"system:masters"}}},
		{&c.made.authorizer, secretsmanager.Certificate{Name: secretAuthorizer, CommonName: authorizerUser}},
	} {
		one.config.Usage, one.config.OmitCA = secretsmanager.Client, true
		secret, err := c.secrets.Generate(ctx, one.config, secretsmanager.SignedBy(constants.SecretNameCAClient))
		if err != nil {
			return err
		}
		*one.to = secret.Data
	}
	return nil
}

// generateGardener makes what only Gardener's own components use.
func (c *credentials) generateGardener(ctx context.Context) error {
	var err error
	for name, hosts := range map[string][]string{
		gardenerAPIServer: names.ServiceNames(gardenerAPIServer, metav1.NamespaceSystem), gardenerAdmission: nil,
	} {
		if c.made.servers[name], err = c.serving(ctx, name, hosts...); err != nil {
			return err
		}
	}
	for name, groups := range map[string][]string{
		gardenerAPIServer: {"system:masters"}, gardenerControllerManager: {"system:masters"}, gardenerAdmission: nil, gardenerScheduler: nil,
	} {
		who := access.Client{Component: name, User: userOf(name), Groups: groups, Server: c.server()}
		if c.made.accesses[name], err = who.Mount(ctx, c.secrets); err != nil {
			return err
		}
	}
	return nil
}

// userOf is the name of a component of Gardener in the virtual garden.
func userOf(component string) string {
	return "gardener.cloud:system:" + strings.TrimPrefix(component, "gardener-")
}

// server is the URL of the API server for pods of the runtime cluster.
func (in Inputs) server() string { return names.ServiceURL(apiServer, in.Namespace) }

// serving generates the certificate of a server of Gardener and returns the directory with it and with the authority.
func (c *credentials) serving(ctx context.Context, component string, hosts ...string) (pod.Mount, error) {
	certificate, err := c.secrets.Generate(ctx, secretsmanager.Certificate{
		Name: component, CommonName: component, Usage: secretsmanager.Server,
		DNSNames: append(append(names.ServiceNames(component, c.Namespace), "localhost"), hosts...),
	}, secretsmanager.SignedBy(secretCAGardener))
	if err != nil {
		return pod.Mount{}, fmt.Errorf("generate certificate of %s: %w", component, err)
	}
	return pod.Mount{Path: dirServer, Secrets: []string{certificate.Name}}, nil
}

// bundle is the trusted authorities in a bundle that has been generated.
func (c *credentials) bundle(name string) []byte {
	return c.secrets.Bundle(name).Data[secretsmanager.KeyBundle]
}

// encryption returns the only key of a configuration: this host does not rotate keys.
func (c *credentials) encryption(name string) []kubeapiserver.EncryptionKeyData {
	key := c.secrets.Current(name).Data
	return []kubeapiserver.EncryptionKeyData{{Name: string(key[secretsmanager.KeyEncryptionKey]), Secret: string(key[secretsmanager.KeyEncryptionData])}}
}
