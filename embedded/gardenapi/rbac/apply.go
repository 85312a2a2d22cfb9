// Package rbac holds the cluster roles of a garden that do not depend on its projects: the rights of administrators,
// viewers, project members, seeds and Gardener's own components. The project controller creates the roles of single
// projects.
package rbac

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"golang.org/x/sync/errgroup"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/internal/apply"
)

// parallel is the number of concurrent requests. All roles are then written in a fraction of a second.
const parallel = 4

// Apply writes all roles and bindings.
func Apply(ctx context.Context, client dynamic.Interface) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, object := range Objects() {
		group.Go(func() error { return apply.Write(ctx, client, object) })
	}
	return group.Wait()
}

// Objects returns the cluster roles and cluster role bindings.
func Objects() []apply.Object {
	var out []apply.Object
	for _, r := range append(append(operatorRoles(), projectRoles()...), componentRoles()...) {
		out = append(out, r.objects()...)
	}
	return out
}

// role is a ClusterRole, with a binding of the same name if somebody has the role by default.
type role struct {
	name   string
	labels map[string]string
	rules  []rbacv1.PolicyRule
	// collects makes the role an aggregate of the roles with one of these labels. It excludes rules.
	collects []map[string]string
	subjects []rbacv1.Subject
}

func (r role) objects() []apply.Object {
	version := rbacv1.SchemeGroupVersion
	clusterRole := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: version.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: r.name, Labels: r.labels},
		Rules:      r.rules,
	}
	out := []apply.Object{{Resource: version.WithResource("clusterroles"), Object: clusterRole}}
	if len(r.collects) > 0 {
		clusterRole.AggregationRule = &rbacv1.AggregationRule{}
		for _, labels := range r.collects {
			clusterRole.AggregationRule.ClusterRoleSelectors = append(clusterRole.AggregationRule.ClusterRoleSelectors, metav1.LabelSelector{MatchLabels: labels})
		}
	}
	if len(r.subjects) > 0 {
		out = append(out, apply.Object{Resource: version.WithResource("clusterrolebindings"), Object: &rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: version.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: r.name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.name},
			Subjects:   r.subjects,
		}})
	}
	return out
}

func group(name string) []rbacv1.Subject {
	return []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: name}}
}

func rule(groups, resources, verbs []string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs, ResourceNames: names}
}

func one(values ...string) []string { return values }
