// Package seedlabels marks objects with the seeds they belong to, so that clients can watch those of one seed.
package seedlabels

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Set makes the labels follow the seeds of the object; nil and empty names are left out.
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
