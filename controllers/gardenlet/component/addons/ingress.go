package addons

import (
	"cmp"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// IngressService is the load balancer of the ingress controller, in kube-system.
const IngressService = "addons-nginx-ingress-controller"

const (
	ingressName       = "addons-nginx-ingress"
	ingressBackend    = "addons-nginx-ingress-nginx-ingress-k8s-backend"
	ingressController = "registry.k8s.io/ingress-nginx/controller:v1.12.1"
	ingressDefault    = "registry.k8s.io/defaultbackend-amd64:1.5"
	ingressClass      = "nginx"

	portHTTP, portHTTPS, portBackend, portIngressHealth = 80, 443, 8080, 10254
	ingressUser                                         = 101 // of the image
)

// Ingress builds the ingress controller and the backend for requests that match no Ingress.
func Ingress(config gardencorev1beta1.NginxIngress) []client.Object {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem, Labels: map[string]string{"app": "nginx-ingress", "release": "addons"}}
	}
	cluster := metav1.ObjectMeta{Name: ingressName, Labels: map[string]string{"app": "nginx-ingress", "release": "addons"}}
	out := []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta(ingressName)},
		&corev1.ConfigMap{ObjectMeta: meta(IngressService), Data: ingressData(config)},
		&networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: ingressClass}, Spec: networkingv1.IngressClassSpec{Controller: "k8s.io/" + ingressClass}},
		&rbacv1.ClusterRole{ObjectMeta: cluster, Rules: []rbacv1.PolicyRule{
			rule("", []string{"endpoints", "nodes", "pods", "secrets", "configmaps", "namespaces"}, "list", "watch"),
			rule("", []string{"nodes"}, "get"),
			rule("", []string{"services", "configmaps"}, "get", "list", "update", "watch"),
			rule("", []string{"events"}, "create", "patch"),
			rule("networking.k8s.io", []string{"ingresses", "ingressclasses"}, "get", "list", "watch"),
			rule("networking.k8s.io", []string{"ingresses/status"}, "update"),
			rule("coordination.k8s.io", []string{"leases"}, "list", "watch"),
			rule("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
		}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: cluster, RoleRef: roleRef("ClusterRole", ingressName), Subjects: subject(ingressName, metav1.NamespaceSystem)},
		&rbacv1.Role{ObjectMeta: meta(ingressName), Rules: []rbacv1.PolicyRule{
			rule("", []string{"configmaps", "namespaces", "pods", "secrets", "endpoints"}, "get"),
			rule("", []string{"configmaps"}, "create"),
			rule("coordination.k8s.io", []string{"leases"}, "create"),
			named(rule("coordination.k8s.io", []string{"leases"}, "get", "update"), "ingress-controller-leader", "ingress-controller-leader-nginx"),
		}},
		&rbacv1.RoleBinding{ObjectMeta: meta(ingressName), RoleRef: roleRef("Role", ingressName), Subjects: subject(ingressName, metav1.NamespaceSystem)},
		ingressService(config, meta(IngressService)),
		&corev1.Service{ObjectMeta: meta(ingressBackend), Spec: corev1.ServiceSpec{Selector: backendLabels(), Ports: []corev1.ServicePort{tcp("http", portHTTP, portBackend)}}},
		ingressWorkload().deployment(),
		backendWorkload().deployment(),
	}
	return append(out, ingressPolicies(meta)...)
}

// ingressData merges the settings of users into the defaults.
func ingressData(config gardencorev1beta1.NginxIngress) map[string]string {
	data := map[string]string{
		"server-name-hash-bucket-size": "256", "use-proxy-protocol": "false", "worker-processes": "2", "allow-snippet-annotations": "false",
	}
	for key, value := range config.Config {
		data[key] = value
	}
	return data
}

func controllerLabels() map[string]string {
	return map[string]string{"app": "nginx-ingress", "component": "controller", "release": "addons"}
}

func backendLabels() map[string]string {
	return map[string]string{"app": "nginx-ingress", "component": "nginx-ingress-k8s-backend", "release": "addons"}
}

