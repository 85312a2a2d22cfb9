package simulate

import (
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Amounts are quantities of resources: thousandths for cpu, whole units for all others.
type Amounts map[corev1.ResourceName]int64

func amountsOf(list corev1.ResourceList) Amounts {
	out := Amounts{}
	for name, quantity := range list {
		if name == corev1.ResourceCPU {
			out[name] = quantity.MilliValue()
		} else {
			out[name] = quantity.Value()
		}
	}
	return out
}

// Requests are the total requests of a pod, including its overhead.
func Requests(pod *corev1.Pod) Amounts {
	return amountsOf(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}))
}

func (a Amounts) add(b Amounts, times int64) {
	for name, amount := range b {
		a[name] += times * amount
	}
}
