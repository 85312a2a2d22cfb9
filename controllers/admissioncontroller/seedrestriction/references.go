package seedrestriction

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// foreign refuses writes to objects of other seeds. The authorizer lets gardenlets apply and delete objects that it does not
// know, and they may appear in between.
func (r request) foreign(old client.Object) string {
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
		if before[edge] {
			continue
		}
		reason, err := r.reference(ctx, v, edge)
		if err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
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
	case r.graph.Leads(edge.From, r.seed):
		return "", nil // nothing new
	case v.Kind == graph.Seed && edge.From.Kind == graph.Secret:
		return r.credentials(ctx, edge.From)
	}
	return fmt.Sprintf("may not refer to %s in %s: nothing connects it with the seed yet", edge.From, v), nil
}

// credentials decides on a Secret that the Seed begins to refer to. A gardenlet registers its Seed with credentials that an
// operator made for it. They must not be those of another seed, unless they are shared.
func (r request) credentials(ctx context.Context, v graph.Vertex) (string, error) {
	refused := fmt.Sprintf("may not refer to %s", v)
	if v.Namespace != constants.GardenNamespace || strings.HasPrefix(v.Name, constants.SecretPrefixGeneratedBackupBucket) {
		return refused + ": only Secrets in namespace " + constants.GardenNamespace + " that operators made may be referred to", nil
	}
	secret := &corev1.Secret{}
	err := r.reader.Get(ctx, client.ObjectKey{Namespace: v.Namespace, Name: v.Name}, secret)
	if apierrors.IsNotFound(err) {
		return "", nil // the Gardener API refuses references to Secrets that do not exist
	}
	if err != nil {
		return "", fmt.Errorf("read secret %q: %w", v.Namespace+"/"+v.Name, err)
	}
	switch {
	case secret.Labels[constants.LabelSeedShared] == "true":
		return "", nil
	case secret.Type != "" && secret.Type != corev1.SecretTypeOpaque:
		return refused + fmt.Sprintf(": it is of type %q", secret.Type), nil
	case secret.Labels[constants.GardenRole] != "":
		return refused + fmt.Sprintf(": it has the label %s and not the label %s=true", constants.GardenRole, constants.LabelSeedShared), nil
	}
	if seeds := r.graph.Seeds(v); len(seeds) > 0 {
		return refused + fmt.Sprintf(": seed %q uses it, and it does not have the label %s=true", seeds[0], constants.LabelSeedShared), nil
	}
	return "", nil
}
