package addons

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	dashboardName    = "kubernetes-dashboard"
	dashboardScraper = "dashboard-metrics-scraper"
	dashboardImage   = "docker.io/kubernetesui/dashboard:v2.7.0"
	scraperImage     = "docker.io/kubernetesui/metrics-scraper:v1.0.9"
	dashboardUser    = 1001

	portDashboard, portScraper = 8443, 8000
)

// Dashboard builds the dashboard and its metrics scraper, in their own namespace.
func Dashboard(config gardencorev1beta1.KubernetesDashboard) []client.Object {
	const namespace = constants.KubernetesDashboardNamespace
	app := map[string]string{"k8s-app": dashboardName}
	meta := metav1.ObjectMeta{Name: dashboardName, Namespace: namespace, Labels: app}
	secret := func(suffix string) client.Object {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name: dashboardName + suffix, Namespace: namespace, Labels: app,
			Annotations: map[string]string{"resources.gardener.cloud/ignore": "true"}, // the dashboard fills it
		}, Type: corev1.SecretTypeOpaque}
	}
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{constants.GardenerPurpose: dashboardName}}},
		&corev1.ServiceAccount{ObjectMeta: meta},
		secret("-certs"), secret("-csrf"), secret("-key-holder"),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: dashboardName + "-settings", Namespace: namespace, Labels: app}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: dashboardName, Labels: app}, Rules: []rbacv1.PolicyRule{
			rule("metrics.k8s.io", []string{"pods", "nodes"}, "get", "list", "watch"),
		}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: dashboardName, Labels: app}, RoleRef: roleRef("ClusterRole", dashboardName), Subjects: subject(dashboardName, namespace)},
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			named(rule("", []string{"secrets"}, "get", "update", "delete"), dashboardName+"-key-holder", dashboardName+"-certs", dashboardName+"-csrf"),
			named(rule("", []string{"configmaps"}, "get", "update"), dashboardName+"-settings"),
			named(rule("", []string{"services"}, "proxy"), "heapster", dashboardScraper),
			named(rule("", []string{"services/proxy"}, "get"), "heapster", "http:heapster:", "https:heapster:", dashboardScraper, "http:"+dashboardScraper),
		}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: roleRef("Role", dashboardName), Subjects: subject(dashboardName, namespace)},
		&corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: app, Ports: []corev1.ServicePort{tcp("", 443, portDashboard)}}},
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: dashboardScraper, Namespace: namespace, Labels: scraperLabels()},
			Spec:       corev1.ServiceSpec{Selector: scraperLabels(), Ports: []corev1.ServicePort{tcp("", portScraper, portScraper)}},
		},
		dashboardWorkload(cmp.Or(ptr.Deref(config.AuthenticationMode, ""), gardencorev1beta1.KubernetesDashboardAuthModeToken)).deployment(),
		scraperWorkload().deployment(),
	}
}

func scraperLabels() map[string]string { return map[string]string{"k8s-app": dashboardScraper} }

func hardened() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
		RunAsUser: ptr.To[int64](dashboardUser), RunAsGroup: ptr.To[int64](2001),
	}
}

func scratch() corev1.Volume {
	return corev1.Volume{Name: "tmp-volume", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

func dashboardWorkload(mode string) workload {
	return workload{
		name: dashboardName, namespace: constants.KubernetesDashboardNamespace, account: dashboardName, selector: map[string]string{"k8s-app": dashboardName}, grace: 30,
		container: corev1.Container{
			Name: dashboardName, Image: dashboardImage,
			Args:            []string{"--auto-generate-certificates", "--authentication-mode=" + mode, "--namespace=" + constants.KubernetesDashboardNamespace},
			Ports:           []corev1.ContainerPort{{ContainerPort: portDashboard, Protocol: corev1.ProtocolTCP}},
			LivenessProbe:   httpProbe(corev1.URISchemeHTTPS, "/", portDashboard),
			SecurityContext: hardened(),
			Resources:       requests("50m", "50Mi", "256Mi"),
			VolumeMounts:    []corev1.VolumeMount{{Name: "kubernetes-dashboard-certs", MountPath: "/certs"}, {Name: "tmp-volume", MountPath: "/tmp"}},
		},
		volumes: []corev1.Volume{
			{Name: "kubernetes-dashboard-certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: dashboardName + "-certs"}}},
			scratch(),
		},
	}
}

func scraperWorkload() workload {
	return workload{
		name: dashboardScraper, namespace: constants.KubernetesDashboardNamespace, account: dashboardName, selector: scraperLabels(), grace: 30,
		container: corev1.Container{
			Name: dashboardScraper, Image: scraperImage,
			Ports:           []corev1.ContainerPort{{ContainerPort: portScraper, Protocol: corev1.ProtocolTCP}},
			LivenessProbe:   httpProbe(corev1.URISchemeHTTP, "/", portScraper),
			SecurityContext: hardened(),
			Resources:       requests("10m", "20Mi", "100Mi"),
			VolumeMounts:    []corev1.VolumeMount{{Name: "tmp-volume", MountPath: "/tmp"}},
		},
		volumes: []corev1.Volume{scratch()},
	}
}
