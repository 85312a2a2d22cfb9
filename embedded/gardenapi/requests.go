package gardenapi

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/internal/fairness"
	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
)

// The audit log is rotated at auditLogSize megabytes. auditLogBackups old files are kept.
const (
	auditLogSize    = 100
	auditLogBackups = 3
)

// audit configures the audit log. The kube-apiserver in front of this server has its own, but it cannot see the bodies.
func audit(config *genericapiserver.Config, c Config) error {
	if c.AuditPolicyFile == "" {
		return nil
	}
	audit := options.NewAuditOptions()
	audit.PolicyFile, audit.LogOptions.Path, audit.WebhookOptions.ConfigFile = c.AuditPolicyFile, c.AuditLogFile, c.AuditWebhookFile
	audit.LogOptions.MaxSize, audit.LogOptions.MaxBackups = auditLogSize, auditLogBackups
	return audit.ApplyTo(config)
}

// limit limits concurrent requests, and returns the limits of those that last. Requests from the kube-apiserver of the garden have passed
// its limits. Those here are also for requests that come directly.
func limit(config *genericapiserver.Config, c Config, informers informers.SharedInformerFactory, client kubernetes.Interface) peruser.Limits {
	config.MaxRequestsInFlight, config.MaxMutatingRequestsInFlight = c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight
	served := c.MaxRequestsInFlight + c.MaxMutatingRequestsInFlight
	limits := peruser.New(c.MaxRequestsPerUser, c.MaxWatchesPerUser)
	if !c.NoFairness {
		config.FlowControl = fairness.Bound(flowcontrol.New(informers, client.FlowcontrolV1(), served), limits, served)
	}
	return limits
}
