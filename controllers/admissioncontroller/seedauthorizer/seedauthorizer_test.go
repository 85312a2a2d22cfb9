package seedauthorizer

import (
	"context"
	"errors"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func at(kind graph.Kind, namespace, name string) graph.Vertex {
	return graph.Vertex{Kind: kind, Namespace: namespace, Name: name}
}

// landscape has a shoot on each of the seeds a and b, in projects of the same names. They have buckets, bindings and the like.
func landscape() *graph.Graph {
	g := &graph.Graph{}
	for _, seed := range []string{"a", "b"} {
		target := at(graph.Seed, "", seed)
		shoot, project := at(graph.Shoot, "garden-"+seed, "shoot"), "garden-"+seed
		g.Set(target, []graph.Edge{
			{From: at(graph.Namespace, "", "seed-"+seed), To: target}, {From: at(graph.Secret, "garden", "backup-"+seed), To: target},
		})
		g.Set(shoot, []graph.Edge{
			{From: shoot, To: target}, {From: at(graph.Namespace, "", project), To: shoot},
			{From: at(graph.SecretBinding, project, "binding"), To: shoot}, {From: at(graph.ConfigMap, project, "audit"), To: shoot},
			{From: at(graph.WorkloadIdentity, project, "identity"), To: shoot}, {From: at(graph.InternalSecret, project, "internal"), To: shoot},
			{From: at(graph.CloudProfile, "", "profile-"+seed), To: shoot},
		})
		binding := at(graph.SecretBinding, project, "binding")
		g.Set(binding, []graph.Edge{{From: at(graph.Secret, project, "cloud"), To: binding}})
		own := func(kind graph.Kind, namespace, name string) {
			v := at(kind, namespace, name)
			g.Set(v, []graph.Edge{{From: v, To: target}})
		}
		own(graph.BackupBucket, "", "bucket-"+seed)
		own(graph.Bastion, project, "bastion")
		own(graph.ControllerInstallation, "", "installation-"+seed)
		own(graph.CertificateSigningRequest, "", "csr-"+seed)
		own(graph.Gardenlet, "garden", seed)
		entry := at(graph.BackupEntry, project, "entry")
		g.Set(entry, []graph.Edge{{From: entry, To: target}, {From: at(graph.BackupBucket, "", "bucket-"+seed), To: entry}})
		g.Set(at(graph.Project, "", seed), []graph.Edge{{From: at(graph.Project, "", seed), To: at(graph.Namespace, "", project)}})
		managed := at(graph.ManagedSeed, project, "managed")
		g.Set(managed, []graph.Edge{
			{From: managed, To: shoot}, {From: at(graph.BootstrapToken, "", "token"+seed), To: managed},
			{From: at(graph.ServiceAccount, "garden", "gardenlet-bootstrap-"+seed), To: managed},
			{From: at(graph.ClusterRoleBinding, "", "binding-"+seed), To: managed},
		})
	}
	return g
}

// expectation is what the gardenlet of seed a may do with objects that belong to seed a. The same objects of seed b differ in
// namespace or name only, and the verbs in shared are the only ones that it may use on them.
type expectation struct {
	group, resource, subresource string
	namespace, name              string // %s is the seed
	verbs                        string // of own objects
	shared                       string // of objects of others, too
}

var expectations = []expectation{
	{"", "secrets", "", "garden-%", "cloud", "get list watch", ""},
	{"", "secrets", "", "garden", "backup-%", "get list watch", ""},
	{"", "secrets", "", "seed-%", "internal-domain", "get list watch", ""},
	{"", "secrets", "", "seed-%", "", "list watch", ""},
	{"", "secrets", "", "garden-%", "shoot.kubeconfig", "create get list watch update patch delete", ""},
	{"", "secrets", "", "garden-%", "shoot.ssh-keypair.old", "create get list watch update patch delete", ""},
	{"", "secrets", "", "garden-%", "shoot.something", "", ""},
	{"", "secrets", "", "garden", "generated-bucket-bucket-%", "create get list watch update patch delete", ""},
	{"", "secrets", "", "garden", "unrelated-%", "", ""},
	{"", "secrets", "", "garden-%", "", "create", ""},
	{"", "secrets", "", "", "", "", ""},
	{"", "configmaps", "", "garden-%", "audit", "get list watch", ""},
	{"", "configmaps", "", "garden-%", "shoot.ca-cluster", "create get list watch update patch delete", ""},
	{"", "configmaps", "", "kube-system", "cluster-identity", "get list watch", "get list watch"},
	{"", "configmaps", "", "kube-system", "extension-apiserver-authentication", "", ""},
	{"", "serviceaccounts", "", "seed-%", "extension", "create get list watch update patch delete", ""},
	{"", "serviceaccounts", "token", "seed-%", "extension", "create", ""},
	{"", "serviceaccounts", "token", "garden-%", "robot", "", ""},
	{"", "namespaces", "", "", "garden-%", "create get list watch", "create"},
	{"", "namespaces", "", "garden-%", "garden-%", "create get list watch", "create"}, // as API servers ask
	{"", "namespaces", "", "", "kube-system", "create", "create"},
	{"", "events", "", "garden-%", "", "create", ""},
	{"", "events", "", "garden-%", "event", "create update patch", ""},
	{"events.k8s.io", "events", "", "garden-%", "event", "create update patch", ""},
	{"", "pods", "", "garden-%", "pod", "", ""},
	{"coordination.k8s.io", "leases", "", "gardener-system-seed-lease", "%", "create get list watch update patch", ""},
	{"coordination.k8s.io", "leases", "", "gardener-system-seed-lease", "", "create", "create"},
	{"coordination.k8s.io", "leases", "", "kube-system", "%", "", ""},
	{"certificates.k8s.io", "certificatesigningrequests", "", "", "csr-%", "create get list watch", "create"},
	{"certificates.k8s.io", "certificatesigningrequests", "", "", "", "create", "create"},
	{"certificates.k8s.io", "certificatesigningrequests", "approval", "", "csr-%", "", ""},
	{"certificates.k8s.io", "certificatesigningrequests", "seedclient", "", "", "create", "create"},
	{"core.gardener.cloud", "seeds", "", "", "%", "create get list watch update patch delete", "create get list watch"},
	{"core.gardener.cloud", "seeds", "status", "", "%", "get update patch", ""},
	{"core.gardener.cloud", "seeds", "", "", "", "create list watch", "create list watch"},
	{"core.gardener.cloud", "shoots", "", "garden-%", "shoot", "get list watch update patch", "get list watch"},
	{"core.gardener.cloud", "shoots", "status", "garden-%", "shoot", "get update patch", ""},
	{"core.gardener.cloud", "shoots", "binding", "garden-%", "shoot", "", ""},
	{"core.gardener.cloud", "shoots", "adminkubeconfig", "garden-%", "shoot", "", ""},
	{"core.gardener.cloud", "shootstates", "", "garden-%", "shoot", "create get update patch delete", ""},
	{"core.gardener.cloud", "shootstates", "", "garden-%", "", "create", ""},
	{"core.gardener.cloud", "internalsecrets", "", "garden-%", "shoot.ca-client", "create get update patch delete", ""},
	{"core.gardener.cloud", "internalsecrets", "", "garden-%", "internal", "get", ""},
	{"core.gardener.cloud", "backupbuckets", "", "", "bucket-%", "create get list watch update patch delete", "create list watch"},
	{"core.gardener.cloud", "backupbuckets", "status", "", "bucket-%", "get update patch", ""},
	{"core.gardener.cloud", "backupbuckets", "", "", "gone", "create list watch patch delete", "create list watch patch delete"},
	{"core.gardener.cloud", "backupentries", "", "garden-%", "entry", "create get list watch update patch delete", "list watch"},
	{"core.gardener.cloud", "backupentries", "status", "garden-%", "entry", "get update patch", ""},
	{"core.gardener.cloud", "backupentries", "", "garden-%", "new", "create list watch patch", "create list watch patch"},
	{"core.gardener.cloud", "controllerinstallations", "", "", "installation-%", "get list watch update patch", "list watch"},
	{"core.gardener.cloud", "controllerinstallations", "status", "", "installation-%", "get update patch", ""},
	{"core.gardener.cloud", "controllerregistrations", "", "", "x", "get list watch", "get list watch"},
	{"core.gardener.cloud", "controllerdeployments", "", "", "x", "get list watch", "get list watch"},
	{"core.gardener.cloud", "projects", "", "", "%", "get list watch", ""},
	{"core.gardener.cloud", "cloudprofiles", "", "", "profile-%", "get list watch", ""},
	{"core.gardener.cloud", "secretbindings", "", "garden-%", "binding", "get list watch", ""},
	{"core.gardener.cloud", "quotas", "", "garden-%", "quota", "", ""},
	{"seedmanagement.gardener.cloud", "managedseeds", "", "garden-%", "managed", "get list watch update patch", "list watch"},
	{"seedmanagement.gardener.cloud", "managedseeds", "status", "garden-%", "managed", "get update patch", ""},
	{"seedmanagement.gardener.cloud", "gardenlets", "", "garden", "%", "get list watch update patch", ""},
	{"seedmanagement.gardener.cloud", "gardenlets", "status", "garden", "%", "get update patch", ""},
	{"operations.gardener.cloud", "bastions", "", "garden-%", "bastion", "get list watch update patch", "list watch"},
	{"operations.gardener.cloud", "bastions", "status", "garden-%", "bastion", "get update patch", ""},
	{"security.gardener.cloud", "workloadidentities", "", "garden-%", "identity", "get list watch", ""},
	{"security.gardener.cloud", "workloadidentities", "token", "garden-%", "identity", "create", ""},
	{"", "secrets", "", "kube-system", "bootstrap-token-token%", "create get list watch update patch delete", ""},
	{"", "secrets", "", "kube-system", "", "create", "create"},
	{"", "secrets", "", "garden", "bootstrap-token-token%", "", ""},
	{"", "serviceaccounts", "", "garden", "gardenlet-bootstrap-%", "create get list watch update patch delete", ""},
	{"", "serviceaccounts", "token", "garden", "gardenlet-bootstrap-%", "create", ""},
	{"", "serviceaccounts", "", "garden", "", "create", "create"},
	{"", "serviceaccounts", "", "garden", "robot", "", ""},
	{"rbac.authorization.k8s.io", "clusterrolebindings", "", "", "binding-%", "create get update patch delete", ""},
	{"rbac.authorization.k8s.io", "clusterrolebindings", "", "", "", "create", "create"},
	{"rbac.authorization.k8s.io", "clusterrolebindings", "", "", "x", "", ""},
	{"rbac.authorization.k8s.io", "clusterroles", "", "", "gardener.cloud:system:seed-bootstrapper", "bind", "bind"},
	{"rbac.authorization.k8s.io", "clusterroles", "", "", "cluster-admin", "", ""},
	{"unknown.example.org", "things", "", "garden-%", "x", "", ""},
}

var verbs = []string{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate", "approve"}

func TestRules(t *testing.T) {
	g := landscape()
	for _, e := range expectations {
		e := e
		t.Run("GAC-9 "+e.resource+" "+e.subresource+" "+e.namespace+" "+e.name, func(t *testing.T) {
			for seed, allowed := range map[string]string{"a": e.verbs, "b": e.shared} {
				if !hasSeed(e) {
					allowed = e.verbs
				}
				for _, verb := range verbs {
					if e.name == "" && contains("get update patch delete", verb) {
						continue // such requests have names
					}
					q := Question{Seed: "a", Verb: verb, Group: e.group, Resource: e.resource, Subresource: e.subresource, Namespace: of(e.namespace, seed), Name: of(e.name, seed)}
					if got := decide(Rules(), g, q) == yes; got != contains(allowed, verb) {
						t.Errorf("the gardenlet of seed a may %s %s of seed %s: %t", verb, of(e.namespace, seed)+"/"+of(e.name, seed), seed, got)
					}
				}
			}
		})
	}
}

// TestTakenShoot lets seed a take a shoot whose backups seed b has.
func TestTakenShoot(t *testing.T) {
	g := landscape()
	shoot, entry, bucket := at(graph.Shoot, "garden-b", "taken"), at(graph.BackupEntry, "garden-b", "taken-entry"), at(graph.BackupBucket, "", "bucket-b")
	credentials := at(graph.Secret, "garden", "backup-b")
	a, b := at(graph.Seed, "", "a"), at(graph.Seed, "", "b")
	g.Set(bucket, []graph.Edge{{From: bucket, To: b}, {From: credentials, To: bucket}})
	may := func(verb string, v graph.Vertex, group, resource, subresource string) bool {
		return decide(Rules(), g, Question{Seed: "a", Verb: verb, Group: group, Resource: resource, Subresource: subresource, Namespace: v.Namespace, Name: v.Name}) == yes
	}
	const group = "core.gardener.cloud"
	for _, step := range []struct {
		name         string
		shoot, entry []graph.Edge
		may          bool
	}{
		{"GAC-9 MIG-15 a shoot that is to come opens no backups", []graph.Edge{{From: shoot, To: a}, {From: shoot, To: b}}, []graph.Edge{{From: entry, To: b}, {From: bucket, To: entry}}, false},
		{"GAC-9 MIG-15 a shoot that has come does", []graph.Edge{{From: shoot, To: a}, {From: entry, To: shoot}}, []graph.Edge{{From: entry, To: b}, {From: bucket, To: entry}}, true},
		{"GAC-9 MIG-15 a shoot that has left does not", []graph.Edge{{From: shoot, To: b}, {From: entry, To: shoot}}, []graph.Edge{{From: entry, To: b}, {From: bucket, To: entry}}, false},
	} {
		t.Run(step.name, func(t *testing.T) {
			g.Set(shoot, step.shoot)
			g.Set(entry, step.entry)
			for what, got := range map[string]bool{
				"read the entry": may("get", entry, group, "backupentries", ""), "change the entry": may("patch", entry, group, "backupentries", ""),
				"change its status": may("patch", entry, group, "backupentries", "status"), "read the bucket": may("get", bucket, group, "backupbuckets", ""),
				"read the credentials": may("get", credentials, "", "secrets", ""),
			} {
				if got != step.may {
					t.Errorf("the gardenlet may %s: %t", what, got)
				}
			}
			for what, got := range map[string]bool{
				"change the bucket": may("patch", bucket, group, "backupbuckets", ""), "delete the bucket": may("delete", bucket, group, "backupbuckets", ""),
				"change the credentials": may("patch", credentials, "", "secrets", ""),
				"read another entry":     may("get", at(graph.BackupEntry, "garden-b", "entry"), group, "backupentries", ""),
			} {
				if got {
					t.Errorf("the gardenlet may %s", what)
				}
			}
		})
	}
}

func TestEachResourceHasAnExpectation(t *testing.T) {
	for resource, rule := range Rules() {
		names := []string{""}
		for subresource := range rule.Subresources {
			names = append(names, subresource)
		}
		for _, subresource := range names {
			found := false
			for _, e := range expectations {
				found = found || e.group == resource.Group && e.resource == resource.Resource && e.subresource == subresource
			}
			if !found && resource.Resource != "namespacedcloudprofiles" && resource.Resource != "exposureclasses" && resource.Resource != "credentialsbindings" {
				t.Errorf("%s %s has no expectation", resource, subresource)
			}
		}
	}
}

func TestReview(t *testing.T) {
	a := New(landscape())
	ask := func(user string, groups ...string) authorizationv1.SubjectAccessReviewStatus {
		return a.Review(t.Context(), &authorizationv1.SubjectAccessReviewSpec{User: user, Groups: groups, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "get", Resource: "secrets", Namespace: "garden-a", Name: "cloud",
		}})
	}
	const seeds = "gardener.cloud:system:seeds"
	for name, tc := range map[string]struct {
		status  authorizationv1.SubjectAccessReviewStatus
		allowed bool
	}{
		"GAC-8 the gardenlet may":                               {ask("gardener.cloud:system:seed:a", seeds, "system:authenticated"), true},
		"GAC-8 the gardenlet of another seed may not":           {ask("gardener.cloud:system:seed:b", seeds), false},
		"GAC-9 there is no opinion on a user without the group": {ask("gardener.cloud:system:seed:a"), false},
		"GAC-9 there is no opinion on another user":             {ask("alice", seeds), false},
		"GAC-9 there is no opinion on a seed without a name":    {ask("gardener.cloud:system:seed:", seeds), false},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.status.Allowed != tc.allowed || tc.status.Denied {
				t.Errorf("%+v", tc.status)
			}
		})
	}
	t.Run("GAC-9 requests outside of resources are not ours", func(t *testing.T) {
		status := a.Review(t.Context(), &authorizationv1.SubjectAccessReviewSpec{
			User: "gardener.cloud:system:seed:a", Groups: []string{seeds}, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"},
		})
		if status.Allowed || status.Denied {
			t.Errorf("%+v", status)
		}
	})
}

