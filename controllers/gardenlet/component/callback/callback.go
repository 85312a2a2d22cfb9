// Package callback builds the component by which pods and the API server of a seed reach servers of the landscape that serves the seed, if they
// cannot dial the landscape: a Deployment, and Services that lead to its pods. The landscape connects to these pods. The package writes nothing to a
// cluster.
package callback

import (
	"fmt"
	"maps"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Name of the Deployment, and of the Service that leads to webhooks of the landscape.
const Name = "landscape-callback"

// Names of the servers of the landscape.
const (
	Garden         = "garden"            // the front door to the garden
	ProviderLocal  = "provider-local"    // the webhook of the provider
	GardenOperator = "gardener-operator" // the webhooks for Gardens
	Records        = "records"           // the name server for the records of shoots
)

// records is the name of the Service that leads to that name server.
const records = "landscape-records"

// RecordsServer is host:port of the name server, for pods of the seed with the label that ReachRecords returns.
const RecordsServer = records + "." + constants.GardenNamespace + ".svc:53"

// ReachRecords is the label of pods in namespaces of shoots that ask the name server.
func ReachRecords() string {
	return names.Reach(constants.GardenNamespace+"-"+records, recordsPort)
}

// LandscapePort is the port of the pods, at their loopback address, to which the landscape connects.
const LandscapePort = 9444

const (
	gardenPort  = 8443 // of the pods
	recordsPort = 8053
	healthPort  = 8081
)

// webhooks are the ports of the servers of webhooks, those of the Service and of its pods.
var webhooks = map[string]int32{ProviderLocal: pod.WebhookPort, GardenOperator: pod.WebhookPort + 1}

// Labels of the pods.
func Labels() map[string]string { return map[string]string{constants.LabelApp: Name} }

// Webhook is where the API server of the seed calls a server of webhooks.
func Webhook(server string) *admissionregistrationv1.ServiceReference {
	return &admissionregistrationv1.ServiceReference{Namespace: constants.GardenNamespace, Name: Name, Port: ptr.To(webhooks[server])}
}

// Objects builds the Services and, last, the Deployment. image is the appliance image. garden is the name of the Service of the garden.
func Objects(image string, garden types.NamespacedName) []client.Object {
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: constants.GardenNamespace, Image: image, Labels: Labels(), Component: "callback", Args: args(),
		Replicas: 1, Port: gardenPort,
		Ready: pod.Plain(pod.Ready("/connected", healthPort)), Live: pod.Plain(pod.Live("/healthz", healthPort)),
		PriorityClass: constants.PriorityClassNameSeedSystemCritical,
	})
	pod.OfSeed(deployment)
	return []client.Object{gardenService(garden), webhookService(), recordsService(), deployment}
}

func args() []string {
	args := []string{
		fmt.Sprintf("--landscape-address=127.0.0.1:%d", LandscapePort),
		fmt.Sprintf("--health-address=$(POD_IP):%d", healthPort),
		fmt.Sprintf("--listen=%s=$(POD_IP):%d", Garden, gardenPort),
		fmt.Sprintf("--listen=%s=$(POD_IP):%d", Records, recordsPort),
	}
	for _, name := range slices.Sorted(maps.Keys(webhooks)) {
		args = append(args, fmt.Sprintf("--listen=%s=$(POD_IP):%d", name, webhooks[name]))
	}
	return args
}

func gardenService(name types.NamespacedName) *corev1.Service {
	meta := metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: Labels(), Annotations: names.FromWorld(gardenPort)}
	return service(meta, corev1.ServicePort{Name: "https", Port: 443, TargetPort: intstr.FromInt32(gardenPort)})
}

// webhookService is called from the network of nodes, whose addresses no label selects.
func webhookService() *corev1.Service {
	var ports []corev1.ServicePort
	var numbers []int32
	for _, name := range slices.Sorted(maps.Keys(webhooks)) {
		ports = append(ports, corev1.ServicePort{Name: name, Port: webhooks[name], TargetPort: intstr.FromInt32(webhooks[name])})
		numbers = append(numbers, webhooks[name])
	}
	meta := metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: Name, Labels: Labels(), Annotations: names.FromWorld(numbers...)}
	return service(meta, ports...)
}

// recordsService is for etcds of shoots, which are in namespaces of their own.
func recordsService() *corev1.Service {
	meta := metav1.ObjectMeta{
		Namespace: constants.GardenNamespace, Name: records, Labels: Labels(),
		Annotations: names.FromNamespaces(map[string]string{constants.GardenRole: constants.GardenRoleShoot}),
	}
	return service(meta, corev1.ServicePort{Name: "dns-tcp", Port: 53, TargetPort: intstr.FromInt32(recordsPort)})
}

func service(meta metav1.ObjectMeta, ports ...corev1.ServicePort) *corev1.Service {
	for i := range ports {
		ports[i].Protocol = corev1.ProtocolTCP
	}
	return &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Selector: Labels(), Ports: ports}}
}
