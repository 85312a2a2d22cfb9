package trust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// everyVerb are the verbs that most resources have.
var everyVerb = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// moreVerbs are tried besides those that the API servers tell: verbs that exist for authorization only.
var moreVerbs = map[string][]string{
	"projects.core.gardener.cloud":                   {"manage-members", "modify-spec-tolerations-whitelist"},
	"roles.rbac.authorization.k8s.io":                {"bind", "escalate"},
	"clusterroles.rbac.authorization.k8s.io":         {"bind", "escalate"},
	"serviceaccounts":                                {"impersonate"},
	"users":                                          {"impersonate"},
	"groups":                                         {"impersonate"},
	"signers.certificates.k8s.io":                    {"approve", "sign", "attest"},
	"namespacedcloudprofiles.core.gardener.cloud":    {"modify-spec-kubernetes", "modify-spec-machineimages", "raise-spec-limits"},
	"certificatesigningrequests.certificates.k8s.io": {"approve"},
}

// virtual are resources that exist in rules only.
var virtual = []string{"users", "groups", "signers.certificates.k8s.io"}

// actor is a user whose rights are checked.
type actor struct {
	user   string
	groups []string
	// may lists the rights: one line for each place and verbs, then the resources. All others are refused.
	may string
}

// serviceAccount is an actor.
func serviceAccount(namespace, name, may string) actor {
	return actor{fmt.Sprintf("system:serviceaccount:%s:%s", namespace, name), []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}, may}
}

// place is where rights are looked for: a namespace, an object by its name, or the cluster.
type place struct{ namespace, name string }

// cluster is an API server with all that it serves.
type cluster struct {
	config    *rest.Config
	resources map[string]resource // with subresource and group, such as pods/log or shoots/status.core.gardener.cloud
}

type resource struct {
	namespaced bool
	verbs      []string
}

func (f *fixture) cluster(kubeconfig string) cluster {
	f.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		f.t.Fatal(err)
	}
	config.QPS = -1
	_, lists, err := kubernetes.NewForConfigOrDie(config).Discovery().ServerGroupsAndResources()
	if err != nil {
		f.t.Fatal(err)
	}
	c := cluster{config, map[string]resource{}}
	for _, list := range lists {
		group, _, _ := strings.Cut(list.GroupVersion, "/")
		for _, served := range list.APIResources {
			name := served.Name + "." + group
			if !strings.Contains(list.GroupVersion, "/") {
				name = served.Name
			}
			verbs := slices.Concat(c.resources[name].verbs, served.Verbs, moreVerbs[name]) // of all versions
			c.resources[name] = resource{served.Namespaced, slices.Compact(slices.Sorted(slices.Values(verbs)))}
		}
	}
	for _, name := range virtual {
		c.resources[name] = resource{verbs: moreVerbs[name]}
	}
	return c
}

// as is a client with which the administrator makes requests of an actor.
func (c cluster) as(who actor) kubernetes.Interface {
	config := rest.CopyConfig(c.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: who.user, Groups: append([]string{"system:authenticated"}, who.groups...)}
	return kubernetes.NewForConfigOrDie(config)
}

// allowed says what an actor may do in places with all that the cluster serves, in the form of parseRights.
func (f *fixture) allowed(c cluster, who actor, places map[string]place) map[string]string {
	f.t.Helper()
	client := c.as(who).AuthorizationV1()
	found := map[string][]string{}
	for name, at := range places {
		review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: cmp.Or(at.namespace, "nowhere")}}
		review, err := client.SelfSubjectRulesReviews().Create(f.t.Context(), review, metav1.CreateOptions{})
		if err != nil {
			f.t.Fatal(err)
		}
		for served, resource := range c.resources {
			if at.name == "" && resource.namespaced != (at.namespace != "") || at.name != "" && served != "namespaces" && served != "projects.core.gardener.cloud" {
				continue
			}
			for _, verb := range resource.verbs {
				q := question{at, served, verb}
				if slices.ContainsFunc(review.Status.ResourceRules, q.allowedBy) {
					found[name+" "+served] = append(found[name+" "+served], verb)
				}
			}
		}
	}
	return sorted(found)
}

// question is whether a verb is allowed on a resource in a place.
type question struct {
	place
	served, verb string
}

