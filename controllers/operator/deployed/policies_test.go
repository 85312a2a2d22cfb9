package deployed

import (
	"net/netip"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	general "github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy"
	"github.com/gardener-up/gardener-up/controllers/operator/networkpolicy"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	evaluate "github.com/gardener-up/gardener-up/embedded/networkpolicy"
)

const (
	apiServerOfRuntime = "172.18.0.2"
	nodeLocalDNS       = "169.254.20.10"
)

// runtimeCluster enforces the policies of a deployed Garden.
type runtimeCluster struct {
	*testing.T
	policies map[string][]*networkingv1.NetworkPolicy
	pods     map[string]evaluate.End
}

func (c *runtimeCluster) Policies(namespace string) []*networkingv1.NetworkPolicy {
	return c.policies[namespace]
}

func (*runtimeCluster) Namespace(name string) (map[string]string, bool) {
	return map[string]string{corev1.LabelMetadataName: name}, true
}

func (c *runtimeCluster) add(namespace, name string, labels map[string]string) {
	address := netip.AddrFrom4([4]byte{10, 1, 0, byte(len(c.pods) + 1)})
	c.pods[name] = evaluate.End{Address: address, Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}}
}

// end is a pod, or an address outside of the cluster.
func (c *runtimeCluster) end(name string) evaluate.End {
	if pod, found := c.pods[name]; found {
		return pod
	}
	return evaluate.End{Address: netip.MustParseAddr(name)}
}

func (c *runtimeCluster) allows(from, to string, protocol corev1.Protocol, port int32) error {
	connection := evaluate.Connection{From: c.end(from), To: c.end(to), Protocol: protocol, Port: port}
	if err := evaluate.Egress(c, connection); err != nil {
		return err
	}
	return evaluate.Ingress(c, connection)
}

