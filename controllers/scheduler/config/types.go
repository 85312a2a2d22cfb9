// Package config reads the configuration of the scheduler of shoots: kind SchedulerConfiguration of
// scheduler.config.gardener.cloud. It knows every key of the public kind. Keys that this scheduler does not act on carry
// the tag effect:"none". Keys that only act when the scheduler is a process of its own carry effect:"process".
package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "scheduler.config.gardener.cloud/v1alpha1"
	Kind       = "SchedulerConfiguration"
)

// SchedulerConfiguration is the configuration of the scheduler. After Decode all pointers with a default are set.
type SchedulerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	ClientConnection    ClientConnection                `json:"clientConnection,omitempty"`
	LeaderElection      *componentconfig.LeaderElection `json:"leaderElection,omitempty" effect:"process"`
	componentconfig.Log `json:",inline"`
	Server              componentconfig.Server     `json:"server,omitempty"` // default ports: 10251 for health probes, 19251 for metrics
	Debugging           *componentconfig.Debugging `json:"debugging,omitempty" effect:"none"`
	Schedulers          Schedulers                 `json:"schedulers,omitempty"`
	FeatureGates        map[string]bool            `json:"featureGates,omitempty" effect:"none"`

	withoutEffect, ofProcess []string
}

// ClientConnection configures the client of the garden. It has no default limits: those of the process apply.
type ClientConnection struct {
	Kubeconfig               string `json:"kubeconfig,omitempty" effect:"process"` // path; empty: the pod's service account
	componentconfig.Requests `json:",inline"`
}

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
