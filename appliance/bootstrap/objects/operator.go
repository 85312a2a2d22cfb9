package objects

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/operator/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// Ports of the operator, as in Gardener.
const webhookPort, healthPort, metricsPort = 2750, 2751, 2752

// WebhookService is the Service by which the API server of the cluster calls the operator's webhooks, for the flag of the component.
const WebhookService = constants.GardenNamespace + "/" + Operator + ":443"

// ClusterRole has all rights. The operator applies the ManagedResources of the runtime cluster, which may hold anything, so that fewer
// rights would only look safer.
const ClusterRole = "gardener.cloud:system:gardener-operator"

// nobody is the user of the process in its container. It writes no files.
const nobody = 65532

// ServiceTypeFlag begins the argument of the operator with the type of the Service of the garden's API server.
const ServiceTypeFlag = "--api-server-service-type="

// ProtectEtcdsFlag is the argument of the operator that protects the objects of the Garden's etcds.
const ProtectEtcdsFlag = "--etcd-component-protection"

// configDir is where the configuration is mounted.
const configDir = "etc/gardener-operator"

// OperatorObjects are the Deployment of the operator and what it needs.
func OperatorObjects(in Inputs) ([]client.Object, error) {
	configuration, err := operatorConfiguration()
	if err != nil {
		return nil, err
	}
	account := corev1.ServiceAccount{TypeMeta: kind("v1", "ServiceAccount"), ObjectMeta: meta(Operator), AutomountServiceAccountToken: ptr.To(false)}
	role := rbacv1.ClusterRole{TypeMeta: kind(rbacv1.SchemeGroupVersion.String(), "ClusterRole"), ObjectMeta: meta(ClusterRole), Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}, {NonResourceURLs: []string{"*"}, Verbs: []string{"*"}},
	}}
	role.Namespace = ""
	binding := rbacv1.ClusterRoleBinding{
		TypeMeta: kind(rbacv1.SchemeGroupVersion.String(), "ClusterRoleBinding"), ObjectMeta: meta(ClusterRole),
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: ClusterRole},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: Operator, Namespace: constants.GardenNamespace}},
	}
	binding.Namespace = ""
	service := corev1.Service{TypeMeta: kind("v1", "Service"), ObjectMeta: meta(Operator), Spec: corev1.ServiceSpec{Selector: selector(), Ports: []corev1.ServicePort{
		{Name: "webhooks", Port: 443, TargetPort: intstr.FromInt32(webhookPort), Protocol: corev1.ProtocolTCP},
		{Name: "metrics", Port: metricsPort, TargetPort: intstr.FromInt32(metricsPort), Protocol: corev1.ProtocolTCP},
	}}}
	return []client.Object{&account, &role, &binding, configuration, &service, deployment(in, configuration)}, nil
}

func selector() map[string]string {
	return map[string]string{constants.LabelApp: "gardener", constants.LabelRole: "operator"}
}

// operatorConfiguration is the file of the component. It may be changed: the next bootstrap writes it again.
func operatorConfiguration() (*corev1.ConfigMap, error) {
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": config.APIVersion, "kind": config.Kind,
		"server": map[string]any{
			"webhooks": listener(webhookPort), "healthProbes": listener(healthPort), "metrics": listener(metricsPort),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("encode the configuration of the operator: %w", err)
	}
	return &corev1.ConfigMap{TypeMeta: kind("v1", "ConfigMap"), ObjectMeta: meta(Operator), Data: map[string]string{"config.yaml": string(text)}}, nil
}

// listener is the address of the pod, since not every node gives pods addresses that nobody else has.
func listener(port int) map[string]any {
	return map[string]any{"bindAddress": "$(POD_IP)", "port": port}
}

func operatorArgs(in Inputs) []string {
	args := []string{"component", "operator", "--config=" + configDir + "/config.yaml", "--webhook-service=" + WebhookService, ServiceTypeFlag + string(in.ServiceType)}
	if in.ProtectEtcds {
		args = append(args, ProtectEtcdsFlag)
	}
	return args
}

func deployment(in Inputs, configuration *corev1.ConfigMap) *appsv1.Deployment {
	labels := selector()
	labels[LabelManagedBy] = ManagedBy
	probe := func(path string) *corev1.Probe {
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(healthPort)}}, PeriodSeconds: 10, TimeoutSeconds: 5}
	}
	container := corev1.Container{
		Name: Operator, Image: in.Image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
		Args: operatorArgs(in),
		Env: []corev1.EnvVar{
			{Name: image.Variable, Value: in.Image},
			{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
			{Name: "POD_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}},
		},
		Ports:          []corev1.ContainerPort{{Name: "webhooks", ContainerPort: webhookPort}, {Name: "metrics", ContainerPort: metricsPort}},
		LivenessProbe:  probe("/healthz"),
		ReadinessProbe: probe("/readyz"),
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
		}},
		SecurityContext: Restricted(),
		VolumeMounts:    []corev1.VolumeMount{{Name: "config", MountPath: "/" + configDir}},
	}
	return &appsv1.Deployment{
		TypeMeta: kind(appsv1.SchemeGroupVersion.String(), "Deployment"), ObjectMeta: meta(Operator),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1), RevisionHistoryLimit: ptr.To[int32](2), Selector: &metav1.LabelSelector{MatchLabels: selector()},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{"checksum/configmap": hash(configuration.Data["config.yaml"])}},
				Spec: corev1.PodSpec{
					ServiceAccountName: Operator, AutomountServiceAccountToken: ptr.To(true), EnableServiceLinks: ptr.To(false),
					NodeSelector:    map[string]string{corev1.LabelOSStable: "linux"},
					SecurityContext: PodRestricted(), Containers: []corev1.Container{container},
					Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
						LocalObjectReference: corev1.LocalObjectReference{Name: Operator},
					}}}},
				},
			},
		},
	}
}

// PodRestricted is the security context of pods that a bootstrap makes.
func PodRestricted() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](nobody), RunAsGroup: ptr.To[int64](nobody), FSGroup: ptr.To[int64](nobody),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// Restricted is the security context of containers that a bootstrap makes. Their root file system can be written, since not every runtime
// mounts volumes into one that cannot.
func Restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