func (q question) parts() (group, resource, subresource, object string) {
	resource, group, _ = strings.Cut(q.served, ".")
	resource, subresource, _ = strings.Cut(resource, "/")
	object = q.name
	if object != "" && resource == "namespaces" {
		object = q.namespace
	}
	return group, resource, subresource, object
}

// allowedBy says whether a rule allows it.
func (q question) allowedBy(rule authorizationv1.ResourceRule) bool {
	group, resource, subresource, object := q.parts()
	has := func(list []string, names ...string) bool {
		return slices.ContainsFunc(append(names, "*"), func(name string) bool { return slices.Contains(list, name) })
	}
	full := []string{resource}
	if subresource != "" {
		full = []string{resource + "/" + subresource, "*/" + subresource}
	}
	return has(rule.APIGroups, group) && has(rule.Resources, full...) && has(rule.Verbs, q.verb) && (len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, object))
}

// allowed asks the authorizers, on behalf of whom the client is for.
func (q question) allowed(ctx context.Context, client kubernetes.Interface) (bool, error) {
	group, resource, subresource, object := q.parts()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Namespace: q.namespace, Name: object, Verb: q.verb, Group: group, Version: "*", Resource: resource, Subresource: subresource,
	}}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for %s %s: %w", q.verb, q.served, err)
	}
	return answer.Status.Allowed, nil
}

// parseRights gives each place and resource its verbs.
func parseRights(texts ...string) map[string]string {
	found := map[string][]string{}
	for line := range strings.Lines(strings.Join(texts, "\n")) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		verbs := strings.Split(fields[1], ",")
		switch fields[1] {
		case "read":
			verbs = []string{"get", "list", "watch"}
		case "write":
			verbs = everyVerb
		}
		for _, resource := range fields[2:] {
			found[fields[0]+" "+resource] = append(found[fields[0]+" "+resource], verbs...)
		}
	}
	return sorted(found)
}

func sorted(found map[string][]string) map[string]string {
	out := map[string]string{}
	for key, verbs := range found {
		slices.Sort(verbs)
		out[key] = strings.Join(slices.Compact(verbs), " ")
	}
	return out
}

// confirmed are the resources of which the authorizers themselves are asked. The rules are what one of them says of itself, and the
// others may not know theirs.
var confirmed = []string{"secrets", "pods/exec", "nodes/proxy", "namespaces", "serviceaccounts/token", "projects.core.gardener.cloud", "shoots.core.gardener.cloud", "shoots/binding.core.gardener.cloud",
	"shoots/adminkubeconfig.core.gardener.cloud", "seeds.core.gardener.cloud", "internalsecrets.core.gardener.cloud", "shootstates.core.gardener.cloud",
	"clusterrolebindings.rbac.authorization.k8s.io", "certificatesigningrequests/approval.certificates.k8s.io", "users"}

// mustMatch compares the rights of actors with the tables.
func (f *fixture) mustMatch(c cluster, actors map[string]actor, everybody string, places map[string]place) {
	f.t.Helper()
	for name, who := range actors {
		want, got := parseRights(everybody, who.may), map[string]string{}
		err := testwait.Try(f.t.Context(), testwait.Patience, func() error { // authorizers learn of new bindings a little later
			got = f.allowed(c, who, places)
			if difference := gocmp.Diff(want, got); difference != "" {
				return fmt.Errorf("(-allowed by the table, +allowed by the API server)\n%s", difference)
			}
			return nil
		})
		if err != nil {
			f.t.Errorf("%s: %v", name, err)
		}
		client := c.as(who)
		for where, at := range places {
			for _, served := range confirmed {
				resource, ok := c.resources[served]
				if !ok || at.name != "" || resource.namespaced != (at.namespace != "") {
					continue
				}
				for _, verb := range resource.verbs {
					if verb == "watch" || verb == "deletecollection" || verb == "update" {
						continue // as list, delete and patch
					}
					yes, err := question{at, served, verb}.allowed(f.t.Context(), client)
					if err != nil {
						f.t.Fatal(err)
					}
					if expected := slices.Contains(strings.Fields(got[where+" "+served]), verb); yes != expected {
						f.t.Errorf("%s may %s %s %s: %t, but by its rules %t", name, verb, where, served, yes, expected)
					}
				}
			}
		}
	}
}
