package seedauthorizer

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// Rule says what gardenlets may do with objects of one resource. Everything that it does not name is refused.
type Rule struct {
	Always []string // verbs for all objects
	Needed []string // verbs for objects that the seed needs
	Own    []string // further verbs for objects that exist for the seed alone
	// Absent are verbs that are also allowed for objects that do not exist, because a gardenlet applies and deletes objects without
	// reading them first. If the object appears in the meantime and belongs to another seed, package seedrestriction refuses both.
	Absent []string
	// Subresources have rules of their own. They relate objects as the resource does.
	Subresources map[string]Rule

	relate  relate     // objects with a name, and lists
	unnamed relate     // creations without a name; package seedrestriction looks at the objects
	kind    graph.Kind // of Absent
}

var (
	get    = []string{"get"}
	read   = []string{"get", "list", "watch"} // a list of one object names it
	create = []string{"create"}
	change = []string{"update", "patch"}
)

// status lets a gardenlet write the status of its objects.
func status() map[string]Rule {
	return map[string]Rule{"status": {Own: slices.Concat(get, change)}}
}

func with(verbs []string, more ...string) []string { return slices.Concat(verbs, more) }

// kept are the rules for objects that gardenlets read when they belong to a shoot or seed, and never write.
func kept(kind graph.Kind) Rule { return Rule{Needed: read, relate: vertex(kind)} }

// Rules returns the rules by resource.
func Rules() map[schema.GroupResource]Rule {
	rules := map[schema.GroupResource]Rule{}
	add := func(group string, more map[string]Rule) {
		for resource, rule := range more {
			rules[schema.GroupResource{Group: group, Resource: resource}] = rule
		}
	}
	add("", kubernetesRules())
	add("events.k8s.io", map[string]Rule{"events": {Own: with(change, "create"), relate: events, unnamed: events}})
	add("coordination.k8s.io", map[string]Rule{"leases": {Needed: read, Own: with(change, "create"), relate: heartbeat, unnamed: heartbeats}})
	add("certificates.k8s.io", map[string]Rule{"certificatesigningrequests": {
		Always: create, Needed: read, relate: vertex(graph.CertificateSigningRequest),
		Subresources: map[string]Rule{"seedclient": {Always: create}}, // is asked for before a request is approved
	}})
	add("rbac.authorization.k8s.io", map[string]Rule{
		"clusterrolebindings": {Own: with(change, "get", "create", "delete"), relate: related(graph.ClusterRoleBinding), unnamed: inside("")},
		"clusterroles":        {Needed: []string{"bind"}, relate: only("", bootstraptoken.Role)}, // in these bindings
	})
	add(gardencorev1beta1.GroupName, coreRules())
	add(seedmanagementv1alpha1.SchemeGroupVersion.Group, map[string]Rule{
		"managedseeds": {Always: []string{"list", "watch"}, Needed: get, Own: change, Subresources: status(), relate: related(graph.ManagedSeed)},
		"gardenlets":   {Needed: read, Own: change, Subresources: status(), relate: vertex(graph.Gardenlet)},
	})
	add(operationsv1alpha1.SchemeGroupVersion.Group, map[string]Rule{
		"bastions": {Always: []string{"list", "watch"}, Needed: get, Own: change, Subresources: status(), relate: vertex(graph.Bastion)},
	})
	add(securityv1alpha1.SchemeGroupVersion.Group, map[string]Rule{
		"credentialsbindings": kept(graph.CredentialsBinding),
		"workloadidentities": {
			Needed: read, Subresources: map[string]Rule{"token": {Needed: create}}, relate: vertex(graph.WorkloadIdentity),
		},
	})
	return rules
}

func kubernetesRules() map[string]Rule {
	return map[string]Rule{
		"events":     {Own: with(change, "create"), relate: events, unnamed: events},
		"namespaces": {Always: create, Needed: read, relate: namespace}, // that of the leases, see package seedrestriction
		"configmaps": {Needed: read, Own: with(change, "create", "delete"), relate: closest(
			vertex(graph.ConfigMap), only("kube-system", constants.ClusterIdentity),
			artefact(constants.ShootProjectConfigMapSuffixCACluster, constants.ShootProjectConfigMapSuffixCAKubelet)), unnamed: inProject},
		"secrets": {Needed: read, Own: with(change, "create", "delete"), relate: closest(
			readOnly(closest(vertex(graph.Secret), seedNamespace)), generated, artefact(
				constants.ShootProjectSecretSuffixKubeconfig, constants.ShootProjectSecretSuffixCACluster,
				constants.ShootProjectSecretSuffixSSHKeypair, constants.ShootProjectSecretSuffixOldSSHKeypair,
				constants.ShootProjectSecretSuffixMonitoring), bootstrapToken), unnamed: closest(inProject, inside(metav1.NamespaceSystem))},
		"serviceaccounts": { // of extensions, and those with which gardenlets of ManagedSeeds begin
			Needed: read, Own: with(change, "create", "delete"), relate: closest(seedNamespace, related(graph.ServiceAccount)),
			unnamed: closest(seedNamespace, inside(constants.GardenNamespace)), Subresources: map[string]Rule{"token": {Own: create}},
		},
	}
}

func coreRules() map[string]Rule {
	lists := []string{"list", "watch"}
	return map[string]Rule{
		"seeds":       {Always: with(read, "create"), Own: with(change, "delete"), Subresources: status(), relate: sameName},
		"shoots":      {Always: read, Own: change, Subresources: status(), relate: vertex(graph.Shoot)},
		"shootstates": {Own: with(change, "get", "create", "delete"), relate: shootNamed, unnamed: inProject},
		"internalsecrets": {Needed: get, Own: with(change, "create", "delete"), relate: closest(
			readOnly(vertex(graph.InternalSecret)), artefact(constants.ShootProjectSecretSuffixCAClient)), unnamed: inProject},
		"backupbuckets": {
			Always: with(lists, "create"), Needed: get, Own: with(change, "delete"), Absent: []string{"patch", "delete"},
			Subresources: status(), relate: vertex(graph.BackupBucket), kind: graph.BackupBucket,
		},
		"backupentries": {
			Always: lists, Needed: get, Own: with(change, "create", "delete"), Absent: []string{"patch", "create"},
			Subresources: status(), relate: related(graph.BackupEntry), unnamed: inProject, kind: graph.BackupEntry,
		},
		"controllerinstallations": {
			Always: lists, Needed: get, Own: change, Subresources: status(), relate: vertex(graph.ControllerInstallation),
		},
		"controllerregistrations": {Always: read}, // say what runs in all seeds
		"controllerdeployments":   {Always: read},
		"projects":                kept(graph.Project),
		"cloudprofiles":           kept(graph.CloudProfile),
		"namespacedcloudprofiles": kept(graph.NamespacedCloudProfile),
		"exposureclasses":         kept(graph.ExposureClass),
		"secretbindings":          kept(graph.SecretBinding),
	}
}

// readOnly keeps a gardenlet from writing what others give it.
func readOnly(r relate) relate {
	return func(g *graph.Graph, seed string, o object) relation { return min(r(g, seed, o), needed) }
}
