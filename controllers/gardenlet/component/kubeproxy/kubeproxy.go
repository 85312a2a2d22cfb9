// Package kubeproxy builds the kube-proxy of a shoot: a DaemonSet for every worker pool and its version. The resource
// manager of the shoot applies it.
package kubeproxy

import (
	"cmp"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Resource is the name of the ManagedResource.
const Resource = "shoot-core-kube-proxy"

const name = "kube-proxy"

// Values are the inputs for the objects.
type Values struct {
	// Config is the configuration in the Shoot; nil for all defaults.
	Config *gardencorev1beta1.KubeProxyConfig
	// PodCIDR is the pod range of the shoot.
	PodCIDR string
	// Server is the URL of the API server for nodes. CA verifies its certificate.
	Server string
	CA     []byte
	// Image for all pools; by default each pool uses the public image of its version.
	Image string
	Pools []Pool
	// Annotations of the pods.
	Annotations map[string]string
}

// Pool is a worker pool and the version of its kubelets.
type Pool struct{ Name, Version string }

// Objects builds all of it.
func Objects(v Values) ([]client.Object, error) {
	configuration, err := configuration(v)
	if err != nil {
		return nil, err
	}
	config := pod.ConfigMap("kube-proxy-config", metav1.NamespaceSystem, map[string]string{"config.yaml": configuration, "kubeconfig": kubeconfig(v.Server), "ca.crt": string(v.CA)})
	meta := metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem}
	out := []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "gardener.cloud:target:node-proxier"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:node-proxier"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: metav1.NamespaceSystem}},
		},
		config,
	}
	for _, pool := range v.Pools {
		out = append(out, daemonSet(pool, config.Name, cmp.Or(v.Image, "registry.k8s.io/kube-proxy:v"+pool.Version), v.Annotations))
	}
	return out, nil
}

func configuration(v Values) (string, error) {
	mode := gardencorev1beta1.ProxyModeIPTables
	document := map[string]any{
		"apiVersion":         "kubeproxy.config.k8s.io/v1alpha1",
		"kind":               "KubeProxyConfiguration",
		"clientConnection":   map[string]any{"kubeconfig": "/var/lib/kube-proxy/kubeconfig"},
		"metricsBindAddress": "0.0.0.0:10249",
		"clusterCIDR":        v.PodCIDR,
		// the setting of the host is kept: nodes that are containers may not change it
		"conntrack": map[string]any{"maxPerCore": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
	}
	if v.Config != nil {
		mode = ptr.Deref(v.Config.Mode, mode)
		if len(v.Config.FeatureGates) > 0 {
			document["featureGates"] = v.Config.FeatureGates
		}
	}
	document["mode"] = strings.ToLower(string(mode))
	raw, err := yaml.Marshal(document)
	if err != nil {
		return "", fmt.Errorf("encode configuration of %s: %w", name, err)
	}
	return string(raw), nil
}

func kubeconfig(server string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: kube-proxy
clusters:
- name: kube-proxy
  cluster:
    server: %s
    certificate-authority: ca.crt
contexts:
- name: kube-proxy
  context:
    cluster: kube-proxy
    user: kube-proxy
users:
- name: kube-proxy
  user:
    tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
`, server)
}

func daemonSet(pool Pool, config, image string, annotations map[string]string) *appsv1.DaemonSet {
	full := fmt.Sprintf("%s-%s-v%s", name, pool.Name, pool.Version)
	labels := map[string]string{constants.LabelApp: constants.LabelKubernetes, constants.LabelRole: constants.LabelProxy, "pool": pool.Name, "version": pool.Version}
	podLabels := map[string]string{constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener", constants.LabelNodeCriticalComponent: "true"}
	for key, value := range labels {
		podLabels[key] = value
	}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: full, Namespace: metav1.NamespaceSystem, Labels: podLabels},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, RevisionHistoryLimit: ptr.To[int32](1),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: annotations},
				Spec: corev1.PodSpec{
					ServiceAccountName: name, PriorityClassName: "system-node-critical", HostNetwork: true,
					NodeSelector: map[string]string{constants.LabelWorkerPool: pool.Name, constants.LabelWorkerKubernetesVersion: pool.Version},
					Tolerations:  []corev1.Toleration{{Effect: corev1.TaintEffectNoSchedule, Operator: corev1.TolerationOpExists}, {Effect: corev1.TaintEffectNoExecute, Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: name, Image: image,
						Command:         []string{"/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.yaml"},
						SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
						Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20m"), corev1.ResourceMemory: resource.MustParse("64Mi")}},
						VolumeMounts: []corev1.VolumeMount{
							{Name: "config", MountPath: "/var/lib/kube-proxy"},
							{Name: "modules", MountPath: "/lib/modules", ReadOnly: true},
							{Name: "xtables", MountPath: "/run/xtables.lock"},
						},
					}},
					Volumes: []corev1.Volume{
						{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: config}}}},
						hostPath("modules", "/lib/modules", corev1.HostPathDirectoryOrCreate),
						hostPath("xtables", "/run/xtables.lock", corev1.HostPathFileOrCreate),
					},
				},
			},
		},
	}
}

func hostPath(name, path string, kind corev1.HostPathType) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}}}
}
