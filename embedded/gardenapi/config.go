package gardenapi

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
)

const (
	// DefaultEtcdPrefix is the prefix of all keys in etcd.
	DefaultEtcdPrefix = "/registry-gardener"

	defaultRequestsInFlight         = 400
	defaultMutatingRequestsInFlight = 200

	defaultKubeconfigExpiration = 24 * time.Hour
	defaultRotationInterval     = 90 * 24 * time.Hour
	defaultBastionTTL           = time.Hour
	defaultMinTokenExpiration   = time.Hour
	defaultMaxTokenExpiration   = 48 * time.Hour
)

// Config of the server. A zero value means the default named here. Paths of files are absolute in the appliance and
// relative to the working directory in a pod.
type Config struct {
	BindAddress string // IP to listen on, default 127.0.0.1
	Port        int    // required; 0 is refused because the registration names the port
	// CertFile and KeyFile are the serving certificate. It must be valid for gardener-apiserver.garden.svc.
	CertFile, KeyFile string

	EtcdServers                           []string
	EtcdCAFile, EtcdCertFile, EtcdKeyFile string
	EtcdPrefix                            string   // default DefaultEtcdPrefix
	StorageMediaType                      string   // of new writes: application/json (default), or application/vnd.kubernetes.protobuf
	EncryptionConfigFile                  string   // EncryptionConfiguration; empty stores plain text
	WatchCacheSizes                       []string // resource.group#size; only size 0 (no cache) has an effect

	// Full is nil if users may store so many more bytes in a namespace, see package storagelimit. Without the function nobody is refused.
	Full func(namespace string, more int64) error
	// Disk is nil while the disk has room for users or, if essential, for components and operators. May be nil.
	Disk func(essential bool) error
	// WatchEtcd makes the server heed what the members of its etcd tell about their disks, as those of an etcd in other processes do.
	WatchEtcd bool
	// Operators is the group of users who may write while the storage is full for others.
	Operators string

	// Garden connects to the garden's kube-apiserver, which authenticates tokens, authorizes requests and stores
	// namespaces, quotas, webhooks and secrets. If Garden is nil, Kubeconfig is read instead.
	Garden     *rest.Config
	Kubeconfig string
	// ClientCAFile and RequestHeader say which client certificates to trust. If one is missing, the server reads it
	// from the ConfigMap kube-system/extension-apiserver-authentication and has to wait for the kube-apiserver.
	ClientCAFile  string
	RequestHeader RequestHeader

	// AuditPolicyFile selects what the audit log records. AuditLogFile is the log ("-" for standard output),
	// AuditWebhookFile the kubeconfig of a webhook. A policy needs a log or a webhook, and both need a policy.
	AuditPolicyFile, AuditLogFile, AuditWebhookFile string
	// MaxRequestsInFlight and MaxMutatingRequestsInFlight limit concurrent requests, default 400 and 200. The garden's FlowSchemas
	// share out the sum of both. With NoFairness each is a limit by itself. Further requests get status 429.
	MaxRequestsInFlight, MaxMutatingRequestsInFlight int
	NoFairness                                       bool
	// MaxRequestsPerUser and MaxWatchesPerUser limit what one tenant asks at a time; 0 is no limit. All service accounts of a
	// namespace are one tenant. All tenants together may have ten times the watches of one.
	MaxRequestsPerUser, MaxWatchesPerUser int
	// Last means that no other server takes over when this one stops. It then ends all connections when it has answered, watches as well.
	Last bool

	ClusterIdentity               string        // of the garden; required
	AdminKubeconfigMaxExpiration  time.Duration // default 24h
	ViewerKubeconfigMaxExpiration time.Duration // default 24h
	CredentialsRotationInterval   time.Duration // after which users are warned, default 90 days
	BastionTTL                    time.Duration // life of a bastion that is not kept alive, default 1h
	// WorkloadIdentity configures the tokens of WorkloadIdentities.
	WorkloadIdentity WorkloadIdentity
	// FrontDoorAddress (host:port) replaces the addresses in kubeconfigs of shoots. The host of the advertised address
	// becomes the TLS server name. Empty means that clients use the advertised addresses.
	FrontDoorAddress string
	// FrontDoorHost maps the host of an advertised address to a host that replaces the one of FrontDoorAddress. An empty
	// result keeps FrontDoorAddress. May be nil.
	FrontDoorHost func(name string) string

	// ReservedDomains are domains that no shoot may use, e.g. that of the garden itself.
	ReservedDomains []string

	EnableAdmissionPlugins, DisableAdmissionPlugins []string
	AdmissionConfigFile                             string          // AdmissionConfiguration
	FeatureGates                                    map[string]bool // see features.go

	Log logr.Logger
}

