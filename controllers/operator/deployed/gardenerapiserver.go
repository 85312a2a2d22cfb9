package deployed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// Keys of the files of the Gardener API server.
const (
	keyEncryption   = "encryption-configuration.yaml"
	keyAuditPolicy  = "audit-policy.yaml"
	keyAuditWebhook = "audit-webhook-kubeconfig.yaml"
	keyAdmission    = "admission-configuration.yaml"
	etcdClientPort  = 2379
)

// encrypted are the resources of Gardener that are always encrypted.
var encrypted = []string{
	"controllerdeployments.core.gardener.cloud", "controllerregistrations.core.gardener.cloud", "internalsecrets.core.gardener.cloud", "shootstates.core.gardener.cloud",
}

// serverFiles are the objects that the Gardener API server mounts, and where.
type serverFiles struct {
	objects []client.Object
	mounts  []pod.Mount
	args    []string
}

func (f *serverFiles) addSecret(dir, name, namespace string, data map[string][]byte) {
	secret := pod.Secret(name, namespace, data)
	f.objects, f.mounts = append(f.objects, secret), append(f.mounts, pod.Mount{Path: dir, Secrets: []string{secret.Name}})
}

func (f *serverFiles) addDocument(dir, name, namespace, key, content string) {
	document := pod.ConfigMap(name, namespace, map[string]string{key: content})
	f.objects, f.mounts = append(f.objects, document), append(f.mounts, pod.Mount{Path: dir, ConfigMaps: []string{document.Name}})
}

// deployServer writes Gardener's API server and its Service.
func (g gardener) deployServer(ctx context.Context) error {
	config := ptr.Deref(g.garden.Spec.VirtualCluster.Gardener.APIServer, operatorv1alpha1.GardenerAPIServerConfig{})
	files, err := g.files(ctx, config)
	if err != nil {
		return err
	}
	mounts := append([]pod.Mount{
		g.made.servers[gardenerAPIServer],
		{Path: dirCAEtcd, Secrets: []string{g.made.apiServer.CAEtcdBundle}},
		{Path: dirEtcd, Secrets: []string{g.made.apiServer.EtcdClient}},
	}, files.mounts...)
	deployment := g.component(gardenerAPIServer, "apiserver", constants.PriorityClassNameGardenSystem500, pod.Spec{
		Args: append(g.arguments(config), files.args...), Replicas: g.availability.Servers(), Port: portAPIServer,
		Ready: pod.Ready("/readyz", portAPIServer), Live: pod.Live("/livez", portAPIServer), Mounts: mounts,
		Reaches: []string{
			names.Reach(etcdMain+"-client", etcdClientPort), names.Reach(gardenerAdmission, portAdmission),
			constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks,
		},
	})
	service := g.service(gardenerAPIServer, portAPIServer)
	service.Annotations = names.FromShootAPIServer(portAPIServer)
	return g.applyAll(ctx, append(files.objects, service, deployment)...)
}

func (g gardener) arguments(config operatorv1alpha1.GardenerAPIServerConfig) []string {
	gardener, requests := &g.garden.Spec.VirtualCluster.Gardener, ptr.Deref(config.Requests, gardencorev1beta1.APIServerRequests{})
	args := []string{
		"--bind-address=$(POD_IP)", fmt.Sprintf("--secure-port=%d", portAPIServer),
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert), "--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
		"--etcd-servers=" + strings.Join(g.etcdURLs(), ","), "--etcd-cafile=" + pod.File(dirCAEtcd, secretsmanager.KeyBundle),
		"--etcd-certfile=" + pod.File(dirEtcd, secretsmanager.KeyCert), "--etcd-keyfile=" + pod.File(dirEtcd, secretsmanager.KeyPrivateKey),
		"--encryption-provider-config=" + pod.File(dirEncryption, keyEncryption),
		"--kubeconfig=" + access.Kubeconfig(),
		"--cluster-identity=" + gardener.ClusterIdentity,
		fmt.Sprintf("--max-requests-inflight=%d", ptr.Deref(requests.MaxNonMutatingInflight, 400)),
		fmt.Sprintf("--max-mutating-requests-inflight=%d", ptr.Deref(requests.MaxMutatingInflight, 200)),
	}
	for _, host := range g.hosts() {
		args = append(args, "--reserved-domains="+strings.TrimPrefix(host, constants.APIServerFQDNPrefix+"."))
	}
	if expiration := config.ShootAdminKubeconfigMaxExpiration; expiration != nil {
		args = append(args, "--shoot-admin-kubeconfig-max-expiration="+expiration.Duration.String())
	}
	for _, size := range ptr.Deref(config.WatchCacheSizes, gardencorev1beta1.WatchCacheSizes{}).Resources {
		resource := size.Resource
		if group := ptr.Deref(size.APIGroup, ""); group != "" {
			resource += "." + group
		}
		args = append(args, fmt.Sprintf("--watch-cache-sizes=%s#%d", resource, size.CacheSize))
	}
	for _, plugin := range config.AdmissionPlugins {
		flag := "--enable-admission-plugins="
		if ptr.Deref(plugin.Disabled, false) {
			flag = "--disable-admission-plugins="
		}
		args = append(args, flag+plugin.Name)
	}
	if gates := flags.Pairs(config.FeatureGates); len(gates) > 0 {
		args = append(args, "--feature-gates="+strings.Join(gates, ","))
	}
	return args
}

