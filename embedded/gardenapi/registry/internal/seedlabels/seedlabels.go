// Package seedlabels labels objects with their seeds, so that clients can watch the objects of one seed.
package seedlabels

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Set sets one label per seed and removes the labels of other seeds. It ignores nil and empty names.
func Set(object metav1.Object, seeds ...*string) {
	labels := maps.Clone(object.GetLabels())
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.HasPrefix(key, constants.LabelPrefixSeedName) })
	for _, seed := range seeds {
		if seed == nil || *seed == "" {
			continue
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[constants.LabelPrefixSeedName+*seed] = "true"
	}
	if len(labels) == 0 {
		labels = nil
	}
	object.SetLabels(labels)
}
