package seedrestriction

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// foreign refuses writes to objects of other seeds. The authorizer lets gardenlets apply and delete objects that it does not
// know, and they may appear in between.
func (r request) foreign(ctx context.Context, old client.Object) string {
	if old == nil {
		return ""
	}
	v, edges := dependency.Of(old)
	if v.Kind != graph.BackupBucket && v.Kind != graph.BackupEntry {
		return ""
	}
	for _, edge := range edges {
		if edge.From == v && edge.To == (graph.Vertex{Kind: graph.Seed, Name: r.seed}) {
			return ""
		}
	}
	if v.Kind == graph.BackupEntry && r.wait(ctx, func() bool { return r.graph.Serves(v, graph.Shoot, r.seed) }) {
		return "" // its Shoot has come here without the other seed's help
	}
	return fmt.Sprintf("may not write %s: it belongs to another seed", v)
}

// references refuses edges that open another object to the seed, or an object of the seed to another seed.
func (r request) references(ctx context.Context, object, old client.Object) (string, error) {
	before := map[graph.Edge]bool{}
	if old != nil {
		_, edges := dependency.Of(old)
		for _, edge := range edges {
			before[edge] = true
		}
	}
	v, edges := dependency.Of(object)
	if v.Kind == graph.CertificateSigningRequest {
		return "", nil // its edges come from the requester and from what is requested, which newRequest looks at
	}
	for _, edge := range edges {
		if before[edge] || r.handsOver(object, edge) {
			continue
		}
		reason, err := r.reference(ctx, v, edge)
		if err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
}

// handsOver reports whether the edge gives the backups of a shoot to the seed that its control plane moves to. As long as it moves,
// the shoot belongs to both seeds.
func (r request) handsOver(object client.Object, edge graph.Edge) bool {
	entry, ok := object.(*gardencorev1beta1.BackupEntry)
	if !ok || edge.From.Kind != graph.BackupEntry || edge.To.Kind != graph.Seed {
		return false
	}
	for _, owner := range entry.OwnerReferences {
		shoot := graph.Vertex{Kind: graph.Shoot, Namespace: entry.Namespace, Name: owner.Name}
		if owner.Kind == "Shoot" && r.graph.Belongs(shoot, r.seed) && r.graph.Belongs(shoot, edge.To.Name) {
			return true
		}
	}
	return false
}

func (r request) reference(ctx context.Context, v graph.Vertex, edge graph.Edge) (string, error) {
	switch {
	case edge.From == v && edge.To.Kind == graph.Seed:
		if edge.To.Name != r.seed {
			return fmt.Sprintf("may not give %s to seed %q", v, edge.To.Name), nil
		}
		return "", nil // it may write the object already
	case edge.From.Kind == graph.Namespace || edge.From.Kind == graph.BackupBucket && v.Kind == graph.Seed,
		edge.From.Name == constants.SecretPrefixGeneratedBackupBucket+v.Name && v.Kind == graph.BackupBucket:
		return "", nil // follow from the name or the UID of the object
	case edge.From.Kind == graph.BackupEntry && v.Kind == graph.Shoot:
		return "", nil // ends with the UID of the Shoot
	case r.graph.Leads(edge.From, r.seed):
		return "", nil // nothing new
	case v.Kind == graph.Seed:
		return r.given(ctx, edge.From)
	}
	return fmt.Sprintf("may not refer to %s in %s: nothing connects it with the seed yet", edge.From, v), nil
}