func TestRefusalsWait(t *testing.T) {
	question := Question{Seed: "a", Verb: "get", Resource: "secrets", Namespace: "garden-a", Name: "late"}
	t.Run("GAC-8 a request that is faster than the graph waits for it", func(t *testing.T) {
		g := landscape()
		a := New(g)
		answered := make(chan bool)
		go func() { answered <- a.Allowed(t.Context(), question) }()
		testwait.Until(t, "the request waits", func() error {
			a.seats.mu.Lock()
			defer a.seats.mu.Unlock()
			if a.seats.taken["a"] == 0 {
				return errors.New("it has no seat")
			}
			return nil
		})
		g.Set(at(graph.Bastion, "x", "unrelated"), []graph.Edge{{From: at(graph.Bastion, "x", "unrelated"), To: at(graph.Seed, "", "b")}})
		late := at(graph.SecretBinding, "garden-a", "binding")
		g.Set(late, []graph.Edge{{From: at(graph.Secret, "garden-a", "late"), To: late}})
		if !<-answered {
			t.Error("it was refused")
		}
	})
	t.Run("GAC-8 refusals do not wait without limit", func(t *testing.T) {
		a := New(landscape())
		for range waiting {
			if _, ok := a.seats.take("a"); !ok {
				t.Fatal("there are fewer seats")
			}
		}
		if a.Allowed(t.Context(), question) {
			t.Error("it was allowed")
		}
		if _, ok := a.seats.take("a"); ok {
			t.Error("there are more seats")
		}
	})
	t.Run("GAC-8 a gardenlet out of control takes no seat of another seed", func(t *testing.T) {
		a := New(landscape())
		var leave []func()
		for range 2 * waiting {
			if one, ok := a.seats.take("b"); ok {
				leave = append(leave, one)
			}
		}
		one, ok := a.seats.take("a")
		if !ok {
			t.Fatal("seed a has no seat")
		}
		for _, leave := range append(leave, one) {
			leave()
		}
		if len(a.seats.taken) > 0 {
			t.Errorf("seats are taken for good: %v", a.seats.taken)
		}
	})
	t.Run("GAC-8 a refusal ends with its request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if New(landscape()).Allowed(ctx, question) {
			t.Error("it was allowed")
		}
	})
}

func hasSeed(e expectation) bool {
	return of(e.namespace, "a") != e.namespace || of(e.name, "a") != e.name
}
