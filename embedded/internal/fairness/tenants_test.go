package fairness

import (
	"slices"
	"strings"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/gardener-up/gardener-up/embedded/internal/landscape"
)

// TestTenants is about one list of the landscape's users for seats, which FlowSchemas give, and for watches.
func TestTenants(t *testing.T) {
	Enable()
	for name, groups := range map[string][]string{
		"admin": {user.SystemPrivilegedGroup}, "gardener-admin": {"gardener.cloud:landscape:operators"},
		"gardener.cloud:system:seed:local": {"gardener.cloud:system:seeds"}, "gardener.cloud:system:seed:forged": nil,
		"system:node:local": {user.NodesGroup}, "system:node:forged": nil, "system:kube-controller-manager": nil, "system:kube-scheduler": nil,
		"system:bootstrap:abcdef": {"system:bootstrappers"}, "system:kube-proxy": nil, "eve": {"tenants"},
		"system:serviceaccount:garden:controller": {"system:serviceaccounts"}, "system:serviceaccount:kube-system:namespace-controller": {"system:serviceaccounts"},
		"system:serviceaccount:garden-dev:robot": {"system:serviceaccounts"}, "system:serviceaccount:kube-public:robot": {"system:serviceaccounts"},
	} {
		who := &user.DefaultInfo{Name: name, Groups: append(groups, user.AllAuthenticated)}
		if level := levelOf(who); (level == Tenants) == landscape.Has(who) {
			t.Errorf("%s has the level %s, and landscape.Has says %t", name, level, landscape.Has(who))
		}
	}
	if anonymous := (&user.DefaultInfo{Name: user.Anonymous, Groups: []string{user.AllUnauthenticated}}); levelOf(anonymous) != Tenants || landscape.Has(anonymous) {
		t.Error("who is not known is no tenant")
	}
}

// levelOf is the level of a user's requests for ConfigMaps.
func levelOf(who user.Info) string {
	schemas := slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas)
	slices.SortFunc(schemas, func(a, b *flowcontrolv1.FlowSchema) int {
		return int(a.Spec.MatchingPrecedence - b.Spec.MatchingPrecedence)
	})
	for _, schema := range schemas {
		for _, rule := range schema.Spec.Rules {
			if slices.ContainsFunc(rule.ResourceRules, func(r flowcontrolv1.ResourcePolicyRule) bool { return r.Resources[0] == flowcontrolv1.ResourceAll }) &&
				slices.ContainsFunc(rule.Subjects, func(s flowcontrolv1.Subject) bool { return means(s, who) }) {
				return schema.Spec.PriorityLevelConfiguration.Name
			}
		}
	}
	return ""
}

func means(subject flowcontrolv1.Subject, who user.Info) bool {
	switch {
	case subject.User != nil:
		return subject.User.Name == who.GetName()
	case subject.Group != nil:
		return slices.Contains(who.GetGroups(), subject.Group.Name)
	default:
		account := "system:serviceaccount:" + subject.ServiceAccount.Namespace + ":"
		return strings.HasPrefix(who.GetName(), account) && (subject.ServiceAccount.Name == flowcontrolv1.NameAll || who.GetName() == account+subject.ServiceAccount.Name)
	}
}
