package departure

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Stage is how much of a shoot a seed must give up.
type Stage int

// Stages of a departure.
const (
	Here     Stage = iota // the seed has the shoot, or is to have it
	Taken                 // another seed has taken the shoot, and may still need the final snapshot
	Restored              // the shoot runs on another seed
)

// StageOf returns the stage for a seed.
func StageOf(shoot *gardencorev1beta1.Shoot, seed string) Stage {
	wanted, held := ptr.Deref(shoot.Spec.SeedName, ""), ptr.Deref(shoot.Status.SeedName, "")
	switch {
	case wanted == "", wanted == seed, held == seed:
		return Here
	case held != wanted, helper.Migrates(shoot):
		return Taken
	}
	return Restored
}

// origin is the Shoot that a Cluster in the seed was made for.
type origin struct {
	key types.NamespacedName
	uid types.UID
}

func originOf(cluster *extensionsv1alpha1.Cluster) (origin, error) {
	var shoot struct {
		Metadata struct {
			Namespace, Name string
			UID             types.UID
		}
	}
	if err := json.Unmarshal(cluster.Spec.Shoot.Raw, &shoot); err != nil {
		return origin{}, fmt.Errorf("decode shoot of cluster %q: %w", cluster.Name, err)
	}
	return origin{key: types.NamespacedName{Namespace: shoot.Metadata.Namespace, Name: shoot.Metadata.Name}, uid: shoot.Metadata.UID}, nil
}

// made reports whether a Shoot is the one that the Cluster was made for, and not a later one with the same name.
func (o origin) made(shoot *gardencorev1beta1.Shoot, cluster string) bool {
	return shoot.UID == o.uid && shoot.Status.TechnicalID == cluster
}
