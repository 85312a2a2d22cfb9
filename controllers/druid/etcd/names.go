package etcd

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Ports of the servers; metricsPort speaks plain HTTP, for whoever collects metrics.
const (
	defaultClientPort = 2379
	defaultPeerPort   = 2380
	metricsPort       = 2381
)

func clientServiceName(etcd *druidv1alpha1.Etcd) string { return etcd.Name + "-client" }
func peerServiceName(etcd *druidv1alpha1.Etcd) string   { return etcd.Name + "-peer" }

func clientPort(etcd *druidv1alpha1.Etcd) int32 {
	return ptr.Deref(etcd.Spec.Etcd.ClientPort, defaultClientPort)
}

func peerPort(etcd *druidv1alpha1.Etcd) int32 {
	return ptr.Deref(etcd.Spec.Etcd.ServerPort, defaultPeerPort)
}

// memberName is the name of a member and of its pod.
func memberName(etcd *druidv1alpha1.Etcd, ordinal int32) string {
	return fmt.Sprintf("%s-%d", etcd.Name, ordinal)
}

// selectorLabels pick the pods of the etcd.
func selectorLabels(etcd *druidv1alpha1.Etcd) map[string]string {
	if selector := etcd.Spec.Selector; selector != nil && len(selector.MatchLabels) > 0 {
		return selector.MatchLabels
	}
	return map[string]string{"name": "etcd", "instance": etcd.Name}
}

// podLabels are the labels of the pods, which the selector matches always.
func podLabels(etcd *druidv1alpha1.Etcd) map[string]string {
	labels := maps.Clone(etcd.Spec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, selectorLabels(etcd))
	return labels
}

// meta is the metadata of an object of the etcd.
func meta(etcd *druidv1alpha1.Etcd, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:       etcd.Namespace,
		Name:            name,
		Labels:          podLabels(etcd),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(etcd, druidv1alpha1.SchemeGroupVersion.WithKind("Etcd"))},
	}
}

// serviceAccount is the service account of the pods. They need its token for their reports.
func serviceAccount(etcd *druidv1alpha1.Etcd) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: meta(etcd, etcd.Name), AutomountServiceAccountToken: ptr.To(true)}
}

func fromUnstructured(from *unstructured.Unstructured, to any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to)
}
