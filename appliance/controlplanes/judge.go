package controlplanes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// namespaces of control planes begin so.
const namespaces = "shoot--"

// told is how many workloads are named at once.
const told = 5

// workload is a Deployment or a StatefulSet.
type workload struct {
	namespace, name string
	uid             types.UID
	wanted, ready   int32
	leaves          bool
	pods            *metav1.LabelSelector
}

func ofDeployment(d *appsv1.Deployment) workload {
	return workload{d.Namespace, d.Name, d.UID, ptr.Deref(d.Spec.Replicas, 1), d.Status.ReadyReplicas, d.DeletionTimestamp != nil, d.Spec.Selector}
}

func ofSet(s *appsv1.StatefulSet) workload {
	return workload{s.Namespace, s.Name, s.UID, ptr.Deref(s.Spec.Replicas, 1), s.Status.ReadyReplicas, s.DeletionTimestamp != nil, s.Spec.Selector}
}

// seen is how many pods of a workload have served at the same time. What has never served is still starting, and what is
// hibernated begins again.
type seen map[types.UID]int32

// judge returns what has been seen by now, and the workloads of which fewer pods serve than before.
func (s seen) judge(all []workload) (now seen, ailing []workload) {
	now = seen{}
	for _, w := range all {
		if w.leaves || w.wanted == 0 || !strings.HasPrefix(w.namespace, namespaces) {
			continue
		}
		now[w.uid] = min(w.wanted, max(s[w.uid], w.ready))
		if w.ready < now[w.uid] {
			ailing = append(ailing, w)
		}
	}
	return now, ailing
}

// text names workloads; it is empty if there are none.
func text(ailing []workload) string {
	if len(ailing) == 0 {
		return ""
	}
	slices.SortFunc(ailing, func(a, b workload) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, w := range ailing[:min(told, len(ailing))] {
		names = append(names, w.namespace+"/"+w.name)
	}
	text := "does not serve: " + strings.Join(names, ", ")
	if more := len(ailing) - told; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
