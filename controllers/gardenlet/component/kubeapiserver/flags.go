package kubeapiserver

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// arguments are the flags of kube-apiserver itself.
func arguments(v Values, f files) []string {
	out := flags.Flags{HTTP2Streams: 1000, LivezGracePeriod: ptr.To(time.Minute)}
	setNetwork(&out, v, f)
	setIdentities(&out, v, f)
	setServiceAccounts(&out, v)
	setStorage(&out, v, f)
	setPolicies(&out, v, f)
	setTuning(&out, v.Config)
	return out.PodArgs()
}

func setNetwork(out *flags.Flags, v Values, f files) {
	out.BindAddress, out.Port, out.AdvertiseAddress = "$(POD_IP)", names.APIServerPort, v.AdvertiseAddress
	if v.AllAddresses {
		out.BindAddress = "0.0.0.0"
	}
	out.ServiceCIDR, out.ExternalHostname = v.ServiceCIDR, v.Hostname
	out.ServingCert, out.ServingKey = pod.File(dirServer, secretsmanager.KeyCert), pod.File(dirServer, secretsmanager.KeyPrivateKey)
	out.TLSMinVersion = ptr.Deref(v.Config.TLSMinVersion, "")
	out.Guard.Hosts, out.Guard.Allowed, out.Guard.Refused = append(guardHosts(v), v.AllowedIssuerHosts...), v.FrontDoors, v.SeedRanges
	out.Guard.Private, out.Guard.Simulated = v.PrivateNetworks, v.SimulatedRanges
	if v.NodesInSeed {
		out.Guard.Nodes = names.MachinesHost(v.Namespace)
	}
	if f.egress != nil {
		out.EgressSelectorConfig = pod.File(dirEgress, keyEgress)
	}
	if !v.Workerless {
		out.Kubelets.CA = pod.File(dirCAKubelet, secretsmanager.KeyBundle)
		out.Kubelets.Cert, out.Kubelets.Key = pod.File(dirKubelet, secretsmanager.KeyCert), pod.File(dirKubelet, secretsmanager.KeyPrivateKey)
		out.Kubelets.AddressTypes = []string{"InternalIP", "Hostname", "ExternalIP"}
	}
}

func setIdentities(out *flags.Flags, v Values, f files) {
	out.ClientCA = pod.File(dirCAClient, secretsmanager.KeyBundle)
	out.TokenAuthFile = pod.File(dirStaticToken, secretsmanager.KeyStaticTokens)
	out.BootstrapTokens = ptr.To(!v.Workerless || v.BootstrapTokens)
	if f.authentication != nil {
		out.AuthenticationConfig = pod.File(dirAuthentication, keyAuthentication)
	}
	out.AnonymousAuth = ptr.To(ptr.Deref(v.Config.EnableAnonymousAuthentication, false))
	out.OIDC = oidc(v.Config.OIDCConfig, f)
	if f.tokenWebhook != nil {
		out.TokenWebhook = dirTokenWebhook + "/" + keyTokenWebhook // the absolute path that users know from Gardener
	}
	out.FrontProxy.CA, out.FrontProxy.Names = pod.File(dirCAFrontProxy, secretsmanager.KeyBundle), []string{"system:kube-aggregator"}
	out.FrontProxy.NoUIDs = true
	out.FrontProxy.Cert, out.FrontProxy.Key = pod.File(dirAggregator, secretsmanager.KeyCert), pod.File(dirAggregator, secretsmanager.KeyPrivateKey)
}

func oidc(config *gardencorev1beta1.OIDCConfig, f files) flags.OIDC {
	if config == nil {
		return flags.OIDC{}
	}
	out := flags.OIDC{
		IssuerURL: ptr.Deref(config.IssuerURL, ""), ClientID: ptr.Deref(config.ClientID, ""),
		UsernameClaim: ptr.Deref(config.UsernameClaim, ""), UsernamePrefix: ptr.Deref(config.UsernamePrefix, ""),
		GroupsClaim: ptr.Deref(config.GroupsClaim, ""), GroupsPrefix: ptr.Deref(config.GroupsPrefix, ""),
		SigningAlgorithms: config.SigningAlgs, RequiredClaims: config.RequiredClaims,
	}
	if f.oidcCA != nil {
		out.CA = pod.File(dirOIDC, keyOIDCCA)
	}
	return out
}

func setServiceAccounts(out *flags.Flags, v Values) {
	config := ptr.Deref(v.Config.ServiceAccountConfig, gardencorev1beta1.ServiceAccountConfig{})
	out.Tokens.Issuer, out.Tokens.AcceptedIssuers = v.Issuer, config.AcceptedIssuers
	out.Tokens.SigningKey = pod.File(dirServiceAccount, secretsmanager.KeyRSAPrivate)
	out.Tokens.Keys = []string{pod.File(dirTokenKeys, secretsmanager.KeyBundle)}
	out.Tokens.ExtendExpiration = ptr.To(ptr.Deref(config.ExtendTokenExpiration, false))
	if life := config.MaxTokenExpiration; life != nil {
		out.Tokens.MaxLife = &life.Duration
	}
	out.Tokens.Audiences = v.Config.APIAudiences
	if len(out.Tokens.Audiences) == 0 {
		out.Tokens.Audiences = []string{"kubernetes"}
	}
	if !slices.Contains(out.Tokens.Audiences, "gardener") {
		out.Tokens.Audiences = append(slices.Clone(out.Tokens.Audiences), "gardener")
	}
}

