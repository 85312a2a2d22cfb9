package kubeapiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// flags are those of kube-apiserver itself, in a fixed order, since another order would restart all control planes.
func flags(v Values, f files) []string {
	var out arguments
	out.network(v, f)
	out.identities(v, f)
	out.storage(v, f)
	out.policies(v, f)
	out.tuning(v)
	return out
}

// arguments leaves out empty values.
type arguments []string

func (a *arguments) add(name string, value any) {
	if text := fmt.Sprint(value); text != "" {
		*a = append(*a, "--"+name+"="+text)
	}
}

func (a *arguments) list(name string, values []string) { a.add(name, strings.Join(values, ",")) }

func (a *arguments) network(v Values, f files) {
	a.add("bind-address", "$(POD_IP)")
	a.add("secure-port", names.APIServerPort)
	a.add("advertise-address", v.AdvertiseAddress)
	a.add("service-cluster-ip-range", v.ServiceCIDR)
	a.add("external-hostname", v.Hostname)
	a.add("tls-cert-file", pod.File(dirServer, secretsmanager.KeyCert))
	a.add("tls-private-key-file", pod.File(dirServer, secretsmanager.KeyPrivateKey))
	if f.egress != nil {
		a.add("egress-selector-config-file", pod.File(dirEgress, keyEgress))
	}
	a.add("tls-min-version", ptr.Deref(v.Config.TLSMinVersion, ""))
	if !v.Workerless {
		a.add("kubelet-certificate-authority", pod.File(dirCAKubelet, secretsmanager.KeyBundle))
		a.add("kubelet-client-certificate", pod.File(dirKubelet, secretsmanager.KeyCert))
		a.add("kubelet-client-key", pod.File(dirKubelet, secretsmanager.KeyPrivateKey))
		a.add("kubelet-preferred-address-types", "InternalIP,Hostname,ExternalIP")
	}
}

func (a *arguments) identities(v Values, f files) {
	c := v.Config
	a.add("client-ca-file", pod.File(dirCAClient, secretsmanager.KeyBundle))
	a.add("token-auth-file", pod.File(dirStaticToken, secretsmanager.KeyStaticTokens))
	a.add("enable-bootstrap-token-auth", !v.Workerless)
	if f.authentication != nil {
		a.add("authentication-config", pod.File(dirAuthentication, keyAuthentication))
	} else {
		a.add("anonymous-auth", ptr.Deref(c.EnableAnonymousAuthentication, false))
		a.oidc(c.OIDCConfig, f)
	}
	a.add("requestheader-client-ca-file", pod.File(dirCAFrontProxy, secretsmanager.KeyBundle))
	a.add("requestheader-allowed-names", "system:kube-aggregator")
	a.add("requestheader-username-headers", "X-Remote-User")
	a.add("requestheader-group-headers", "X-Remote-Group")
	a.add("requestheader-extra-headers-prefix", "X-Remote-Extra-")
	a.add("proxy-client-cert-file", pod.File(dirAggregator, secretsmanager.KeyCert))
	a.add("proxy-client-key-file", pod.File(dirAggregator, secretsmanager.KeyPrivateKey))
	a.serviceAccounts(v)
}

func (a *arguments) oidc(oidc *gardencorev1beta1.OIDCConfig, f files) {
	if oidc == nil {
		return
	}
	a.add("oidc-issuer-url", ptr.Deref(oidc.IssuerURL, ""))
	a.add("oidc-client-id", ptr.Deref(oidc.ClientID, ""))
	if f.oidcCA != nil {
		a.add("oidc-ca-file", pod.File(dirOIDC, keyOIDCCA))
	}
	a.add("oidc-username-claim", ptr.Deref(oidc.UsernameClaim, ""))
	a.add("oidc-username-prefix", ptr.Deref(oidc.UsernamePrefix, ""))
	a.add("oidc-groups-claim", ptr.Deref(oidc.GroupsClaim, ""))
	a.add("oidc-groups-prefix", ptr.Deref(oidc.GroupsPrefix, ""))
	a.list("oidc-signing-algs", oidc.SigningAlgs)
	for _, claim := range slices.Sorted(maps.Keys(oidc.RequiredClaims)) {
		a.add("oidc-required-claim", claim+"="+oidc.RequiredClaims[claim])
	}
}

