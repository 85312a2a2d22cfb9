package seedrestriction

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// given decides on an object that the Seed begins to refer to, and that its gardenlet can read from then on. Operators have to have given
// the object to the seed: by a mark on a Secret, or by the ManagedSeed or Gardenlet of the seed. A gardenlet can write neither.
func (r request) given(ctx context.Context, v graph.Vertex) (string, error) {
	named, err := r.named(ctx, v)
	if err != nil || named {
		return "", err
	}
	if v.Kind != graph.Secret || v.Namespace != constants.GardenNamespace || strings.HasPrefix(v.Name, constants.SecretPrefixGeneratedBackupBucket) {
		return fmt.Sprintf("may not refer to %s: only Secrets in namespace %s that operators made may be referred to", v, constants.GardenNamespace), nil
	}
	secret := &corev1.Secret{}
	err = r.reader.Get(ctx, client.ObjectKey{Namespace: v.Namespace, Name: v.Name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read secret %q: %w", v.Namespace+"/"+v.Name, err)
	}
	if err != nil {
		return fmt.Sprintf("may not refer to %s: it does not exist", v), nil
	}
	if marked(secret, r.seed) {
		return "", nil
	}
	return fmt.Sprintf("may not refer to %s: operators have not given it to the seed. It needs the annotation %s: %s, or the label %s=true for all seeds, "+
		"or the ManagedSeed or Gardenlet %q has to name it", v, constants.AnnotationSeedNames, r.seed, constants.LabelSeedShared, r.seed), nil
}

// marked tells whether operators have marked a Secret for the seed, or for all.
func marked(secret *corev1.Secret, seed string) bool {
	if secret.Labels[constants.LabelSeedShared] == "true" {
		return true
	}
	return slices.ContainsFunc(strings.Split(secret.Annotations[constants.AnnotationSeedNames], ","), func(name string) bool {
		return strings.TrimSpace(name) == seed
	})
}

// named tells whether the ManagedSeed or the Gardenlet of the seed names an object for it.
func (r request) named(ctx context.Context, v graph.Vertex) (bool, error) {
	for _, kept := range []client.Object{&seedmanagementv1alpha1.ManagedSeed{}, &seedmanagementv1alpha1.Gardenlet{}} {
		err := r.reader.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: r.seed}, kept)
		if client.IgnoreNotFound(err) != nil {
			return false, fmt.Errorf("read %T %q: %w", kept, r.seed, err)
		}
		if err == nil && slices.Contains(referred(kept), v) {
			return true, nil
		}
	}
	return false, nil
}

// referred are the objects that the Seed in a ManagedSeed or in a Gardenlet refers to; none for other kinds. A configuration that cannot be
// read names none.
func referred(object client.Object) []graph.Vertex {
	var config *runtime.RawExtension
	template := &gardencorev1beta1.SeedTemplate{}
	switch o := object.(type) {
	case *seedmanagementv1alpha1.ManagedSeed:
		if o.Spec.SeedTemplate != nil {
			template = o.Spec.SeedTemplate
		}
		if o.Spec.Gardenlet != nil {
			config = o.Spec.Gardenlet.Config
		}
	case *seedmanagementv1alpha1.Gardenlet:
		config = o.Spec.Config
	}
	if config != nil {
		gardenlet := struct {
			SeedConfig *gardencorev1beta1.SeedTemplate `json:"seedConfig"`
		}{template}
		if json.Unmarshal(config.Raw, &gardenlet) != nil || gardenlet.SeedConfig == nil {
			return nil
		}
		template = gardenlet.SeedConfig
	}
	seed := &gardencorev1beta1.Seed{Spec: template.Spec}
	seed.Name = object.GetName()
	v, edges := dependency.Of(seed)
	var out []graph.Vertex
	for _, edge := range edges {
		if edge.To == v && edge.From.Kind != graph.Namespace {
			out = append(out, edge.From)
		}
	}
	return out
}

// names refuses changes by which a ManagedSeed or a Gardenlet names more for its seed.
func (r request) names(object, old client.Object) string {
	before := referred(old)
	for _, v := range referred(object) {
		if !slices.Contains(before, v) {
			return fmt.Sprintf("may not name %s in %s %q: only operators give objects to seeds", v, r.Kind.Kind, object.GetName())
		}
	}
	return ""
}
