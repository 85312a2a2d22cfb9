package gardenapi

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// The audit log is cut at auditLogSize megabytes, and auditLogBackups older ones are kept.
const (
	auditLogSize    = 100
	auditLogBackups = 3
)

// audit logs requests as the policy says. The kube-apiserver in front logs them, too, but cannot see the bodies.
func audit(config *genericapiserver.Config, c Config) error {
	if c.AuditPolicyFile == "" {
		return nil
	}
	audit := options.NewAuditOptions()
	audit.PolicyFile, audit.LogOptions.Path, audit.WebhookOptions.ConfigFile = c.AuditPolicyFile, c.AuditLogFile, c.AuditWebhookFile
	audit.LogOptions.MaxSize, audit.LogOptions.MaxBackups = auditLogSize, auditLogBackups
	return audit.ApplyTo(config)
}

// limit bounds the requests that are served at once. Fairness needs informers of its own and is off by default, as it is
// in the garden's kube-apiserver: a landscape has few clients.
func limit(config *genericapiserver.Config, c Config, informers informers.SharedInformerFactory, client kubernetes.Interface) {
	config.MaxRequestsInFlight, config.MaxMutatingRequestsInFlight = c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight
	if c.PriorityAndFairness {
		config.FlowControl = flowcontrol.New(informers, client.FlowcontrolV1(), c.MaxRequestsInFlight+c.MaxMutatingRequestsInFlight)
	}
}
