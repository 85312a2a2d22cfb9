package fairness

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/internal/landscape"
)

// Names of levels, and of the FlowSchemas that lead to them.
const (
	// Landscape is for gardenlets, operators, and service accounts of the namespace garden. Members of system:masters, which are
	// the controllers of the landscape's process, have no limits. Kubernetes has levels for its own components.
	Landscape = "gardener-landscape"
	// Tenants is for everybody else.
	Tenants = "gardener-tenants"
	// leases is the FlowSchema for the leases of gardenlets, which must not wait for their other requests.
	leases = "gardener-leases"
	// leaderElection is a level of Kubernetes.
	leaderElection = "leader-election"
)

// Kubernetes' own levels have 245 shares. Those for service accounts and all others (120) are empty: Tenants comes first.
const (
	landscapeShares = 100
	tenantShares    = 300
)

// Precedences of FlowSchemas. Those of Kubernetes for its own components end at 900, those for others begin at 9000. Between them,
// operators have room before and after tenantsPrecedence.
const (
	leasesPrecedence    = 150
	landscapePrecedence = 850
	tenantsPrecedence   = 8000
)

// levels neither lend nor, in the case of Tenants, borrow: what is lent comes back after ten seconds only, or when the borrower's
// requests have ended, and tenants can make requests that end late. The landscape borrows from the empty levels of Kubernetes.
func levels() []*flowcontrolv1.PriorityLevelConfiguration {
	return []*flowcontrolv1.PriorityLevelConfiguration{
		level(Landscape, flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](landscapeShares)}),
		level(Tenants, flowcontrolv1.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: ptr.To[int32](tenantShares), BorrowingLimitPercent: ptr.To[int32](0),
		}),
	}
}

// level has the queues of Kubernetes' level workload-low.
func level(name string, limited flowcontrolv1.LimitedPriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	limited.LendablePercent = ptr.To[int32](0)
	limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 128, HandSize: 6, QueueLengthLimit: 50},
	}
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: meta(name),
		Spec:       flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementLimited, Limited: &limited},
	}
}

func schemas() []*flowcontrolv1.FlowSchema {
	ours := append(groups(landscape.Groups()...), flowcontrolv1.Subject{
		Kind:           flowcontrolv1.SubjectKindServiceAccount,
		ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: landscape.Namespace, Name: flowcontrolv1.NameAll},
	})
	return []*flowcontrolv1.FlowSchema{
		schema(leases, leaderElection, leasesPrecedence, flowcontrolv1.PolicyRulesWithSubjects{Subjects: ours, ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs: []string{"get", "create", "update", "patch"}, APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"},
			Namespaces: []string{flowcontrolv1.NamespaceEvery},
		}}}),
		schema(Landscape, Landscape, landscapePrecedence, everything(ours)),
		schema(Tenants, Tenants, tenantsPrecedence, everything(groups(user.AllAuthenticated, user.AllUnauthenticated))),
	}
}

// schema makes each user a flow. Flows have the same rights.
func schema(name, level string, precedence int32, rules flowcontrolv1.PolicyRulesWithSubjects) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: meta(name),
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level}, MatchingPrecedence: precedence,
			DistinguisherMethod: &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			Rules:               []flowcontrolv1.PolicyRulesWithSubjects{rules},
		},
	}
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Annotations: map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}}
}

func everything(of []flowcontrolv1.Subject) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{
		Subjects: of,
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs: []string{flowcontrolv1.VerbAll}, APIGroups: []string{flowcontrolv1.APIGroupAll}, Resources: []string{flowcontrolv1.ResourceAll},
			Namespaces: []string{flowcontrolv1.NamespaceEvery}, ClusterScope: true,
		}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{flowcontrolv1.VerbAll}, NonResourceURLs: []string{flowcontrolv1.NonResourceAll}}},
	}
}

func groups(names ...string) []flowcontrolv1.Subject {
	var out []flowcontrolv1.Subject
	for _, name := range names {
		out = append(out, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: name}})
	}
	return out
}