// enforce makes the pods of what is deployed, and all policies.
func (b *bench) enforce(garden *operatorv1alpha1.Garden) *runtimeCluster {
	b.Helper()
	druid := &etcd.Reconciler{
		Client: b.Client, Reader: b.Client, Recorder: events.NewFakeRecorder(100), Clock: b.inputs.Clock, Image: b.inputs.Image, IgnoreOperationAnnotation: true,
	}
	for _, name := range []string{etcdMain, etcdEvents} {
		for range 3 {
			if _, err := druid.Reconcile(b.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}); err != nil {
				b.Fatal(err)
			}
		}
		b.read(name, &appsv1.StatefulSet{}) // the druid refuses a store with the backups of others
	}
	c := &runtimeCluster{T: b.T, policies: map[string][]*networkingv1.NetworkPolicy{}, pods: map[string]evaluate.End{}}
	deployments, sets, services := &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &corev1.ServiceList{}
	for _, list := range []client.ObjectList{deployments, sets, services} {
		if err := b.List(b.Context(), list, client.InNamespace(namespace)); err != nil {
			b.Fatal(err)
		}
	}
	for _, deployment := range deployments.Items {
		c.add(namespace, deployment.Name, deployment.Spec.Template.Labels)
	}
	for _, set := range sets.Items {
		c.add(namespace, set.Name, set.Spec.Template.Labels)
		if set.Name != prometheus.Garden {
			c.add(namespace, set.Name+"-1", set.Spec.Template.Labels)
		}
	}
	c.add(namespace, "operator", map[string]string{"app": "gardener", "role": "operator"})
	c.add(namespace, "gardenlet", map[string]string{
		"networking.gardener.cloud/to-dns": "allowed", "networking.gardener.cloud/to-runtime-apiserver": "allowed", "networking.gardener.cloud/to-public-networks": "allowed",
	})
	c.add(namespace, "unlabelled", map[string]string{"app": "unlabelled"})
	c.add("kube-system", "dns", map[string]string{"k8s-app": "kube-dns"})
	c.add("default", "stranger", map[string]string{"app": "gardener", "role": "operator"})
	policies, err := networkpolicy.Plan(networkpolicy.World{
		Garden: garden, Namespace: namespace, Services: services.Items, Entrance: APIServer,
		APIServer: []general.Endpoint{{Address: apiServerOfRuntime, Port: 6443}}, Resolvers: []string{nodeLocalDNS},
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range policies {
		c.policies[policy.Namespace] = append(c.policies[policy.Namespace], policy)
	}
	return c
}

// way is a connection; the protocol is TCP.
type way struct {
	from, to string
	port     int32
}

// neededWays are all connections of a deployed Garden.
func neededWays() []way {
	ways := []way{
		{apiServer, etcdMain, 2379}, {apiServer, etcdEvents, 2379}, {apiServer, gardenerAPIServer, portAPIServer}, {apiServer, gardenerAdmission, portAdmission},
		{apiServer, "8.8.8.8", 443}, {apiServer, "192.168.7.7", 8443}, // identity providers and webhooks of users
		{gardenerAPIServer, etcdMain, 2379}, {gardenerAPIServer, "8.8.8.8", 443},
		{gardenerControllerManager, "8.8.8.8", 443},
		{etcdMain, etcdMain + "-1", 2379}, {etcdMain, etcdMain + "-1", 2380}, {etcdEvents, etcdEvents + "-1", 2379}, {etcdEvents, etcdEvents + "-1", 2380},
		{etcdMain, "8.8.8.8", 443}, // backups
		{"operator", apiServer, 6443}, {"operator", etcdMain, 8080}, {"operator", gardenerAPIServer, portAPIServer}, {"operator", "8.8.8.8", 443}, {apiServerOfRuntime, "operator", 2750},
		{apiServerOfRuntime, "gardener-resource-manager", 10250}, {apiServerOfRuntime, "vpa-admission-controller", 10250}, // webhooks
		{prometheus.Garden, apiServer, 6443}, {prometheus.Garden, gardenerAPIServer, portAPIServer}, {prometheus.Garden, controllerManager, 10257},
		{prometheus.Garden, etcdMain, 2381}, {prometheus.Garden, etcdMain + "-1", 2381}, {prometheus.Garden, etcdEvents, 2381}, {prometheus.Garden, "operator", 2752},
		{prometheus.Garden, gardenerAdmission, portAdmissionMetrics}, {prometheus.Garden, gardenerControllerManager, portControllerManagerMetrics},
		{prometheus.Garden, gardenerScheduler, portSchedulerMetrics},
		{"8.8.8.8", apiServer, 6443}, {"stranger", apiServer, 6443}, {"172.18.0.9", apiServer, 6443}, {"gardenlet", apiServer, 6443}, // users, by load balancers and nodes
	}
	for _, client := range []string{controllerManager, resourceManager, gardenerAPIServer, gardenerAdmission, gardenerControllerManager, gardenerScheduler} {
		ways = append(ways, way{client, apiServer, 6443})
	}
	for _, client := range []string{
		resourceManager, "gardener-resource-manager", etcdMain, etcdEvents, "operator", "gardenlet", "vpa-admission-controller", "vpa-recommender", "vpa-updater",
	} {
		ways = append(ways, way{client, apiServerOfRuntime, 6443}, way{client, "10.2.0.1", 443})
	}
	return ways
}

// closedWays are some that nobody needs.
func closedWays() []way {
	ways := []way{
		{gardenerAPIServer, etcdEvents, 2379}, {apiServer, etcdMain, 2380}, {apiServer, etcdMain, 8080}, {apiServer, apiServerOfRuntime, 6443}, {apiServer, "10.1.9.9", 443},
		{controllerManager, etcdMain, 2379}, {controllerManager, "8.8.8.8", 443}, {gardenerScheduler, etcdMain, 2379}, {gardenerScheduler, apiServerOfRuntime, 6443},
		{resourceManager, etcdMain, 2379}, {resourceManager, gardenerAPIServer, portAPIServer}, {etcdMain, etcdEvents, 2379}, {etcdEvents, "8.8.8.8", 443},
		{"8.8.8.8", etcdMain, 2379}, {"8.8.8.8", gardenerAPIServer, portAPIServer}, {"8.8.8.8", "operator", 2752}, {"gardenlet", etcdMain, 2379}, {"gardenlet", gardenerAdmission, portAdmission},
	}
	for _, to := range []string{etcdMain, etcdEvents, gardenerAPIServer, gardenerAdmission, gardenerControllerManager, "unlabelled"} {
		for _, port := range []int32{443, 2379, 2380, 2718, portAdmission, 8080, portAPIServer} {
			ways = append(ways, way{"stranger", to, port})
			if to != "unlabelled" { // a pod reaches itself
				ways = append(ways, way{"unlabelled", to, port})
			}
		}
	}
	for _, to := range []string{etcdMain, etcdEvents} { // data
		ways = append(ways, way{prometheus.Garden, to, 2379}, way{prometheus.Garden, to, 2380}, way{prometheus.Garden, to, 8080})
	}
	for _, from := range []string{"unlabelled", "stranger", "8.8.8.8", "gardenlet", gardenerScheduler, apiServer} { // metrics
		ways = append(ways, way{from, prometheus.Garden, prometheus.Port}, way{from, etcdMain, 2381}, way{from, etcdEvents, 2381}, way{from, controllerManager, 10257},
			way{from, gardenerAdmission, portAdmissionMetrics}, way{from, gardenerControllerManager, portControllerManagerMetrics}, way{from, "operator", 2752})
		if from != gardenerScheduler {
			ways = append(ways, way{from, gardenerScheduler, portSchedulerMetrics})
		}
	}
	for _, to := range []string{apiServerOfRuntime, "10.2.0.1", "8.8.8.8", "gardener-resource-manager"} {
		ways = append(ways, way{prometheus.Garden, to, 443}, way{prometheus.Garden, to, 6443})
	}
	for _, to := range []string{apiServer, "8.8.8.8", apiServerOfRuntime, "10.2.0.1", "stranger", "dns"} {
		for _, port := range []int32{53, 443, 6443} {
			ways = append(ways, way{"unlabelled", to, port})
		}
	}
	return ways
}

// operatorService is that of gardener bootstrap.
func operatorService() *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gardener-operator"}, Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "gardener", "role": "operator"},
		Ports: []corev1.ServicePort{
			{Name: "webhooks", Port: 443, TargetPort: intstr.FromInt32(2750), Protocol: corev1.ProtocolTCP},
			{Name: "metrics", Port: 2752, TargetPort: intstr.FromInt32(2752), Protocol: corev1.ProtocolTCP},
		},
	}}
}