// WorkloadIdentity configures the issuer of tokens for external systems. Without a key no tokens are issued.
type WorkloadIdentity struct {
	KeyFile                      string        // PEM: RSA, or ECDSA with the curve P-256
	Issuer                       string        // URL; required with KeyFile
	MinExpiration, MaxExpiration time.Duration // requests are brought between these, default 1h and 48h
}

// RequestHeader says which clients may act for other users by headers, as the aggregator does.
type RequestHeader struct {
	CAFile       string
	AllowedNames []string // common names; empty allows every certificate of the CA
}

func (c *Config) setDefaults() {
	c.BindAddress = cmp.Or(c.BindAddress, "127.0.0.1")
	c.EtcdPrefix = cmp.Or(c.EtcdPrefix, DefaultEtcdPrefix)
	c.MaxRequestsInFlight = cmp.Or(c.MaxRequestsInFlight, defaultRequestsInFlight)
	c.MaxMutatingRequestsInFlight = cmp.Or(c.MaxMutatingRequestsInFlight, defaultMutatingRequestsInFlight)
	c.StorageMediaType = cmp.Or(c.StorageMediaType, runtime.ContentTypeJSON)
	c.AdminKubeconfigMaxExpiration = cmp.Or(c.AdminKubeconfigMaxExpiration, defaultKubeconfigExpiration)
	c.ViewerKubeconfigMaxExpiration = cmp.Or(c.ViewerKubeconfigMaxExpiration, defaultKubeconfigExpiration)
	c.CredentialsRotationInterval = cmp.Or(c.CredentialsRotationInterval, defaultRotationInterval)
	c.BastionTTL = cmp.Or(c.BastionTTL, defaultBastionTTL)
	c.WorkloadIdentity.MinExpiration = cmp.Or(c.WorkloadIdentity.MinExpiration, defaultMinTokenExpiration)
	c.WorkloadIdentity.MaxExpiration = cmp.Or(c.WorkloadIdentity.MaxExpiration, defaultMaxTokenExpiration)
}

func (c *Config) validate() error {
	var errs []error
	if net.ParseIP(c.BindAddress) == nil {
		errs = append(errs, fmt.Errorf("bind address %q is not an IP address", c.BindAddress))
	}
	if c.Port < 1 || c.Port > 65535 {
		errs = append(errs, fmt.Errorf("port %d is not between 1 and 65535", c.Port))
	}
	if c.CertFile == "" || c.KeyFile == "" {
		errs = append(errs, errors.New("certificate and key to serve with are required"))
	}
	if len(c.EtcdServers) == 0 {
		errs = append(errs, errors.New("etcd servers are required"))
	}
	if c.EtcdPrefix[0] != '/' || filepath.Clean(c.EtcdPrefix) != c.EtcdPrefix {
		errs = append(errs, fmt.Errorf("etcd prefix %q must begin and must not end with a slash", c.EtcdPrefix))
	}
	if c.Garden == nil && c.Kubeconfig == "" {
		errs = append(errs, errors.New("a kubeconfig of the garden is required"))
	}
	if c.ClusterIdentity == "" {
		errs = append(errs, errors.New("a cluster identity is required"))
	}
	if (c.AuditPolicyFile == "") != (c.AuditLogFile == "" && c.AuditWebhookFile == "") {
		errs = append(errs, errors.New("an audit policy needs a log file or a webhook, and the other way round"))
	}
	if c.MaxRequestsInFlight < 0 || c.MaxMutatingRequestsInFlight < 0 {
		errs = append(errs, errors.New("numbers of requests in flight cannot be negative"))
	}
	if w := c.WorkloadIdentity; w.KeyFile != "" && w.Issuer == "" {
		errs = append(errs, errors.New("a key for tokens of WorkloadIdentities needs an issuer"))
	}
	if w := c.WorkloadIdentity; w.MinExpiration > w.MaxExpiration {
		errs = append(errs, fmt.Errorf("tokens of WorkloadIdentities cannot live %s at least and %s at most", w.MinExpiration, w.MaxExpiration))
	}
	if c.FrontDoorAddress != "" {
		if _, _, err := net.SplitHostPort(c.FrontDoorAddress); err != nil {
			errs = append(errs, fmt.Errorf("front door address: %w", err))
		}
	}
	for name := range c.FeatureGates {
		if _, known := defaultFeatures[name]; !known {
			errs = append(errs, fmt.Errorf("unknown feature gate %q", name))
		}
	}
	return errors.Join(errs...)
}

// garden returns the client configuration of the garden, without a client-side rate limit.
func (c *Config) garden() (*rest.Config, error) {
	config := c.Garden
	if config == nil {
		var err error
		if config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
			return nil, fmt.Errorf("read kubeconfig of the garden: %w", err)
		}
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.UserAgent = openapi.GardenerUserAgent
	return config, nil
}
