// Package apiserverproxy builds the apiserver-proxy of a shoot. On every node it listens on the advertised address of
// the API server and forwards to the front door of the seed, so that pods can use the Service kubernetes.
package apiserverproxy

import (
	"net"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Resource is the name of the ManagedResource.
	Resource = "shoot-core-apiserver-proxy"
	// Name of the DaemonSet.
	Name = "apiserver-proxy"
)

// Objects builds all of it. address is the advertised address of the API server. upstream is host:port of the front
// door for connections with a PROXY protocol header; its host is the name of the API server, which nodes can resolve.
func Objects(image, address, upstream string) []client.Object {
	labels := map[string]string{constants.LabelApp: constants.LabelKubernetes, constants.LabelRole: Name}
	podLabels := map[string]string{
		constants.LabelApp: constants.LabelKubernetes, constants.LabelRole: Name, "origin": "gardener",
		constants.GardenRole: constants.GardenRoleSystemComponent, constants.LabelNodeCriticalComponent: "true",
	}
	no := false
	meta := metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem, Labels: podLabels}
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta, AutomountServiceAccountToken: &no},
		&appsv1.DaemonSet{
			ObjectMeta: meta,
			Spec: appsv1.DaemonSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels}, RevisionHistoryLimit: ptr.To[int32](1),
				UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
					Spec: corev1.PodSpec{
						HostNetwork: true, DNSPolicy: corev1.DNSDefault, ServiceAccountName: Name, AutomountServiceAccountToken: &no,
						PriorityClassName: "system-node-critical", TerminationGracePeriodSeconds: ptr.To[int64](5),
						Tolerations: []corev1.Toleration{{Effect: corev1.TaintEffectNoSchedule, Operator: corev1.TolerationOpExists}, {Effect: corev1.TaintEffectNoExecute, Operator: corev1.TolerationOpExists}},
						Containers: []corev1.Container{{
							Name: "proxy", Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
							Args: []string{
								"component", Name,
								"--address=" + net.JoinHostPort(address, strconv.Itoa(names.APIServerPort)),
								"--upstream=" + upstream,
							},
							// it creates an interface and binds its address
							SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"NET_ADMIN"}}},
							Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("16Mi")}},
						}},
					},
				},
			},
		},
	}
}
