package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// applyTemplate applies the template's labels, annotations and taints to the node. It removes earlier ones that are
// no longer in the template. An annotation of the node records what was applied.
func (r *Reconciler) applyTemplate(ctx context.Context, node *corev1.Node, template *machinev1alpha1.NodeTemplateSpec) error {
	record, err := json.Marshal(recordOf(template))
	if err != nil {
		return fmt.Errorf("encode node template: %w", err)
	}
	err = patch.Metadata(ctx, r.Target, node, func() { mergeTemplate(node, template, string(record)) })
	return client.IgnoreNotFound(err)
}

// recordOf is the part of a template that is applied.
func recordOf(template *machinev1alpha1.NodeTemplateSpec) *machinev1alpha1.NodeTemplateSpec {
	record := &machinev1alpha1.NodeTemplateSpec{}
	record.Labels, record.Annotations = template.Labels, template.Annotations
	record.Spec.Taints = template.Spec.Taints
	return record
}

func mergeTemplate(node *corev1.Node, template *machinev1alpha1.NodeTemplateSpec, record string) {
	last := &machinev1alpha1.NodeTemplateSpec{}
	if content := node.Annotations[machinev1alpha1.LastAppliedALTAnnotation]; content != "" {
		if json.Unmarshal([]byte(content), last) != nil {
			last = &machinev1alpha1.NodeTemplateSpec{} // changed by another client; what it recorded stays on the node
		}
	}
	node.Labels = mergeMap(node.Labels, last.Labels, template.Labels)
	node.Annotations = mergeMap(node.Annotations, last.Annotations, template.Annotations)
	if node.Annotations == nil {
		node.Annotations = map[string]string{}
	}
	node.Annotations[machinev1alpha1.LastAppliedALTAnnotation] = record
	node.Spec.Taints = mergeTaints(node.Spec.Taints, last.Spec.Taints, template.Spec.Taints)
}

func mergeMap(have, last, want map[string]string) map[string]string {
	if have == nil && len(want) > 0 {
		have = map[string]string{}
	}
	for key := range last {
		if _, ok := want[key]; !ok {
			delete(have, key)
		}
	}
	maps.Copy(have, want)
	return have
}

func mergeTaints(have, last, want []corev1.Taint) []corev1.Taint {
	in := func(list []corev1.Taint, taint corev1.Taint) bool {
		return slices.ContainsFunc(list, func(t corev1.Taint) bool { return t.MatchTaint(&taint) })
	}
	var out []corev1.Taint
	for _, taint := range have {
		if !in(want, taint) && !in(last, taint) {
			out = append(out, taint)
		}
	}
	for _, taint := range want {
		if i := slices.IndexFunc(have, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }); i >= 0 && have[i].Value == taint.Value {
			taint = have[i] // keeps the time when it was added
		}
		out = append(out, taint)
	}
	return out
}
