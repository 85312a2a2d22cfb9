package deployment

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/rand"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// identity is the part of a template whose change requires new machines. Other changes are applied to existing
// machines.
type identity struct {
	Labels map[string]string         `json:"labels,omitempty"`
	Class  machinev1alpha1.ClassSpec `json:"class"`
}

func identityOf(template *machinev1alpha1.MachineTemplateSpec) identity {
	labels := maps.Clone(template.Labels)
	delete(labels, machinev1alpha1.MachineTemplateHashLabel)
	return identity{Labels: labels, Class: template.Spec.Class}
}

func sameMachines(a, b *machinev1alpha1.MachineTemplateSpec) bool {
	return equality.Semantic.DeepEqual(identityOf(a), identityOf(b))
}

// hash is a short name for a template's identity. collisions changes it.
func hash(template *machinev1alpha1.MachineTemplateSpec, collisions *int32) (string, error) {
	content, err := json.Marshal(identityOf(template)) // sorts maps by key
	if err != nil {
		return "", fmt.Errorf("encode template: %w", err)
	}
	hasher := fnv.New32a()
	_, _ = hasher.Write(content) // never fails
	if collisions != nil {
		_, _ = fmt.Fprintf(hasher, "#%d", *collisions)
	}
	return rand.SafeEncodeString(strconv.FormatUint(uint64(hasher.Sum32()), 10)), nil
}

// withHash returns the labels and the hash label.
func withHash(labels map[string]string, hash string) map[string]string {
	out := maps.Clone(labels)
	if out == nil {
		out = map[string]string{}
	}
	out[machinev1alpha1.MachineTemplateHashLabel] = hash
	return out
}