// etcdURLs are those of all members of etcd main, as those of kube-apiserver.
func (g gardener) etcdURLs() (urls []string) {
	if g.availability.Members() < 2 {
		return []string{fmt.Sprintf("https://%s-client.%s.svc:%d", etcdMain, g.Namespace, etcdClientPort)}
	}
	for member := range g.availability.Members() {
		urls = append(urls, fmt.Sprintf("https://%[1]s-%[2]d.%[1]s-peer.%[3]s.svc:%[4]d", etcdMain, member, g.Namespace, etcdClientPort))
	}
	return urls
}

func (g gardener) files(ctx context.Context, config operatorv1alpha1.GardenerAPIServerConfig) (*serverFiles, error) {
	files := &serverFiles{}
	further := config.EncryptionConfig.DeepCopy()
	if further != nil { // the server refuses a resource that is named twice
		further.Resources = slices.DeleteFunc(further.Resources, func(name string) bool { return slices.Contains(encrypted, name) })
	}
	document, err := kubeapiserver.EncryptionConfiguration(kubeapiserver.Values{
		Config: &gardencorev1beta1.KubeAPIServerConfig{EncryptionConfig: further}, Encryption: g.encryption(secretEncryptionKey),
	}, slices.Clone(encrypted)...)
	if err != nil {
		return nil, err
	}
	files.addSecret(dirEncryption, "gardener-apiserver-etcd-encryption-configuration", g.Namespace, map[string][]byte{keyEncryption: document})
	if err := g.addAudit(ctx, config, files); err != nil {
		return nil, err
	}
	return files, addPlugins(config.AdmissionPlugins, g.Namespace, files)
}

func (g gardener) addAudit(ctx context.Context, config operatorv1alpha1.GardenerAPIServerConfig, files *serverFiles) error {
	policy, err := g.auditPolicy(ctx, config.AuditConfig)
	if err != nil {
		return err
	}
	if policy == "" {
		return nil
	}
	files.addDocument(dirAudit, "gardener-apiserver-audit-policy", g.Namespace, keyAuditPolicy, policy)
	files.args = append(files.args, "--audit-policy-file="+pod.File(dirAudit, keyAuditPolicy))
	if config.AuditWebhook == nil {
		files.args = append(files.args, "--audit-log-path=-")
		return nil
	}
	kubeconfig, err := g.readKubeconfig(ctx, config.AuditWebhook.KubeconfigSecretName)
	if err != nil {
		return fmt.Errorf("kubeconfig of the audit webhook: %w", err)
	}
	const dir = dirAudit + "-webhook"
	files.addSecret(dir, "gardener-apiserver-audit-webhook", g.Namespace, map[string][]byte{keyAuditWebhook: kubeconfig})
	files.args = append(files.args, "--audit-webhook-config-file="+pod.File(dir, keyAuditWebhook))
	return nil
}

// addPlugins writes the configurations of admission plugins.
func addPlugins(plugins []gardencorev1beta1.AdmissionPlugin, namespace string, files *serverFiles) error {
	document := apiserverv1.AdmissionConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: apiserverv1.SchemeGroupVersion.String(), Kind: "AdmissionConfiguration"}}
	for _, plugin := range plugins {
		if plugin.Config != nil && !ptr.Deref(plugin.Disabled, false) {
			document.Plugins = append(document.Plugins, apiserverv1.AdmissionPluginConfiguration{Name: plugin.Name, Configuration: &runtime.Unknown{Raw: plugin.Config.Raw}})
		}
	}
	if len(document.Plugins) == 0 {
		return nil
	}
	raw, err := yaml.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode admission configuration of %s: %w", gardenerAPIServer, err)
	}
	files.addDocument(dirAdmission, "gardener-apiserver-admission-config", namespace, keyAdmission, string(raw))
	files.args = append(files.args, "--admission-control-config-file="+pod.File(dirAdmission, keyAdmission))
	return nil
}