func (a *arguments) serviceAccounts(v Values) {
	config := ptr.Deref(v.Config.ServiceAccountConfig, gardencorev1beta1.ServiceAccountConfig{})
	a.add("service-account-issuer", v.Issuer)
	for _, issuer := range config.AcceptedIssuers {
		a.add("service-account-issuer", issuer)
	}
	a.add("service-account-signing-key-file", pod.File(dirServiceAccount, secretsmanager.KeyRSAPrivate))
	a.add("service-account-key-file", pod.File(dirTokenKeys, secretsmanager.KeyBundle))
	a.add("service-account-extend-token-expiration", ptr.Deref(config.ExtendTokenExpiration, false))
	if life := config.MaxTokenExpiration; life != nil {
		a.add("service-account-max-token-expiration", life.Duration)
	}
	audiences := v.Config.APIAudiences
	if len(audiences) == 0 {
		audiences = []string{"kubernetes"}
	}
	if !slices.Contains(audiences, "gardener") {
		audiences = append(slices.Clone(audiences), "gardener")
	}
	a.list("api-audiences", audiences)
}

func (a *arguments) storage(v Values, f files) {
	a.add("etcd-servers", etcdURL("main", v.Namespace))
	a.add("etcd-servers-overrides", "/events#"+etcdURL("events", v.Namespace))
	a.add("etcd-cafile", pod.File(dirCAEtcd, secretsmanager.KeyBundle))
	a.add("etcd-certfile", pod.File(dirEtcd, secretsmanager.KeyCert))
	a.add("etcd-keyfile", pod.File(dirEtcd, secretsmanager.KeyPrivateKey))
	a.add("encryption-provider-config", pod.File(dirEncryption, keyEncryption))
	if f.audit != nil {
		a.add("audit-policy-file", pod.File(dirAudit, keyAuditPolicy))
		a.add("audit-log-path", pod.File(dirAuditLog, "audit.log"))
		a.add("audit-log-maxsize", 100)
		a.add("audit-log-maxbackup", 5)
	}
}

func (a *arguments) policies(v Values, f files) {
	c := v.Config
	a.add("authorization-mode", "Node,RBAC")
	a.add("allow-privileged", true)
	enabled, disabled := admissionPlugins(c.AdmissionPlugins)
	a.list("enable-admission-plugins", enabled)
	a.list("disable-admission-plugins", disabled)
	if f.admission != nil {
		a.add("admission-control-config-file", pod.File(dirAdmission, keyAdmission))
	}
	if Emulate(v.Version) {
		a.add("emulated-version", names.Minor(v.Version))
	}
	a.list("feature-gates", Switches(c.FeatureGates))
	a.list("runtime-config", Switches(c.RuntimeConfig))
	if !v.Workerless {
		a.add("default-not-ready-toleration-seconds", ptr.Deref(c.DefaultNotReadyTolerationSeconds, 300))
		a.add("default-unreachable-toleration-seconds", ptr.Deref(c.DefaultUnreachableTolerationSeconds, 300))
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

func (a *arguments) tuning(v Values) {
	c := v.Config
	requests := ptr.Deref(c.Requests, gardencorev1beta1.APIServerRequests{})
	a.add("max-requests-inflight", ptr.Deref(requests.MaxNonMutatingInflight, 400))
	a.add("max-mutating-requests-inflight", ptr.Deref(requests.MaxMutatingInflight, 200))
	if sizes := c.WatchCacheSizes; sizes != nil {
		if sizes.Default != nil {
			a.add("default-watch-cache-size", *sizes.Default)
		}
		var each []string
		for _, size := range sizes.Resources {
			resource := size.Resource
			if group := ptr.Deref(size.APIGroup, ""); group != "" {
				resource += "." + group
			}
			each = append(each, fmt.Sprintf("%s#%d", resource, size.CacheSize))
		}
		a.list("watch-cache-sizes", each)
	}
	if c.EventTTL != nil {
		a.add("event-ttl", c.EventTTL.Duration)
	} else {
		a.add("event-ttl", "1h0m0s")
	}
	if logging := c.Logging; logging != nil {
		if logging.Verbosity != nil {
			a.add("v", *logging.Verbosity)
		}
		if logging.HTTPAccessVerbosity != nil {
			a.add("vmodule", fmt.Sprintf("httplog=%d", *logging.HTTPAccessVerbosity))
		}
	}
	a.add("http2-max-streams-per-connection", 1000)
	a.add("livez-grace-period", "1m0s")
	a.add("profiling", false)
}

func etcdURL(role, namespace string) string {
	return fmt.Sprintf("https://etcd-%s-client.%s.svc:2379", role, namespace)
}

// Emulate reports whether a component must behave like an older minor version than its own.
func Emulate(version string) bool { return names.Minor(version) != kubeversion.Minor }

// Switches renders a map of booleans in a fixed order.
func Switches(values map[string]bool) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, fmt.Sprintf("%s=%t", key, values[key]))
	}
	return out
}
