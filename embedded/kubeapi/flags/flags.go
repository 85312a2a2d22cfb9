// Package flags renders the flags of kube-apiserver. It links nothing of Kubernetes, so controllers may import it.
package flags

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Flags are the flags of kube-apiserver that this project sets, by name. Empty fields keep the defaults of
// kube-apiserver. File names are those that the process sees.
type Flags struct {
	BindAddress      string // address to listen on
	Port             int    // --secure-port
	AdvertiseAddress string // without it kube-apiserver uses the interface of the default route, which a machine may lack

	EtcdServers       []string
	EtcdEventsServers []string // a separate etcd for events
	EtcdPrefix        string
	EtcdCA            string
	EtcdCert, EtcdKey string // client certificate for etcd

	ServingCert, ServingKey string
	SNICerts                []string // "<cert>,<key>[:host,…]" each
	ClientCA                string

	FrontProxyCA                  string   // requests with identity headers must use a client certificate of this CA
	FrontProxyNames               []string // common names allowed there; none means all
	FrontProxyCert, FrontProxyKey string   // client certificate of this server for aggregated servers

	KubeletCA                           string
	KubeletClientCert, KubeletClientKey string
	KubeletAddressTypes                 []string

	ServiceAccountIssuer       string
	ServiceAccountKeys         []string // public or private keys that verify tokens
	ServiceAccountSigningKey   string
	APIAudiences               []string
	ServiceAccountJWKSURI      string
	ServiceAccountMaxTokenLife time.Duration

	ServiceCIDR       string
	AuthorizationMode []string // default Node,RBAC
	TokenAuthFile     string

	EnableAdmission, DisableAdmission []string
	AdmissionConfig                   string
	FeatureGates                      map[string]bool
	RuntimeConfig                     map[string]bool // "apps/v1": false
	EmulatedVersion                   string          // minor version such as "1.34"; empty means the binary's own

	EncryptionConfig string
	AuditPolicy      string
	AuditLog         string // path; "-" is standard output
	AuditWebhook     string // kubeconfig

	MaxRequests, MaxMutatingRequests int // maximum requests in flight; with fairness, the sum is shared

	// NoFairness replaces priority and fairness by plain limits. This saves informers and objects in clusters with few
	// clients.
	NoFairness bool
	// EndpointReconciler is none if the address cannot be written to Endpoints (loopback).
	EndpointReconciler string
	RouteToEndpoints   bool // --enable-aggregator-routing

	Extra []string // complete additional flags, last
}

// Args returns the flags in a fixed order.
func (f Flags) Args() []string {
	var a args
	a.text("bind-address", f.BindAddress)
	a.number("secure-port", f.Port)
	a.text("advertise-address", f.AdvertiseAddress)
	f.storage(&a)
	f.identities(&a)
	f.policy(&a)
	return append(a, f.Extra...)
}

func (f Flags) storage(a *args) {
	a.list("etcd-servers", f.EtcdServers)
	if len(f.EtcdEventsServers) > 0 {
		a.text("etcd-servers-overrides", "/events#"+strings.Join(f.EtcdEventsServers, ";"))
	}
	a.text("etcd-prefix", f.EtcdPrefix)
	a.text("etcd-cafile", f.EtcdCA)
	a.text("etcd-certfile", f.EtcdCert)
	a.text("etcd-keyfile", f.EtcdKey)
	a.text("encryption-provider-config", f.EncryptionConfig)
}

func (f Flags) identities(a *args) {
	a.text("tls-cert-file", f.ServingCert)
	a.text("tls-private-key-file", f.ServingKey)
	for _, cert := range f.SNICerts {
		a.text("tls-sni-cert-key", cert)
	}
	a.text("client-ca-file", f.ClientCA)
	a.text("token-auth-file", f.TokenAuthFile)
	if f.FrontProxyCA != "" {
		a.text("requestheader-client-ca-file", f.FrontProxyCA)
		a.list("requestheader-allowed-names", f.FrontProxyNames)
		a.text("requestheader-username-headers", "X-Remote-User")
		a.text("requestheader-group-headers", "X-Remote-Group")
		a.text("requestheader-uid-headers", "X-Remote-Uid")
		a.text("requestheader-extra-headers-prefix", "X-Remote-Extra-")
	}
	a.text("proxy-client-cert-file", f.FrontProxyCert)
	a.text("proxy-client-key-file", f.FrontProxyKey)
	a.text("kubelet-certificate-authority", f.KubeletCA)
	a.text("kubelet-client-certificate", f.KubeletClientCert)
	a.text("kubelet-client-key", f.KubeletClientKey)
	a.list("kubelet-preferred-address-types", f.KubeletAddressTypes)
	a.text("service-account-issuer", f.ServiceAccountIssuer)
	for _, key := range f.ServiceAccountKeys {
		a.text("service-account-key-file", key)
	}
	a.text("service-account-signing-key-file", f.ServiceAccountSigningKey)
	a.text("service-account-jwks-uri", f.ServiceAccountJWKSURI)
	if f.ServiceAccountMaxTokenLife != 0 {
		a.text("service-account-max-token-expiration", f.ServiceAccountMaxTokenLife.String())
	}
	a.list("api-audiences", f.APIAudiences)
}

func (f Flags) policy(a *args) {
	a.text("service-cluster-ip-range", f.ServiceCIDR)
	modes := f.AuthorizationMode
	if len(modes) == 0 {
		modes = []string{"Node", "RBAC"}
	}
	a.list("authorization-mode", modes)
	a.list("enable-admission-plugins", f.EnableAdmission)
	a.list("disable-admission-plugins", f.DisableAdmission)
	a.text("admission-control-config-file", f.AdmissionConfig)
	a.switches("feature-gates", f.FeatureGates)
	a.switches("runtime-config", f.RuntimeConfig)
	if f.EmulatedVersion != "" {
		a.text("emulated-version", f.EmulatedVersion)
	}
	a.text("audit-policy-file", f.AuditPolicy)
	a.text("audit-log-path", f.AuditLog)
	a.text("audit-webhook-config-file", f.AuditWebhook)
	a.number("max-requests-inflight", f.MaxRequests)
	a.number("max-mutating-requests-inflight", f.MaxMutatingRequests)
	if f.NoFairness {
		a.text("enable-priority-and-fairness", "false")
	}
	a.text("endpoint-reconciler-type", f.EndpointReconciler)
	if f.RouteToEndpoints {
		a.text("enable-aggregator-routing", "true")
	}
	a.text("allow-privileged", "true")
	a.text("profiling", "false")
}

// args collects flags and leaves out empty ones.
type args []string

func (a *args) text(name, value string) {
	if value != "" {
		*a = append(*a, "--"+name+"="+value)
	}
}

func (a *args) number(name string, value int) {
	if value != 0 {
		a.text(name, strconv.Itoa(value))
	}
}

func (a *args) list(name string, values []string) { a.text(name, strings.Join(values, ",")) }

func (a *args) switches(name string, values map[string]bool) {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, fmt.Sprintf("%s=%t", key, values[key]))
	}
	a.list(name, pairs)
}
