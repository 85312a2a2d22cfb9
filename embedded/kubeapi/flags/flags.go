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

	EtcdServers       []string
	EtcdEventsServers []string // a separate etcd for events
	EtcdPrefix        string
	EtcdCA            string
	EtcdCert, EtcdKey string // client certificate for etcd

	ServingCert, ServingKey string
	SNICerts                []string // "<cert>,<key>[:host,…]" each
	TLSMinVersion           string   // "VersionTLS13"
	ClientCA                string
	EgressSelectorConfig    string
	HTTP2Streams            int // maximum per connection

	FrontProxyCA                  string   // requests with identity headers must use a client certificate of this CA
	FrontProxyNames               []string // common names allowed there; none means all
	NoFrontProxyUIDs              bool     // the front proxy sends no header with the UID of the user
	FrontProxyCert, FrontProxyKey string   // client certificate of this server for aggregated servers

	KubeletCA                           string
	KubeletClientCert, KubeletClientKey string
	KubeletAddressTypes                 []string

	ServiceAccountIssuer                string
	AcceptedIssuers                     []string // further issuers whose tokens are valid
	ServiceAccountKeys                  []string // public or private keys that verify tokens
	ServiceAccountSigningKey            string
	APIAudiences                        []string
	ServiceAccountJWKSURI               string
	ServiceAccountExtendTokenExpiration *bool
	ServiceAccountMaxTokenLife          *time.Duration

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

	EncryptionConfig string
	// EncryptionReload has the configuration read again when it changes.
	EncryptionReload bool
	AuditPolicy      string
	AuditLog         string // path; "-" is standard output
	AuditLogSize     int    // megabytes of a file of the audit log
	AuditLogBackups  int    // old files of the audit log
	AuditWebhook     string // kubeconfig

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

	// GuardHosts are the names that requests on behalf of users may reach at any address; "*" stands for any text. If there are any,
	// such requests otherwise reach neither the machine nor private networks nor the ranges GuardRefused, except for the endpoints
	// GuardAllowed (address:port) and the private networks GuardPrivate. Connections to kubelets reach only the addresses of the name
	// GuardNodes. These flags belong to the component of this binary, not to kube-apiserver itself.
	GuardHosts, GuardAllowed, GuardRefused, GuardPrivate []string
	GuardNodes                                           string
	// GuardSimulated are the ranges of Services and pods of the cluster, if its pods are only simulated.
	GuardSimulated []string

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