func ingressService(config gardencorev1beta1.NginxIngress, meta metav1.ObjectMeta) *corev1.Service {
	meta.Annotations = map[string]string{"service.beta.kubernetes.io/aws-load-balancer-proxy-protocol": "*"}
	if config.Config["use-proxy-protocol"] != "true" {
		meta.Annotations = nil
	}
	policy := ptr.Deref(config.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	return &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Selector: controllerLabels(),
		LoadBalancerSourceRanges: config.LoadBalancerSourceRanges, ExternalTrafficPolicy: cmp.Or(policy, corev1.ServiceExternalTrafficPolicyCluster),
		Ports: []corev1.ServicePort{tcp("http", portHTTP, portHTTP), tcp("https", portHTTPS, portHTTPS)},
	}}
}

func ingressWorkload() workload {
	own := func(name string) string { return metav1.NamespaceSystem + "/" + name }
	labels := names.Allowed(constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyShootToAPIServer, constants.LabelNetworkPolicyToPublicNetworks)
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}
	}
	return workload{
		name: IngressService, namespace: metav1.NamespaceSystem, account: ingressName, selector: controllerLabels(), labels: labels, grace: 60,
		container: corev1.Container{
			Name: "nginx-ingress-controller", Image: ingressController,
			Args: []string{
				"/nginx-ingress-controller",
				"--default-backend-service=" + own(ingressBackend),
				"--enable-ssl-passthrough=true",
				"--publish-service=" + own(IngressService),
				"--election-id=ingress-controller-leader",
				"--update-status=true",
				"--annotations-prefix=nginx.ingress.kubernetes.io",
				"--configmap=" + own(IngressService),
				"--ingress-class=" + ingressClass,
				"--controller-class=k8s.io/" + ingressClass,
				"--watch-ingress-without-class=true",
				"--healthz-port=" + strconv.Itoa(portIngressHealth),
			},
			Env: []corev1.EnvVar{{Name: "POD_NAME", ValueFrom: field("metadata.name")}, {Name: "POD_NAMESPACE", ValueFrom: field("metadata.namespace")}},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(true), RunAsUser: ptr.To[int64](ingressUser),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"NET_BIND_SERVICE", "SYS_CHROOT"}},
			},
			Ports: []corev1.ContainerPort{
				{Name: "http", ContainerPort: portHTTP, Protocol: corev1.ProtocolTCP}, {Name: "https", ContainerPort: portHTTPS, Protocol: corev1.ProtocolTCP},
			},
			LivenessProbe:  httpProbe(corev1.URISchemeHTTP, "/healthz", portIngressHealth),
			ReadinessProbe: httpProbe(corev1.URISchemeHTTP, "/healthz", portIngressHealth),
			Resources:      requests("100m", "100Mi", "4Gi"),
		},
	}
}

func backendWorkload() workload {
	return workload{
		name: ingressBackend, namespace: metav1.NamespaceSystem, selector: backendLabels(), grace: 60,
		user: &corev1.PodSecurityContext{RunAsUser: ptr.To[int64](65534), FSGroup: ptr.To[int64](65534)},
		container: corev1.Container{
			Name: "nginx-ingress-nginx-ingress-k8s-backend", Image: ingressDefault,
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false)},
			Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: portBackend, Protocol: corev1.ProtocolTCP}},
			LivenessProbe:   httpProbe(corev1.URISchemeHTTP, "/healthy", portBackend),
			Resources:       requests("20m", "20Mi", "100Mi"),
		},
	}
}

// ingressPolicies allow traffic from anywhere to the controller, and from it to all backends, in case that users deny
// other traffic in the namespace.
func ingressPolicies(meta func(string) metav1.ObjectMeta) []client.Object {
	port := func(numbers ...int32) (out []networkingv1.NetworkPolicyPort) {
		for _, number := range numbers {
			out = append(out, networkingv1.NetworkPolicyPort{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(number))})
		}
		return out
	}
	policy := func(name, description string, selector map[string]string, spec networkingv1.NetworkPolicySpec) client.Object {
		m := meta("gardener.cloud--" + name)
		m.Annotations = map[string]string{"gardener.cloud/description": description}
		spec.PodSelector = metav1.LabelSelector{MatchLabels: selector}
		return &networkingv1.NetworkPolicy{ObjectMeta: m, Spec: spec}
	}
	return []client.Object{
		policy("allow-to-from-nginx", "Requests to the ingress controller, and its own to any backend.", controllerLabels(), networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: port(portHTTP, portHTTPS)}}, Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		}),
		policy("allow-to-nginx-backend", "Requests of the ingress controller to its default backend.", backendLabels(), networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				Ports: port(portBackend), From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: controllerLabels()}}},
			}},
		}),
	}
}
