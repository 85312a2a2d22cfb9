package gardenapi

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
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

// limit limits concurrent requests. Priority and fairness needs its own informers and is off by default, as in the
// garden's kube-apiserver, because a landscape has few clients.
func limit(config *genericapiserver.Config, c Config, informers informers.SharedInformerFactory, client kubernetes.Interface) {
	config.MaxRequestsInFlight, config.MaxMutatingRequestsInFlight = c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight
	if c.PriorityAndFairness {
		config.FlowControl = flowcontrol.New(informers, client.FlowcontrolV1(), c.MaxRequestsInFlight+c.MaxMutatingRequestsInFlight)
	}
}
