// Package addons builds the add-ons that a shoot for evaluation may have: an ingress controller and a dashboard. Only
// the resource manager of the shoot applies them, so that it removes them when they are switched off.
package addons

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Names of ManagedResources.
const (
	ResourceIngress   = "shoot-addon-nginx-ingress"
	ResourceDashboard = "shoot-addon-kubernetes-dashboard"
)

// workload builds the common part of all Deployments of add-ons: one replica, on nodes for system components.
type workload struct {
	name, namespace, account string
	selector, labels         map[string]string
	container                corev1.Container
	volumes                  []corev1.Volume
	grace                    int64
	user                     *corev1.PodSecurityContext
}

func (w workload) deployment() *appsv1.Deployment {
	labels := maps.Clone(w.selector)
	maps.Copy(labels, map[string]string{constants.GardenRole: constants.GardenRoleOptionalAddon, "origin": "gardener"})
	podLabels := maps.Clone(labels)
	maps.Copy(podLabels, w.labels)
	w.container.ImagePullPolicy = corev1.PullIfNotPresent
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Namespace: w.namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1), RevisionHistoryLimit: ptr.To[int32](2),
			Selector: &metav1.LabelSelector{MatchLabels: w.selector},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
				Spec: corev1.PodSpec{
					ServiceAccountName: w.account, AutomountServiceAccountToken: ptr.To(w.account != ""),
					NodeSelector:                  map[string]string{constants.LabelWorkerPoolSystemComponents: "true"},
					TerminationGracePeriodSeconds: &w.grace, SecurityContext: w.user,
					Containers: []corev1.Container{w.container}, Volumes: w.volumes,
				},
			},
		},
	}
}

func httpProbe(scheme corev1.URIScheme, path string, port int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(port), Scheme: scheme}},
		InitialDelaySeconds: 30, TimeoutSeconds: 5, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

func requests(cpu, memory, limit string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)},
	}
}

func tcp(name string, port, target int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: port, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(target)}
}

func rule(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

func named(rule rbacv1.PolicyRule, names ...string) rbacv1.PolicyRule {
	rule.ResourceNames = names
	return rule
}

func subject(name, namespace string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace}}
}

func roleRef(kind, name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}