func TestPolicies(t *testing.T) {
	b := newBench(t, operatorService(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "credentials"}, Data: map[string][]byte{"accessKeyID": []byte("id"), "secretAccessKey": []byte("key"), "region": []byte("eu")}})
	garden := aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.RuntimeCluster.Networking.Nodes = []string{"172.18.0.0/16"}
		g.Spec.RuntimeCluster.Provider.Zones = []string{"a", "b", "c"}
		g.Spec.VirtualCluster.ETCD = &operatorv1alpha1.ETCD{Main: &operatorv1alpha1.ETCDMain{Backup: &operatorv1alpha1.Backup{
			Provider: "s3", BucketName: ptr.To("bucket"), SecretRef: corev1.LocalObjectReference{Name: "credentials"},
		}}}
	})
	b.deploy(garden)
	c := b.enforce(garden)
	t.Run("OPR-17 OPR-26 every connection that the components need is allowed", func(t *testing.T) {
		for _, way := range neededWays() {
			if err := c.allows(way.from, way.to, corev1.ProtocolTCP, way.port); err != nil {
				t.Errorf("%s to %s at %d: %v", way.from, way.to, way.port, err)
			}
		}
	})
	t.Run("OPR-26 every component asks for names, also at name servers on nodes", func(t *testing.T) {
		for name, end := range c.pods {
			if end.Pod.Namespace != namespace || name == "unlabelled" {
				continue
			}
			for _, server := range []string{"dns", "10.2.0.10", nodeLocalDNS} {
				for _, protocol := range []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP} {
					if err := c.allows(name, server, protocol, 53); err != nil {
						t.Errorf("%s to %s over %s: %v", name, server, protocol, err)
					}
				}
			}
		}
	})
	t.Run("OPR-26 what nobody needs is closed", func(t *testing.T) {
		for _, way := range closedWays() {
			if err := c.allows(way.from, way.to, corev1.ProtocolTCP, way.port); err == nil {
				t.Errorf("%s reaches %s at %d", way.from, way.to, way.port)
			}
		}
	})
	t.Run("OPR-26 every component is in the table", func(t *testing.T) {
		covered := map[string]bool{"unlabelled": true, "dns": true}
		for _, way := range neededWays() {
			covered[way.from], covered[way.to] = true, true
		}
		for name := range c.pods {
			if !covered[name] {
				t.Errorf("nothing is said about %s", name)
			}
		}
	})
	t.Run("OPR-4 OPR-26 blocked ranges of the Garden are closed for all", func(t *testing.T) {
		garden.Spec.RuntimeCluster.Networking.BlockCIDRs = []string{"8.8.8.0/24"}
		if err := b.enforce(garden).allows(apiServer, "8.8.8.8", corev1.ProtocolTCP, 443); err == nil {
			t.Error("the API server reaches a blocked range")
		}
	})
}
