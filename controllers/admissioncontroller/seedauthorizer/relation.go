package seedauthorizer

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// relation says how an object is related to a seed. Each relation includes the ones before.
type relation int

const (
	foreign relation = iota // nothing leads from the object to the seed
	needed                  // the seed needs the object
	own                     // the object exists for the seed alone
)

// object is what a request is about. Name is empty for requests about many objects, and for creations without a name.
type object struct{ namespace, name string }

// relate finds the relation of an object to a seed.
type relate func(g *graph.Graph, seed string, o object) relation

// vertex relates objects of a kind in the graph. The seed owns the objects that lead to it directly.
func vertex(kind graph.Kind) relate {
	return func(g *graph.Graph, seed string, o object) relation {
		v := graph.Vertex{Kind: kind, Namespace: o.namespace, Name: o.name}
		switch {
		case o.name == "":
			return foreign
		case g.Belongs(v, seed):
			return own
		case g.Leads(v, seed):
			return needed
		}
		return foreign
	}
}

// namespace relates Namespaces. API servers ask about them with their name as the namespace, too.
func namespace(g *graph.Graph, seed string, o object) relation {
	o.namespace = ""
	return vertex(graph.Namespace)(g, seed, o)
}

// related makes every object that the seed needs its own.
func related(kind graph.Kind) relate {
	return func(g *graph.Graph, seed string, o object) relation {
		if vertex(kind)(g, seed, o) == foreign {
			return foreign
		}
		return own
	}
}

// sameName relates cluster-wide objects with the name of the seed.
func sameName(_ *graph.Graph, seed string, o object) relation {
	if o.name == seed {
		return own
	}
	return foreign
}

// heartbeat relates the lease of the seed.
func heartbeat(_ *graph.Graph, seed string, o object) relation {
	if o.namespace == constants.GardenerSeedLeaseNamespace && o.name == seed {
		return own
	}
	return foreign
}

// heartbeats relates leases that have no name yet.
func heartbeats(_ *graph.Graph, _ string, o object) relation {
	if o.namespace == constants.GardenerSeedLeaseNamespace {
		return own
	}
	return foreign
}

// seedNamespace relates all objects in the namespace of the seed.
func seedNamespace(_ *graph.Graph, seed string, o object) relation {
	if o.namespace == constants.SeedNamespaceNamePrefix+seed {
		return own
	}
	return foreign
}

// inside relates all objects in a namespace. Package seedrestriction looks at them.
func inside(namespace string) relate {
	return func(_ *graph.Graph, _ string, o object) relation {
		if o.namespace == namespace {
			return own
		}
		return foreign
	}
}

// bootstrapToken relates the tokens with which gardenlets of ManagedSeeds begin.
func bootstrapToken(g *graph.Graph, seed string, o object) relation {
	if id, found := strings.CutPrefix(o.name, bootstraptoken.SecretName("")); found && o.namespace == metav1.NamespaceSystem {
		return related(graph.BootstrapToken)(g, seed, object{name: id})
	}
	return foreign
}

// shootNamed relates objects that have the name of their shoot.
func shootNamed(g *graph.Graph, seed string, o object) relation {
	if g.Belongs(graph.Vertex{Kind: graph.Shoot, Namespace: o.namespace, Name: o.name}, seed) {
		return own
	}
	return foreign
}

// artefact relates objects named <shoot>.<suffix>, which the gardenlet writes beside the shoot. Names of shoots have no dots.
func artefact(suffixes ...string) relate {
	return func(g *graph.Graph, seed string, o object) relation {
		shoot, suffix, found := strings.Cut(o.name, ".")
		if !found {
			return foreign
		}
		for _, known := range suffixes {
			if suffix == known && g.Belongs(graph.Vertex{Kind: graph.Shoot, Namespace: o.namespace, Name: shoot}, seed) {
				return own
			}
		}
		return foreign
	}
}

// inNamespace relates all objects in namespaces with objects of the seed.
func inNamespace(g *graph.Graph, seed string, o object) relation {
	if g.Leads(graph.Vertex{Kind: graph.Namespace, Name: o.namespace}, seed) {
		return own
	}
	return foreign
}

// inProject does so for namespaces of projects.
func inProject(g *graph.Graph, seed string, o object) relation {
	if seedNamespace(g, seed, o) == own {
		return foreign
	}
	return inNamespace(g, seed, o)
}

// generated relates the credentials that the seed's extension made for its bucket.
func generated(g *graph.Graph, seed string, o object) relation {
	bucket, found := strings.CutPrefix(o.name, constants.SecretPrefixGeneratedBackupBucket)
	if found && o.namespace == constants.GardenNamespace && g.Belongs(graph.Vertex{Kind: graph.BackupBucket, Name: bucket}, seed) {
		return own
	}
	return foreign
}

// events are in the namespace of their object, and in default for objects without namespaces. Package seedrestriction looks
// at their objects.
func events(g *graph.Graph, seed string, o object) relation {
	if o.namespace == "default" || seedNamespace(g, seed, o) == own {
		return own
	}
	return inNamespace(g, seed, o)
}

// only relates one object that all seeds need.
func only(namespace, name string) relate {
	return func(_ *graph.Graph, _ string, o object) relation {
		if o == (object{namespace, name}) {
			return needed
		}
		return foreign
	}
}

// closest is the closest of several relations.
func closest(all ...relate) relate {
	return func(g *graph.Graph, seed string, o object) relation {
		found := foreign
		for _, one := range all {
			if found = max(found, one(g, seed, o)); found == own {
				break
			}
		}
		return found
	}
}
