package shootwebhook

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/shootwebhook"
)

const healthPort = 8081

// Objects are what the component needs in a seed, first the namespace and last the Deployment.
func Objects(image string, machines api.MachineRuntime) []client.Object {
	meta := metav1.ObjectMeta{Namespace: Namespace, Name: name, Labels: labels()}
	service := meta
	service.Annotations = shootwebhook.ServiceAnnotations(port)
	service.Annotations["networking.resources.gardener.cloud/pod-label-selector-namespace-alias"] = "local" // labels of clients have at most 63 characters
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: map[string]string{constants.GardenRole: constants.GardenRoleExtension}}},
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: rules(Webhooks(machines).Certificates().Name)},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: Namespace, Name: name}},
		},
		&corev1.Service{ObjectMeta: service, Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: labels(),
			Ports: []corev1.ServicePort{{Name: "webhooks", Port: port, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(port)}},
		}},
		deployment(meta, image, machines),
	}
}

func labels() map[string]string { return map[string]string{constants.LabelApp: name} }

// rules are for the Secret with the certificates. Nothing else is in the namespace.
func rules(secret string) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{secret}, Verbs: []string{"get", "update"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create"}},
	}
}

func deployment(meta metav1.ObjectMeta, image string, machines api.MachineRuntime) *appsv1.Deployment {
	podLabels := labels()
	for _, reach := range []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer} {
		podLabels[reach] = constants.LabelNetworkPolicyAllowed
	}
	return &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](1), RevisionHistoryLimit: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: labels()},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels}, Spec: corev1.PodSpec{
			ServiceAccountName: name, EnableServiceLinks: ptr.To(false), TerminationGracePeriodSeconds: ptr.To[int64](10),
			PriorityClassName: constants.PriorityClassNameSeedSystem900,
			Containers: []corev1.Container{{
				Name: Component, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
				Args: []string{
					"component", Component,
					"--bind-address=$(POD_IP):10250", "--health-bind-address=$(POD_IP):8081", "--machines=" + string(machines),
				},
				Env: []corev1.EnvVar{
					{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
					{Name: "GOGC", Value: "25"},
				},
				Ports:          []corev1.ContainerPort{{Name: "https", ContainerPort: port, Protocol: corev1.ProtocolTCP}},
				ReadinessProbe: probe("/readyz", 2), LivenessProbe: probe("/healthz", 20),
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("32Mi"),
				}},
			}},
		}},
	}}
}

func probe(path string, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(healthPort), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: period, TimeoutSeconds: 5, FailureThreshold: 5,
	}
}
