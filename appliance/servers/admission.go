package servers

import (
	"bytes"
	"fmt"
	"text/template"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/serving"
)

// Admission is the server through which the garden's API servers call the admission controller of the landscape.
type Admission struct {
	*serving.Server
	admissioncontroller.Reach
}

// NewAdmission returns a server that does not listen yet.
func NewAdmission(a Access) *Admission {
	return &Admission{
		Server: &serving.Server{
			Address: a.Ports.Local(AdmissionServer), CertFile: a.PKI.Admission.Cert, KeyFile: a.PKI.Admission.Key, ClientCAFile: a.PKI.Garden.ClientCA,
		},
		Reach: admissioncontroller.Reach{URL: a.Ports.URL(AdmissionServer), CAFile: a.PKI.Inner.CA},
	}
}

// Controller is the configuration of the admission controller for this server. Members of the groups may see its graph.
func (a *Admission) Controller(operators ...string) admissioncontroller.Config {
	return admissioncontroller.Config{
		Server: a.Server, Reach: a.Config, Callers: &serving.Callers{Name: pki.AuthorizationUser, Groups: operators}, Trusted: []string{pki.ApplianceUser},
	}
}

func (a *Admission) component() component.Component { return loop.New(AdmissionServer, a.Run, nil) }

// authorizers are asked in order. The last one gets only requests of gardenlets, so it delays no other user. Decisions are not
// cached, because a gardenlet loses its rights with the last object that connects it.
var authorizers = template.Must(template.New("authorization").Parse(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: RBAC
  name: rbac
- type: Webhook
  name: seed-authorizer
  webhook:
    authorizedTTL: 1s
    cacheAuthorizedRequests: false
    unauthorizedTTL: 1s
    cacheUnauthorizedRequests: false
    timeout: 10s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo:
      type: KubeConfigFile
      kubeConfigFile: {{ printf "%q" .Kubeconfig }}
    matchConditions:
    - expression: "'{{ .Group }}' in request.groups"
`))

func authorizationConfig(p paths.Paths) string { return p.Settings("authorization.yaml") }

// writeAuthorization writes how the garden's API server authorizes requests.
func (a Access) writeAuthorization(p paths.Paths) error {
	access := pki.Access{
		Name: "seed-authorizer", Server: a.Ports.URL(AdmissionServer) + seedauthorizer.Path, CA: a.PKI.Inner.CA, User: a.PKI.Authorization,
	}
	kubeconfig := p.Kubeconfig("seed-authorizer")
	if err := access.WriteKubeconfig(kubeconfig); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := authorizers.Execute(&text, struct{ Kubeconfig, Group string }{kubeconfig, seedidentity.Group}); err != nil {
		return fmt.Errorf("write authorization of the garden: %w", err)
	}
	return pki.WriteFile(authorizationConfig(p), text.Bytes())
}