func setStorage(out *flags.Flags, v Values, f files) {
	out.Etcd.Servers, out.Etcd.EventsServers = etcdURLs("etcd-main", v), etcdURLs("etcd-events", v)
	out.Etcd.CA = pod.File(dirCAEtcd, secretsmanager.KeyBundle)
	out.Etcd.Cert, out.Etcd.Key = pod.File(dirEtcd, secretsmanager.KeyCert), pod.File(dirEtcd, secretsmanager.KeyPrivateKey)
	out.Etcd.EncryptionConfig = pod.File(dirEncryption, keyEncryption)
	if f.audit != nil {
		out.Audit.Policy, out.Audit.Log = pod.File(dirAudit, keyAuditPolicy), pod.File(dirAuditLog, "audit.log")
		out.Audit.LogSize, out.Audit.LogBackups = 100, 5
	}
}

// etcdURLs are those of all members, if there are several: a client that knows them goes on with the others while one is lost. By their
// Service it would have one connection, and may be sent to the lost one again.
func etcdURLs(name string, v Values) []string {
	name = v.Prefix + name
	if v.EtcdMembers < 2 {
		return []string{fmt.Sprintf("https://%s-client.%s.svc:2379", name, v.Namespace)}
	}
	var urls []string
	for member := range v.EtcdMembers {
		urls = append(urls, fmt.Sprintf("https://%[1]s-%[2]d.%[1]s-peer.%[3]s.svc:2379", name, member, v.Namespace))
	}
	return urls
}

func setPolicies(out *flags.Flags, v Values, f files) {
	c := v.Config
	out.EnableAdmission, out.DisableAdmission = admissionPlugins(c.AdmissionPlugins)
	if f.admission != nil {
		out.AdmissionConfig = pod.File(dirAdmission, keyAdmission)
	}
	if f.authorization != nil {
		out.AuthorizationConfig = pod.File(dirAuthorization, keyAuthorization)
	}
	out.EmulatedVersion = names.Minor(v.Version) // also the binary's own: a newer binary must go on as this minor
	out.ShownVersion = names.GitVersion(v.Version)
	out.FeatureGates, out.RuntimeConfig = c.FeatureGates, c.RuntimeConfig
	if !v.Workerless {
		out.NotReadyToleration = ptr.To(ptr.Deref(c.DefaultNotReadyTolerationSeconds, 300))
		out.UnreachableToleration = ptr.To(ptr.Deref(c.DefaultUnreachableTolerationSeconds, 300))
	}
}

// admissionPlugins enables NodeRestriction, which is not a default of Kubernetes.
func admissionPlugins(plugins []gardencorev1beta1.AdmissionPlugin) (enabled, disabled []string) {
	enabled = []string{"NodeRestriction"}
	for _, plugin := range plugins {
		switch {
		case ptr.Deref(plugin.Disabled, false):
			disabled = append(disabled, plugin.Name)
			enabled = slices.DeleteFunc(enabled, func(name string) bool { return name == plugin.Name })
		case !slices.Contains(enabled, plugin.Name):
			enabled = append(enabled, plugin.Name)
		}
	}
	slices.Sort(enabled)
	slices.Sort(disabled)
	return enabled, disabled
}

func setTuning(out *flags.Flags, c *gardencorev1beta1.KubeAPIServerConfig) {
	requests := ptr.Deref(c.Requests, gardencorev1beta1.APIServerRequests{})
	out.MaxRequests = ptr.To(ptr.Deref(requests.MaxNonMutatingInflight, 400))
	out.MaxMutatingRequests = ptr.To(ptr.Deref(requests.MaxMutatingInflight, 200))
	if sizes := c.WatchCacheSizes; sizes != nil {
		out.DefaultWatchCacheSize, out.WatchCacheSizes = sizes.Default, watchCacheSizes(sizes.Resources)
	}
	out.EventTTL = ptr.To(time.Hour)
	if c.EventTTL != nil {
		out.EventTTL = &c.EventTTL.Duration
	}
	if logging := c.Logging; logging != nil {
		out.Verbosity = logging.Verbosity
		if logging.HTTPAccessVerbosity != nil {
			out.VerbosityOfFiles = fmt.Sprintf("httplog=%d", *logging.HTTPAccessVerbosity)
		}
	}
}

func watchCacheSizes(sizes []gardencorev1beta1.ResourceWatchCacheSize) []string {
	var out []string
	for _, size := range sizes {
		resource := size.Resource
		if group := ptr.Deref(size.APIGroup, ""); group != "" {
			resource += "." + group
		}
		out = append(out, fmt.Sprintf("%s#%d", resource, size.CacheSize))
	}
	return out
}
