package componentconfig

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LeaderElection configures whether and how several processes elect the one that acts.
type LeaderElection struct {
	LeaderElect       *bool           `json:"leaderElect,omitempty"`   // default true
	LeaseDuration     metav1.Duration `json:"leaseDuration,omitempty"` // default 15s
	RenewDeadline     metav1.Duration `json:"renewDeadline,omitempty"` // default 10s
	RetryPeriod       metav1.Duration `json:"retryPeriod,omitempty"`   // default 2s
	ResourceLock      string          `json:"resourceLock,omitempty" effect:"none"`
	ResourceName      string          `json:"resourceName,omitempty"`
	ResourceNamespace string          `json:"resourceNamespace,omitempty"`
}

// SetDefaults sets the fields that are empty. The name is that of the lease.
func (e *LeaderElection) SetDefaults(name string) {
	e.LeaderElect = cmp.Or(e.LeaderElect, new(true))
	e.LeaseDuration.Duration = cmp.Or(e.LeaseDuration.Duration, 15*time.Second)
	e.RenewDeadline.Duration = cmp.Or(e.RenewDeadline.Duration, 10*time.Second)
	e.RetryPeriod.Duration = cmp.Or(e.RetryPeriod.Duration, 2*time.Second)
	e.ResourceLock = cmp.Or(e.ResourceLock, "leases")
	e.ResourceName = cmp.Or(e.ResourceName, name)
}

// Validate adds the mistakes of defaulted settings.
func (e LeaderElection) Validate(m *Mistakes) {
	m.Add(e.RetryPeriod.Duration <= 0, "leaderElection.retryPeriod must be positive")
	m.Add(e.RenewDeadline.Duration <= e.RetryPeriod.Duration, "leaderElection.renewDeadline must be more than retryPeriod")
	m.Add(e.LeaseDuration.Duration <= e.RenewDeadline.Duration, "leaderElection.leaseDuration must be more than renewDeadline")
}

// Debugging is accepted for compatibility; the binary has its own commands for profiles.
type Debugging struct {
	EnableProfiling           bool `json:"enableProfiling,omitempty"`
	EnableContentionProfiling bool `json:"enableContentionProfiling,omitempty"`
}
