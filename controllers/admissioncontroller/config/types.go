// Package config reads the configuration of the admission controller of the garden: kind AdmissionControllerConfiguration
// of admissioncontroller.config.gardener.cloud. It knows every key of the public kind. Keys that this admission controller
// does not act on carry the tag effect:"none". Keys that only act when it is a process of its own carry effect:"process".
package config

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "admissioncontroller.config.gardener.cloud/v1alpha1"
	Kind       = "AdmissionControllerConfiguration"
)

// AdmissionControllerConfiguration is the configuration of the admission controller. After Decode all pointers with a
// default are set.
type AdmissionControllerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	GardenClientConnection ClientConnection `json:"gardenClientConnection,omitempty"`
	componentconfig.Log    `json:",inline"`
	Server                 Server                     `json:"server,omitempty"`
	Debugging              *componentconfig.Debugging `json:"debugging,omitempty" effect:"none"`

	withoutEffect, ofProcess []string
}

// ClientConnection configures the client of the garden. It has no default limits: those of the process apply.
type ClientConnection struct {
	Kubeconfig               string `json:"kubeconfig,omitempty" effect:"process"` // path; empty: the pod's service account
	componentconfig.Requests `json:",inline"`
}

// Server says on which addresses the process listens, and what it checks.
type Server struct {
	// Webhooks serves webhooks, health and metrics over HTTPS. Default port: 2721. A landscape chooses the address.
	Webhooks *Webhooks `json:"webhooks,omitempty" effect:"process"`
	// Server has the default ports 2722 for health probes and 2723 for metrics.
	componentconfig.Server `json:",inline"`
	// HTTPS is the name of Webhooks in older configurations.
	HTTPS *Webhooks `json:"https,omitempty" effect:"none" instead:"server.webhooks"`
	// ResourceAdmissionConfiguration limits the size of objects. Default: no limits.
	ResourceAdmissionConfiguration *ResourceAdmissionConfiguration `json:"resourceAdmissionConfiguration,omitempty"`
	// EnableDebugHandlers serves /debug/resource-dependency-graph. Default false.
	EnableDebugHandlers bool `json:"enableDebugHandlers,omitempty"`
}

// Webhooks is a Listener with a certificate.
type Webhooks struct {
	componentconfig.Listener `json:",inline"`
	TLS                      TLSFiles `json:"tls,omitempty"`
}

// TLSFiles is a serving certificate.
type TLSFiles struct {
	// ServerCertDir holds tls.crt, tls.key and, unless tls.crt is self-signed, ca.crt.
	ServerCertDir string `json:"serverCertDir"`
}

// ResourceAdmissionConfiguration limits the size of objects.
type ResourceAdmissionConfiguration struct {
	Limits []ResourceLimit `json:"limits"`
	// UnrestrictedSubjects may write larger objects.
	UnrestrictedSubjects []rbacv1.Subject `json:"unrestrictedSubjects,omitempty"`
	// OperationMode is block or log; default block.
	OperationMode OperationMode `json:"operationMode,omitempty"`
}

// OperationMode says what happens to objects that are too large.
type OperationMode string

const (
	// ModeBlock refuses them.
	ModeBlock OperationMode = "block"
	// ModeLog admits and logs them.
	ModeLog OperationMode = "log"
)

// ResourceLimit limits the size of the objects of some resources. "*" means all.
type ResourceLimit struct {
	APIGroups   []string `json:"apiGroups,omitempty"`
	APIVersions []string `json:"apiVersions,omitempty"`
	Resources   []string `json:"resources"`
	// Size is the maximum in bytes, without status and managed fields.
	Size *resource.Quantity `json:"size,omitempty"`
	// Count has no effect: quotas limit the number of objects.
	Count *int64 `json:"count,omitempty" effect:"none" instead:"a ResourceQuota"`
}
