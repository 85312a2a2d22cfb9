package metricsserver

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// ShootObjects builds the objects in the shoot: the APIService, the permissions of the server, and the server itself if
// it runs in the shoot.
func ShootObjects(v Values) []client.Object {
	meta := metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem, Labels: shootLabels()}
	service := &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeExternalName, ExternalName: Name + "." + v.Namespace + ".svc",
	}}
	portOfService := int32(Port) // nothing translates the port of such a Service
	user := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User}
	var server []client.Object
	if v.InShoot {
		portOfService = 443
		service.Spec = corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: selector(),
			Ports: []corev1.ServicePort{{Name: "https", Port: portOfService, TargetPort: intstr.FromInt32(Port), Protocol: corev1.ProtocolTCP}},
		}
		user = rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: Name, Namespace: metav1.NamespaceSystem}
		server = inShoot(v.Image, v.Secrets, meta)
	}
	return append(append(rights(user), service, api(portOfService, v.Secrets.CAData)), server...)
}

func api(port int32, ca []byte) *apiregistrationv1.APIService {
	return &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: "v1beta1.metrics.k8s.io"},
		Spec: apiregistrationv1.APIServiceSpec{
			Group: "metrics.k8s.io", Version: "v1beta1", GroupPriorityMinimum: 100, VersionPriority: 100, CABundle: ca,
			Service: &apiregistrationv1.ServiceReference{Name: Name, Namespace: metav1.NamespaceSystem, Port: ptr.To(port)},
		},
	}
}

// rights are the permissions of the server, and of users of the shoot, who may see metrics where they may see pods.
func rights(user rbacv1.Subject) []client.Object {
	cluster := metav1.ObjectMeta{Name: "system:metrics-server"}
	bind := func(name, role string) *rbacv1.ClusterRoleBinding {
		return &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: []rbacv1.Subject{user},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		}
	}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: cluster, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes/metrics"}, Verbs: []string{"get"}},
			{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}},
		}},
		bind(cluster.Name, cluster.Name),
		bind("metrics-server:system:auth-delegator", "system:auth-delegator"),
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "metrics-server-auth-reader", Namespace: metav1.NamespaceSystem}, Subjects: []rbacv1.Subject{user},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "extension-apiserver-authentication-reader"},
		},
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "system:aggregated-metrics-reader", Labels: map[string]string{
				"rbac.authorization.k8s.io/aggregate-to-view": "true", "rbac.authorization.k8s.io/aggregate-to-edit": "true", "rbac.authorization.k8s.io/aggregate-to-admin": "true",
			}},
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{"metrics.k8s.io"}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}}},
		},
	}
}

func selector() map[string]string { return map[string]string{"k8s-app": Name} }

func shootLabels() map[string]string {
	return map[string]string{"k8s-app": Name, constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener"}
}

// inShoot builds the server as a Deployment of the shoot.
func inShoot(image string, secrets Secrets, meta metav1.ObjectMeta) []client.Object {
	certificate := pod.Secret(Name, metav1.NamespaceSystem, map[string][]byte{secretsmanager.KeyCert: secrets.ServerCert, secretsmanager.KeyPrivateKey: secrets.ServerKey})
	authority := pod.Secret(Name+"-kubelets", metav1.NamespaceSystem, map[string][]byte{secretsmanager.KeyBundle: secrets.KubeletCAData})
	mounts := []pod.Mount{{Path: dirServer, Secrets: []string{certificate.Name}}, {Path: dirKubeletCA, Secrets: []string{authority.Name}}}
	podLabels := shootLabels()
	maps.Copy(podLabels, names.Allowed(
		constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyShootToAPIServer, constants.LabelNetworkPolicyShootToKubelet, constants.LabelNetworkPolicyShootFromSeed,
	))
	container := corev1.Container{
		Name: Name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
		Args:           append([]string{"component", Name}, arguments("0.0.0.0")...),
		Ports:          []corev1.ContainerPort{{Name: "https", ContainerPort: Port, Protocol: corev1.ProtocolTCP}},
		ReadinessProbe: pod.Ready("/readyz", Port), LivenessProbe: pod.Live("/livez", Port),
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20m"), corev1.ResourceMemory: resource.MustParse("48Mi")}},
	}
	spec := corev1.PodSpec{
		ServiceAccountName: Name, PriorityClassName: "system-cluster-critical",
		NodeSelector: map[string]string{constants.LabelWorkerPoolSystemComponents: "true"},
		Tolerations:  []corev1.Toleration{{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists}},
	}
	for i, mount := range mounts {
		name := []string{"server", "kubelets"}[i]
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: mount.Path, ReadOnly: true})
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: mount.Secrets[0], DefaultMode: ptr.To[int32](0o640)}}})
	}
	spec.Containers = []corev1.Container{container}
	references := pod.References(mounts)
	own := *meta.DeepCopy()
	own.Annotations = references
	return []client.Object{
		certificate, authority,
		&corev1.ServiceAccount{ObjectMeta: meta},
		&appsv1.Deployment{ObjectMeta: own, Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1), RevisionHistoryLimit: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: selector()},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: references}, Spec: spec},
		}},
	}
}
