// Package config reads the configuration of the scheduler of shoots: kind SchedulerConfiguration of
// scheduler.config.gardener.cloud. It knows every key of the public kind. Keys that this scheduler does not act on carry
// the tag effect:"none". Keys that only act when the scheduler is a process of its own carry effect:"process".
package config

import (
	"net"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentbaseconfigv1alpha1 "k8s.io/component-base/config/v1alpha1"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "scheduler.config.gardener.cloud/v1alpha1"
	Kind       = "SchedulerConfiguration"
)

// SchedulerConfiguration is the configuration of the scheduler. After Decode all pointers with a default are set.
type SchedulerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	ClientConnection ClientConnection `json:"clientConnection,omitempty"`
	LeaderElection   *LeaderElection  `json:"leaderElection,omitempty" effect:"process"`
	LogLevel         string           `json:"logLevel,omitempty"` // debug, info or error; default info
	// LogFormat is json or text; default json. It has no effect: the process decides.
	LogFormat    string                                              `json:"logFormat,omitempty" effect:"none" instead:"log.format of the landscape's configuration"`
	Server       Server                                              `json:"server,omitempty"`
	Debugging    *componentbaseconfigv1alpha1.DebuggingConfiguration `json:"debugging,omitempty" effect:"none"`
	Schedulers   Schedulers                                          `json:"schedulers,omitempty"`
	FeatureGates map[string]bool                                     `json:"featureGates,omitempty" effect:"none"`

	withoutEffect, ofProcess []string
}

// ClientConnection configures the client of the garden.
type ClientConnection struct {
	Kubeconfig         string  `json:"kubeconfig,omitempty" effect:"process"` // path; empty: the pod's service account
	AcceptContentTypes string  `json:"acceptContentTypes,omitempty" effect:"none"`
	ContentType        string  `json:"contentType,omitempty" effect:"none"`
	QPS                float32 `json:"qps,omitempty"`   // requests per second; default: what the process allows
	Burst              int32   `json:"burst,omitempty"` // default: what the process allows
}

// LeaderElection says whether and how several processes elect the one that acts.
type LeaderElection struct {
	LeaderElect       *bool           `json:"leaderElect,omitempty"`   // default true
	LeaseDuration     metav1.Duration `json:"leaseDuration,omitempty"` // default 15s
	RenewDeadline     metav1.Duration `json:"renewDeadline,omitempty"` // default 10s
	RetryPeriod       metav1.Duration `json:"retryPeriod,omitempty"`   // default 2s
	ResourceLock      string          `json:"resourceLock,omitempty" effect:"none"`
	ResourceName      string          `json:"resourceName,omitempty"`      // default gardener-scheduler-leader-election
	ResourceNamespace string          `json:"resourceNamespace,omitempty"` // default garden
}

// Server says on which addresses the process listens. Addresses that are not configured are not served.
type Server struct {
	// HealthProbes serves /healthz and /readyz over HTTP. Default port: 10251.
	HealthProbes *Listener `json:"healthProbes,omitempty"`
	// Metrics serves /metrics over HTTP. Default port: 19251.
	Metrics *Listener `json:"metrics,omitempty"`
}

// Listener is an address to listen on.
type Listener struct {
	BindAddress string `json:"bindAddress,omitempty"` // empty: all addresses
	Port        int    `json:"port,omitempty"`
}

// Address is the address to listen on.
func (l Listener) Address() string { return net.JoinHostPort(l.BindAddress, strconv.Itoa(l.Port)) }

// Schedulers holds the settings of the schedulers.
type Schedulers struct {
	// BackupBucket has no effect: BackupBuckets are created with the name of their seed.
	BackupBucket *BackupBucketScheduler `json:"backupBucket,omitempty" effect:"none"`
	Shoot        *ShootScheduler        `json:"shoot,omitempty"`
}

// BackupBucketScheduler is accepted, but does not exist here.
type BackupBucketScheduler struct {
	ConcurrentSyncs int `json:"concurrentSyncs"`
}

// Strategy says which of the seeds that may host a shoot are its candidates.
type Strategy string

const (
	// SameRegion takes only seeds in the region of the shoot.
	SameRegion Strategy = "SameRegion"
	// MinimalDistance takes the seeds whose region has the name most similar to that of the shoot's region.
	MinimalDistance Strategy = "MinimalDistance"
)

// Strategies are all strategies.
var Strategies = []Strategy{SameRegion, MinimalDistance}

// ShootScheduler chooses the seeds of shoots.
type ShootScheduler struct {
	ConcurrentSyncs int `json:"concurrentSyncs,omitempty"` // default 5
	// CandidateDeterminationStrategy is one of Strategies; default SameRegion.
	CandidateDeterminationStrategy Strategy `json:"candidateDeterminationStrategy,omitempty"`
}
