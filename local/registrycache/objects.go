package registrycache

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/local/registrycache/proxy"
)

const (
	defaultTTL  = 7 * 24 * time.Hour
	labelApp    = "app"
	dataDir     = "/var/lib/registry"
	credentials = "/etc/registry-credentials"
	portName    = "registry-cache"
	allowed     = "allowed"
)

// objects are the objects of a cache in the Shoot. login is username and password by the keys of package proxy, nil
// for none.
func objects(cache Cache, image string, status CacheStatus, login map[string][]byte, replicas int32) []client.Object {
	labels := map[string]string{labelApp: objectName(cache.Upstream)}
	meta := metav1.ObjectMeta{Name: objectName(cache.Upstream), Namespace: metav1.NamespaceSystem, Labels: map[string]string{
		labelApp: objectName(cache.Upstream), constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener",
	}}
	out := []client.Object{
		&corev1.ServiceAccount{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta, AutomountServiceAccountToken: ptr.To(false),
		},
		&corev1.Service{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta,
			Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeClusterIP, ClusterIP: status.address(), Selector: labels,
				Ports: []corev1.ServicePort{{Name: portName, Port: port, TargetPort: intstr.FromInt32(port), Protocol: corev1.ProtocolTCP}},
			},
		},
		&networkingv1.NetworkPolicy{ // in case that users close the namespace; nodes have addresses of their own
			TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}, ObjectMeta: meta,
			Spec: networkingv1.NetworkPolicySpec{
				PodSelector: metav1.LabelSelector{MatchLabels: labels}, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
				Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(port))}}}},
			},
		},
		statefulSet(cache, image, meta, labels, login != nil, replicas),
	}
	if login != nil {
		out = append(out, &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: login})
	}
	return out
}

func statefulSet(cache Cache, image string, meta metav1.ObjectMeta, labels map[string]string, login bool, replicas int32) *appsv1.StatefulSet {
	size, class := volumeOf(cache)
	podLabels := map[string]string{constants.LabelNetworkPolicyToDNS: allowed, constants.LabelNetworkPolicyToPublicNetworks: allowed}
	for key, value := range meta.Labels {
		podLabels[key] = value
	}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Labels: map[string]string{
			labelApp: meta.Name, constants.GardenRole: constants.GardenRoleSystemComponent, constants.ShootNoCleanup: "true",
		}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		},
	}
	if class != "" {
		claim.Spec.StorageClassName = &class
	}
	pod := podSpec(cache, image, meta.Name)
	if login {
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "credentials", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: meta.Name}}})
		pod.Containers[0].VolumeMounts = append(pod.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "credentials", MountPath: credentials, ReadOnly: true})
		pod.Containers[0].Args = append(pod.Containers[0].Args, "--credentials-dir="+relative(credentials))
	}
	return &appsv1.StatefulSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"}, ObjectMeta: meta,
		Spec: appsv1.StatefulSetSpec{
			ServiceName: meta.Name, Replicas: &replicas, RevisionHistoryLimit: ptr.To[int32](1), PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
			},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{claim},
			Template:             corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels}, Spec: pod},
		},
	}
}

func podSpec(cache Cache, image, name string) corev1.PodSpec {
	ttl := defaultTTL
	if gc := cache.GarbageCollection; gc != nil {
		ttl = gc.TTL.Duration
	}
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/v2/", Port: intstr.FromInt32(port)}}, PeriodSeconds: 10, TimeoutSeconds: 5}
	container := corev1.Container{
		Name: proxy.Name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
		Args:  []string{"component", proxy.Name, "--remote-url=" + remoteURL(cache), "--dir=" + relative(dataDir), "--bind-address=$(POD_IP)", fmt.Sprintf("--port=%d", port), "--ttl=" + ttl.String()},
		Ports: []corev1.ContainerPort{{Name: portName, ContainerPort: port}},
		Env:   environment(cache.Proxy), ReadinessProbe: probe, LivenessProbe: probe,
		VolumeMounts:    []corev1.VolumeMount{{Name: "cache", MountPath: dataDir}},
		Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi")}},
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"DAC_OVERRIDE"}}}, // volumes may belong to others
	}
	return corev1.PodSpec{
		ServiceAccountName: name, AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
		PriorityClassName: "system-cluster-critical", TerminationGracePeriodSeconds: ptr.To[int64](10), Containers: []corev1.Container{container},
	}
}

// relative is a path without its leading slash. It works for processes in a container and in a directory.
func relative(path string) string { return strings.TrimPrefix(path, "/") }

func environment(p *Proxy) []corev1.EnvVar {
	out := []corev1.EnvVar{{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}}}
	if p != nil && p.HTTPProxy != nil {
		out = append(out, corev1.EnvVar{Name: "HTTP_PROXY", Value: *p.HTTPProxy})
	}
	if p != nil && p.HTTPSProxy != nil {
		out = append(out, corev1.EnvVar{Name: "HTTPS_PROXY", Value: *p.HTTPSProxy})
	}
	return out
}

// documents are the objects in YAML by file name.
func documents(all []client.Object) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, object := range all {
		data, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("encode %s %s: %w", object.GetObjectKind().GroupVersionKind().Kind, object.GetName(), err)
		}
		out[object.GetObjectKind().GroupVersionKind().Kind+"-"+object.GetName()+".yaml"] = data
	}
	return out, nil
}
