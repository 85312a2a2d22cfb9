// Package prometheus builds the Prometheuses of a seed, of a shoot, and of a Garden in a cluster. It writes nothing to a cluster.
package prometheus

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/examples/monitoring"
)

// component is the name for `gardener component`.
const component = "prometheus"

// Port serves queries, over TLS and to whoever has the password.
const Port = 9090

// Directories and files of the container. The configuration names the others relative to its own directory, since a node may have the
// container anywhere.
const (
	dirConfig  = "/etc/prometheus/config"
	dirCA      = "/etc/prometheus/ca"
	dirAccess  = "/etc/prometheus/access"
	dirUsers   = "/etc/prometheus/users"
	dirServer  = "/etc/prometheus/server"
	dirData    = "/var/prometheus"
	fileConfig = "prometheus.yaml"
	fileRules  = "rules.yaml"
)

// deployment is what Prometheuses differ in.
type deployment struct {
	name, namespace, image string
	replicas               int32
	labels                 map[string]string // select the pods
	config                 configuration
	mounts                 []pod.Mount // of what it needs to ask its targets
	server, users          string      // Secrets with its certificate and with the password
	account, priority      string
	reaches                []string
	// loopback means that it also serves at the loopback address, where kubelets forward ports to.
	loopback bool
}

// objects builds the Service, the configuration and, last, the StatefulSet.
func (d deployment) objects() ([]client.Object, *appsv1.StatefulSet, error) {
	text, err := d.config.encode()
	if err != nil {
		return nil, nil, fmt.Errorf("configure %s: %w", d.name, err)
	}
	config := pod.ConfigMap(d.name+"-config", d.namespace, map[string]string{fileConfig: text, fileRules: monitoring.AlertRules()})
	address := "$(POD_IP)"
	if d.loopback {
		address = ""
	}
	template := pod.Deployment(pod.Spec{
		Name: d.name, Namespace: d.namespace, Image: d.image, Labels: d.labels, Component: component, Replicas: d.replicas, Port: Port,
		Args: []string{
			"--config-file=" + pod.File(dirConfig, fileConfig), "--data-dir=" + pod.File(dirData, ""), fmt.Sprintf("--bind-address=%s:%d", address, Port),
			"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert), "--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
			"--users-dir=" + pod.File(dirUsers, ""),
		},
		Ready: pod.Ready("/-/ready", Port), Live: pod.Live("/-/healthy", Port),
		Mounts: append([]pod.Mount{
			{Path: dirConfig, ConfigMaps: []string{config.Name}}, {Path: dirServer, Secrets: []string{d.server}},
			{Path: dirUsers, Secrets: []string{d.users}}, {Path: dirData, EmptyDir: true},
		}, d.mounts...),
		ServiceAccount: d.account, PriorityClass: d.priority, Reaches: d.reaches,
	})
	bound(&template.Spec.Template.Spec)
	service := pod.Service(metav1.ObjectMeta{Name: d.name, Namespace: d.namespace, Labels: d.labels}, d.labels, "web", Port)
	set := &appsv1.StatefulSet{
		ObjectMeta: template.ObjectMeta,
		Spec: appsv1.StatefulSetSpec{
			Replicas: template.Spec.Replicas, Selector: template.Spec.Selector, Template: template.Spec.Template, ServiceName: d.name,
			RevisionHistoryLimit: template.Spec.RevisionHistoryLimit, PodManagementPolicy: appsv1.ParallelPodManagement,
		},
	}
	set.Labels[constants.GardenRole] = constants.GardenRoleMonitoring
	return []client.Object{config, service, set}, set, nil
}

// What a Prometheus may take of its node. The program bounds the series that it keeps, which are what takes memory, so this is the second line: a
// limit alone would end the program again each time it reads what it has stored.
const (
	mostMemory  = "2Gi"
	mostHeap    = "1700MiB" // from here on, collecting garbage is worth its time
	mostStorage = "2Gi"     // blocks are deleted long before; the log of writes is not
)

func bound(spec *corev1.PodSpec) {
	container := &spec.Containers[0]
	container.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(mostMemory)}
	container.Env = append(container.Env, corev1.EnvVar{Name: "GOMEMLIMIT", Value: mostHeap})
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil {
			dir.SizeLimit = ptr.To(resource.MustParse(mostStorage))
		}
	}
}
