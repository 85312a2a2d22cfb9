// Package deploy builds what the cloud controller of a shoot needs in the seed and in the shoot. It writes nothing.
package deploy

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

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	// name is that of all objects in the seed, of the component, and of its service account in the shoot.
	name = "cloud-controller-manager"
	port = 10258
	// accessDir has the kubeconfig and its token. The kubeconfig names the token by this path.
	accessDir = "/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig"
	// reachAPIServer allows connections to the API server of the shoot.
	reachAPIServer = constants.LabelNetworkPolicyServicePrefix + constants.DeploymentNameKubeAPIServer + "-tcp-443"
)

// Values are the inputs for the objects in the seed.
type Values struct {
	Namespace string
	// Image is the appliance image.
	Image string
	// Kubeconfig is the Secret with the kubeconfig that extensions mount.
	Kubeconfig string
	Replicas   int32
	// Tolerant means that there are several replicas while the shoot is awake, which elect a leader.
	Tolerant bool
}

// Access is the Secret that the resource manager of the shoot fills with a token.
func Access(namespace string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "shoot-access-" + name, Namespace: namespace,
			Labels: map[string]string{
				resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
				resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassShoot,
			},
			Annotations: map[string]string{
				resourcesv1alpha1.ServiceAccountName: name, resourcesv1alpha1.ServiceAccountNamespace: metav1.NamespaceSystem,
			},
		},
		Type: corev1.SecretTypeOpaque,
	}
}

// SeedObjects builds the objects in the seed, the Deployment last.
func SeedObjects(v Values) []client.Object {
	meta := metav1.ObjectMeta{Namespace: v.Namespace, Name: name, Labels: roleLabels()}
	return []client.Object{
		&corev1.ServiceAccount{TypeMeta: kind(corev1.SchemeGroupVersion.String(), "ServiceAccount"), ObjectMeta: meta},
		&rbacv1.Role{TypeMeta: kind(rbacv1.SchemeGroupVersion.String(), "Role"), ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
			{APIGroups: []string{"machine.sapcloud.io"}, Resources: []string{"machines"}, Verbs: []string{"get"}},
			{APIGroups: []string{"extensions.gardener.cloud"}, Resources: []string{"workers"}, Verbs: []string{"list"}},
		}},
		&rbacv1.RoleBinding{
			TypeMeta: kind(rbacv1.SchemeGroupVersion.String(), "RoleBinding"), ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: v.Namespace, Name: name}},
		},
		deployment(v, meta),
	}
}

func kind(version, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: version, Kind: kind}
}

func selector() map[string]string {
	return map[string]string{constants.LabelApp: constants.LabelKubernetes, constants.LabelRole: name}
}

func roleLabels() map[string]string {
	labels := selector()
	labels[constants.GardenRole] = constants.GardenRoleControlPlane
	return labels
}

func deployment(v Values, meta metav1.ObjectMeta) *appsv1.Deployment {
	podLabels := roleLabels()
	podLabels[constants.LabelMaintenanceRestart] = "true"
	for _, reach := range []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer, reachAPIServer} {
		podLabels[reach] = constants.LabelNetworkPolicyAllowed
	}
	meta.Labels = roleLabels()
	meta.Labels[resourcesv1alpha1.HighAvailabilityConfigType] = resourcesv1alpha1.HighAvailabilityConfigTypeController
	return &appsv1.Deployment{TypeMeta: kind(appsv1.SchemeGroupVersion.String(), "Deployment"), ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To(v.Replicas), RevisionHistoryLimit: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: selector()},
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
			MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
		}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels}, Spec: podSpec(v)},
	}}
}

func podSpec(v Values) corev1.PodSpec {
	file := func(secret, key string) corev1.VolumeProjection {
		return corev1.VolumeProjection{Secret: &corev1.SecretProjection{ // with items, a pod waits for its token
			LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Items: []corev1.KeyToPath{{Key: key, Path: key}},
		}}
	}
	return corev1.PodSpec{
		PriorityClassName: constants.PriorityClassNameShootControlPlane300, ServiceAccountName: name,
		EnableServiceLinks: ptr.To(false), TerminationGracePeriodSeconds: ptr.To[int64](10),
		Containers: []corev1.Container{{
			Name: name, Image: v.Image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
			Args: []string{
				"component", name,
				"--kubeconfig=" + accessDir[1:] + "/kubeconfig",
				fmt.Sprintf("--bind-address=$(POD_IP):%d", port),
				fmt.Sprintf("--leader-elect=%t", v.Tolerant),
			},
			Env: []corev1.EnvVar{
				{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
				{Name: "GOGC", Value: "25"},
			},
			Ports:          []corev1.ContainerPort{{Name: "health", ContainerPort: port, Protocol: corev1.ProtocolTCP}},
			ReadinessProbe: probe("/readyz", corev1.Probe{PeriodSeconds: 2, TimeoutSeconds: 3, FailureThreshold: 2}),
			LivenessProbe:  probe("/healthz", corev1.Probe{InitialDelaySeconds: 120, PeriodSeconds: 20, TimeoutSeconds: 15, FailureThreshold: 3}),
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("32Mi"),
			}},
			VolumeMounts: []corev1.VolumeMount{{Name: "kubeconfig", MountPath: accessDir, ReadOnly: true}},
		}},
		Volumes: []corev1.Volume{{Name: "kubeconfig", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			DefaultMode: ptr.To[int32](0o640), Sources: []corev1.VolumeProjection{file(v.Kubeconfig, "kubeconfig"), file(Access("").Name, "token")},
		}}}},
	}
}

func probe(path string, probe corev1.Probe) *corev1.Probe {
	probe.HTTPGet = &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(port), Scheme: corev1.URISchemeHTTP}
	return &probe
}
