// Package flags renders the flags of kube-apiserver. It links nothing of Kubernetes, so controllers may import it.
package flags

import "time"

// Names of flags of the component kube-apiserver that kube-apiserver itself does not have.
const (
	FlagGuardHosts     = "guard-hosts"
	FlagGuardAllow     = "guard-allow"
	FlagGuardNodes     = "guard-nodes-name"
	FlagGuardRefuse    = "guard-refuse"
	FlagGuardPrivate   = "guard-private"
	FlagGuardSimulated = "guard-simulated"
)

// Flags are the flags of kube-apiserver that this project sets, by name. Empty fields keep the defaults of
// kube-apiserver. A pointer to zero is a flag with the value zero. File names are those that the process sees.
type Flags struct {
	BindAddress      string // address to listen on
	Port             int    // --secure-port
	AdvertiseAddress string // without it kube-apiserver uses the interface of the default route, which a machine may lack
	ExternalHostname string // name of the server in its own documents, such as OIDC discovery

	Etcd Etcd

	ServingCert, ServingKey string
	SNICerts                []string // "<cert>,<key>[:host,…]" each
	TLSMinVersion           string   // "VersionTLS13"
	ClientCA                string
	EgressSelectorConfig    string
	HTTP2Streams            int // maximum per connection

	FrontProxy FrontProxy
	Kubelets   Kubelets
	Tokens     Tokens

	ServiceCIDR          string
	AuthorizationMode    []string // default Node,RBAC
	AuthorizationConfig  string   // replaces AuthorizationMode
	TokenAuthFile        string
	BootstrapTokens      *bool
	AuthenticationConfig string // replaces AnonymousAuth and OIDC
	AnonymousAuth        *bool
	OIDC                 OIDC
	TokenWebhook         string // kubeconfig; its answers have no cache besides that of all valid tokens, 10 s

	EnableAdmission, DisableAdmission []string
	AdmissionConfig                   string
	FeatureGates                      map[string]bool
	RuntimeConfig                     map[string]bool // "apps/v1": false
	EmulatedVersion                   string          // minor version such as "1.34"; empty means the binary's own
	ShownVersion                      string          // "v1.34.2"; a flag of the component of this binary

	// NotReadyToleration and UnreachableToleration of pods that name none, in seconds.
	NotReadyToleration, UnreachableToleration *int64

	Audit Audit

	MaxRequests, MaxMutatingRequests *int32 // maximum requests in flight; priority and fairness shares out the sum

	DefaultWatchCacheSize *int32
	WatchCacheSizes       []string // "deployments.apps#100" each
	EventTTL              *time.Duration
	LivezGracePeriod      *time.Duration

	Verbosity        *int32
	VerbosityOfFiles string // --vmodule

	// EndpointReconciler is none if the address cannot be written to Endpoints (loopback).
	EndpointReconciler string
	RouteToEndpoints   bool // --enable-aggregator-routing

	Guard Guard

	Extra []string // complete additional flags, last
}

// OIDC configures how tokens of an OpenID Connect provider are read.
type OIDC struct {
	IssuerURL, ClientID           string
	CA                            string
	UsernameClaim, UsernamePrefix string
	GroupsClaim, GroupsPrefix     string
	SigningAlgorithms             []string
	RequiredClaims                map[string]string
}
