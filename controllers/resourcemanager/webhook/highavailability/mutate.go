package highavailability

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Mutator changes workloads and their autoscalers.
type Mutator struct {
	Target client.Reader // reads metadata of namespaces
	// NotReadySeconds and UnreachableSeconds are how long pods stay on nodes in these states; nil leaves that to
	// Kubernetes.
	NotReadySeconds, UnreachableSeconds *int64
}

// Deployment changes a Deployment in place.
func (m *Mutator) Deployment(ctx context.Context, object *appsv1.Deployment) error {
	return m.workload(ctx, &object.ObjectMeta, &object.Spec.Replicas, object.Spec.Selector, &object.Spec.Template.Spec)
}

// StatefulSet changes a StatefulSet in place.
func (m *Mutator) StatefulSet(ctx context.Context, object *appsv1.StatefulSet) error {
	return m.workload(ctx, &object.ObjectMeta, &object.Spec.Replicas, object.Spec.Selector, &object.Spec.Template.Spec)
}

// HorizontalPodAutoscaler raises the minimum number of replicas, and the maximum if it is lower.
func (m *Mutator) HorizontalPodAutoscaler(ctx context.Context, object *autoscalingv2.HorizontalPodAutoscaler) error {
	setting, err := m.setting(ctx, &object.ObjectMeta)
	if setting == nil || err != nil {
		return err
	}
	wanted, err := wantedReplicas(*setting, &object.ObjectMeta)
	if wanted == nil || err != nil {
		return err
	}
	object.Spec.MinReplicas = ptr.To(max(ptr.Deref(object.Spec.MinReplicas, 1), *wanted))
	object.Spec.MaxReplicas = max(object.Spec.MaxReplicas, *object.Spec.MinReplicas)
	return nil
}

func (m *Mutator) workload(ctx context.Context, object *metav1.ObjectMeta, replicas **int32, labels *metav1.LabelSelector, spec *corev1.PodSpec) error {
	setting, err := m.setting(ctx, object)
	if setting == nil || err != nil {
		return err
	}
	wanted, err := wantedReplicas(*setting, object)
	if err != nil {
		return err
	}
	if now := ptr.Deref(*replicas, 1); wanted != nil && now > 0 { // 0 means hibernation
		*replicas = ptr.To(max(now, *wanted))
	}
	hostSpread, _ := strconv.ParseBool(object.Annotations[resourcesv1alpha1.HighAvailabilityConfigHostSpread])
	for _, constraint := range setting.Constraints(ptr.Deref(*replicas, 1), labels, hostSpread) {
		spec.TopologySpreadConstraints = slices.DeleteFunc(spec.TopologySpreadConstraints, func(own corev1.TopologySpreadConstraint) bool {
			return own.TopologyKey == constraint.TopologyKey
		})
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, constraint)
	}
	setting.PinZones(spec)
	tolerate(spec, corev1.TaintNodeNotReady, m.NotReadySeconds)
	tolerate(spec, corev1.TaintNodeUnreachable, m.UnreachableSeconds)
	return nil
}

// setting returns nil if the object is exempt.
func (m *Mutator) setting(ctx context.Context, object *metav1.ObjectMeta) (*Setting, error) {
	if object.Labels[resourcesv1alpha1.HighAvailabilityConfigSkip] == "true" {
		return nil, nil
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	if err := m.Target.Get(ctx, types.NamespacedName{Name: object.Namespace}, namespace); err != nil {
		return nil, fmt.Errorf("read namespace %q: %w", object.Namespace, err)
	}
	return ptr.To(SettingOf(namespace.Annotations)), nil
}

// wantedReplicas prefers the annotation of an object.
func wantedReplicas(setting Setting, object *metav1.ObjectMeta) (*int32, error) {
	value, found := object.Annotations[resourcesv1alpha1.HighAvailabilityConfigReplicas]
	if !found {
		return setting.Replicas(object.Labels[resourcesv1alpha1.HighAvailabilityConfigType]), nil
	}
	number, err := strconv.ParseInt(value, 10, 32)
	if err != nil || number < 0 {
		return nil, fmt.Errorf("annotation %s is %q, not a number of replicas", resourcesv1alpha1.HighAvailabilityConfigReplicas, value)
	}
	return ptr.To(int32(number)), nil
}

func tolerate(spec *corev1.PodSpec, taint string, seconds *int64) {
	known := slices.ContainsFunc(spec.Tolerations, func(t corev1.Toleration) bool {
		return t.Key == taint && (t.Effect == "" || t.Effect == corev1.TaintEffectNoExecute)
	})
	if seconds == nil || known {
		return
	}
	spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
		Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds,
	})
}
