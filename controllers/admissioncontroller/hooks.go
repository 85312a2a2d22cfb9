package admissioncontroller

import (
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/encryptionkeys"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/kubeconfigs"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/namespacedeletion"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/resourcesize"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedrestriction"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

const (
	create = admissionregistrationv1.Create
	update = admissionregistrationv1.Update
	remove = admissionregistrationv1.Delete
)

var (
	v1   = []string{"v1"}
	core = gardencorev1beta1.GroupName
)

// checks are what the admission webhooks are made from.
type checks struct {
	reader  client.Reader // of the garden, without a cache
	scheme  *runtime.Scheme
	objects *graph.Graph
	limits  *config.ResourceAdmissionConfiguration // nil means none
	trusted []string                               // names of users whose requests are not checked
}

// hooks are the admission webhooks. API servers refuse requests that they cannot ask about.
func (c checks) hooks() []webhook.Hook {
	all := []webhook.Hook{
		{
			Name: "validate-kubeconfig-secrets.gardener.cloud", Path: "/webhooks/admission/validate-kubeconfig-secrets",
			Handler: kubeconfigs.Secrets{Graph: c.objects}, Rules: rules(webhook.Rule("", v1, []string{"secrets"}, create, update)),
		},
		{
			Name: "validate-encryption-keys.gardener.cloud", Path: "/webhooks/admission/validate-encryption-keys",
			Handler: encryptionkeys.Handler{}, Rules: rules(webhook.Rule("", v1, []string{"secrets"}, create, update)),
			Conditions: []admissionregistrationv1.MatchCondition{{
				Name: "keys", Expression: fmt.Sprintf("request.namespace == '%s' && has(object.data) && '%s' in object.data", constants.GardenNamespace, constants.DataKeyBackupEncryption),
			}},
		},
		{
			Name: "validate-shoot-kubeconfig-secret-ref.gardener.cloud", Path: "/webhooks/admission/validate-shoot-kubeconfig-secret-ref",
			Handler: kubeconfigs.References{Reader: c.reader}, Rules: rules(webhook.Rule(core, []string{"v1beta1"}, []string{"shoots", "seeds"}, create, update)),
			Conditions: []admissionregistrationv1.MatchCondition{{Name: "spec", Expression: "oldObject == null || object.spec != oldObject.spec"}},
		},
		{
			Name: "validate-namespace-deletion.gardener.cloud", Path: "/webhooks/admission/validate-namespace-deletion",
			Handler: namespacedeletion.Handler{Reader: c.reader}, Rules: rules(webhook.Rule("", v1, []string{"namespaces"}, remove)),
		},
		{
			Name: "seed-restriction.gardener.cloud", Path: "/webhooks/admission/seedrestriction",
			Handler: seedrestriction.Handler{Graph: c.objects, Scheme: c.scheme, Reader: c.reader}, Rules: restricted(),
			Conditions: []admissionregistrationv1.MatchCondition{{Name: "gardenlets", Expression: fmt.Sprintf("'%s' in request.userInfo.groups", seedidentity.Group)}},
		},
	}
	if c.limits != nil && len(c.limits.Limits) > 0 {
		all = append(all, webhook.Hook{
			Name: "validate-resource-size.gardener.cloud", Path: "/webhooks/admission/validate-resource-size", Handler: resourcesize.Handler{Limits: c.limits}, Rules: limited(c.limits),
			Conditions: append(unlimited(c.limits), components),
		})
	}
	for i := range all {
		all[i].Validating = true
		for n, user := range c.trusted {
			all[i].Conditions = append(all[i].Conditions, admissionregistrationv1.MatchCondition{
				Name: fmt.Sprintf("trusted-%d", n), Expression: fmt.Sprintf("request.userInfo.username != '%s'", user),
			})
		}
	}
	return all
}

// restricted are the requests of gardenlets whose bodies matter. Subresources are not among them: no edge of the graph that opens an object
// comes from a status, except for that to the BackupEntry of a Shoot, which ends with the UID of the Shoot.
func restricted() []admissionregistrationv1.RuleWithOperations {
	beta, alpha := []string{"v1beta1"}, []string{"v1alpha1"}
	return rules(
		webhook.Rule("", v1, []string{"configmaps", "namespaces"}, create),
		webhook.Rule("", v1, []string{"events", "secrets", "serviceaccounts"}, create, update),
		webhook.Rule("rbac.authorization.k8s.io", v1, []string{"clusterrolebindings"}, create, update),
		webhook.Rule("events.k8s.io", v1, []string{"events"}, create, update),
		webhook.Rule("coordination.k8s.io", v1, []string{"leases"}, create),
		webhook.Rule("certificates.k8s.io", v1, []string{"certificatesigningrequests"}, create),
		webhook.Rule(core, beta, []string{"shootstates", "internalsecrets"}, create),
		webhook.Rule(core, beta, []string{"seeds"}, create, update),
		webhook.Rule(core, beta, []string{"shoots", "controllerinstallations"}, update),
		webhook.Rule(core, beta, []string{"backupbuckets", "backupentries"}, create, update, remove),
		webhook.Rule("operations.gardener.cloud", alpha, []string{"bastions"}, update),
		webhook.Rule("seedmanagement.gardener.cloud", alpha, []string{"managedseeds", "gardenlets"}, update),
	)
}

// components of Kubernetes are not limited. They start before somebody can be asked about their Leases and Roles.
var components = admissionregistrationv1.MatchCondition{
	Name: "components", Expression: "!('system:serviceaccounts:kube-system' in request.userInfo.groups) && " +
		"(!request.userInfo.username.startsWith('system:') || request.userInfo.username.startsWith('system:serviceaccount:'))",
}

// unlimited keeps requests of gardenlets, which renew Leases all the time, from a check that they pass anyway.
func unlimited(limits *config.ResourceAdmissionConfiguration) []admissionregistrationv1.MatchCondition {
	if !slices.ContainsFunc(limits.UnrestrictedSubjects, func(s rbacv1.Subject) bool { return s.Kind == rbacv1.GroupKind && s.Name == seedidentity.Group }) {
		return nil
	}
	return []admissionregistrationv1.MatchCondition{{Name: "gardenlets", Expression: fmt.Sprintf("!('%s' in request.userInfo.groups)", seedidentity.Group)}}
}

// limited are the writes of all resources with a limit.
func limited(limits *config.ResourceAdmissionConfiguration) []admissionregistrationv1.RuleWithOperations {
	var out []admissionregistrationv1.RuleWithOperations
	for _, limit := range limits.Limits {
		out = append(out, admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{create, update},
			Rule:       admissionregistrationv1.Rule{APIGroups: limit.APIGroups, APIVersions: limit.APIVersions, Resources: limit.Resources},
		})
	}
	return out
}

func rules(all ...admissionregistrationv1.RuleWithOperations) []admissionregistrationv1.RuleWithOperations {
	return all
}
