package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/policytest"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	sun, moon  = "shoot--sky--sun", "shoot--sky--moon"
	nodeOfSeed = "10.0.0.5"
	apiServer  = "10.0.0.99"
)

// connection is one line of the table; the ends are namespace/name of a workload, or an address.
type connection struct {
	from, to string
	port     int32
	protocol corev1.Protocol
	blocked  bool
}

// world is what is written and what runs, with an address for each pod.
type world struct {
	policytest.World
	peers map[string]policytest.Peer
}

func (w world) check(t *testing.T, c connection) {
	t.Helper()
	end := func(name string) policytest.Peer {
		if peer, found := w.peers[name]; found {
			return peer
		}
		if strings.Contains(name, "/") {
			t.Fatalf("no workload %q", name)
		}
		return policytest.Peer{Address: name}
	}
	protocol := corev1.ProtocolTCP
	if c.protocol != "" {
		protocol = c.protocol
	}
	if why := w.Blocked(end(c.from), end(c.to), protocol, c.port); (why != "") != c.blocked {
		t.Errorf("%s to %s at %d: blocked %t (%s), want %t", c.from, c.to, c.port, why != "", why, c.blocked)
	}
}

func policiesOf(ctx context.Context, namespace string) (map[string]networkingv1.NetworkPolicy, error) {
	list := &networkingv1.NetworkPolicyList{}
	err := cluster.List(ctx, list, client.InNamespace(namespace))
	out := map[string]networkingv1.NetworkPolicy{}
	for _, policy := range list.Items {
		out[policy.Name] = policy
	}
	return out, err
}

// prepare makes two shoots and the components of a seed, and waits until each Service has its policies.
func prepare(t *testing.T) (objects []client.Object) {
	t.Helper()
	for _, namespace := range []string{sun, moon} {
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{constants.GardenRole: constants.GardenRoleShoot}}})
		objects = append(append(objects, controlPlane(t, namespace)...), etcds(t, namespace)...)
	}
	objects = append(objects, seedComponents()...)
	applyServices(t, objects)
	create(t, &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: "default", Name: "kubernetes-test", Labels: map[string]string{discoveryv1.LabelServiceName: "kubernetes"}},
		AddressType: discoveryv1.AddressTypeIPv4, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{apiServer}}},
		Ports: []discoveryv1.EndpointPort{{Name: ptr.To("https"), Port: ptr.To[int32](6443), Protocol: ptr.To(corev1.ProtocolTCP)}},
	})
	services := &corev1.ServiceList{}
	if err := cluster.List(t.Context(), services); err != nil {
		t.Fatal(err)
	}
	eventually(t, "policies", func(ctx context.Context) error {
		for _, namespace := range []string{sun, moon, "garden", "istio-ingress", handlerNamespace} {
			policies, err := policiesOf(ctx, namespace)
			if err != nil {
				return err
			}
			if _, found := policies["deny-all"]; !found {
				return fmt.Errorf("namespace %q is open", namespace)
			}
			for _, service := range services.Items {
				if service.Namespace == namespace && len(service.Spec.Selector) > 0 && !slices.ContainsFunc(service.Spec.Ports, func(port corev1.ServicePort) bool {
					_, found := policies[fmt.Sprintf("ingress-to-%s-tcp-%d", service.Name, port.TargetPort.IntVal)]
					return found
				}) {
					return fmt.Errorf("no policy for service %s/%s", namespace, service.Name)
				}
			}
			if !strings.Contains(fmt.Sprint(policies["allow-to-runtime-apiserver"].Spec), apiServer) {
				return fmt.Errorf("namespace %q: the API server's address is not known", namespace)
			}
		}
		return nil
	})
	return objects
}

func theWorld(t *testing.T, objects []client.Object) world {
	t.Helper()
	w := world{World: policytest.World{Namespaces: map[string]map[string]string{}}, peers: map[string]policytest.Peer{}}
	namespaces, policies := &corev1.NamespaceList{}, &networkingv1.NetworkPolicyList{}
	for _, list := range []client.ObjectList{namespaces, policies} {
		if err := cluster.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	for _, namespace := range namespaces.Items {
		w.Namespaces[namespace.Name] = namespace.Labels
	}
	w.Policies = policies.Items
	number := 0
	for key, template := range templates(objects) {
		namespace, _, _ := strings.Cut(key, "/")
		number++
		at := address(0, number)
		if template.Spec.HostNetwork {
			at = nodeOfSeed
		}
		w.peers[key] = policytest.Pod(namespace, template, at)
	}
	w.peers["kube-system/coredns"] = policytest.Peer{Namespace: "kube-system", Labels: map[string]string{"k8s-app": "kube-dns"}, Address: address(1, 1)}
	w.peers["default/stranger"] = policytest.Peer{Namespace: "default", Address: address(1, 2)}
	for _, namespace := range []string{sun, moon, "garden", "istio-ingress", handlerNamespace} {
		w.peers[namespace+"/unlabelled"] = policytest.Peer{Namespace: namespace, Labels: map[string]string{"app": "unlabelled"}, Address: address(2, len(w.peers))}
	}
	return w
}

// gardenService is the Service behind which pods of the seed find the garden.
var gardenService = client.ObjectKey{Namespace: constants.GardenNamespace, Name: "virtual-garden-kube-apiserver"}

// gardenIsAllowed waits until policies allow the address of the Service, and the pods behind it.
func gardenIsAllowed(t *testing.T) {
	t.Helper()
	service, err := get(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: gardenService.Namespace, Name: gardenService.Name}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "policies allow the garden", func(ctx context.Context) error {
		policies, err := policiesOf(ctx, sun)
		for _, part := range []string{service.Spec.ClusterIP + "/32", "app: " + callback.Name} {
			if err == nil && !strings.Contains(fmt.Sprint(policies["allow-to-public-networks"].Spec), part) {
				err = fmt.Errorf("%s is not allowed: %v", part, policies["allow-to-public-networks"].Spec)
			}
		}
		return err
	})
}

func TestNetworkPolicies(t *testing.T) {
	eventually(t, "bootstrapped", conditionIs("Bootstrapped", "True"))
	objects := prepare(t)
	t.Run("NET-2 GLT-22 pods that may reach public networks reach the garden behind its Service", func(t *testing.T) { gardenIsAllowed(t) })
	w := theWorld(t, objects)
	t.Run("NET-1 a pod without labels cannot connect anywhere and cannot be reached", func(t *testing.T) {
		for _, namespace := range []string{sun, "garden", "istio-ingress", handlerNamespace} {
			own := namespace + "/unlabelled"
			for _, to := range []string{sun + "/kube-apiserver", "garden/gardener-resource-manager", "kube-system/coredns", "default/stranger", apiServer, "8.8.8.8", "10.200.0.1"} {
				for _, port := range []int32{53, 443, 6443, 8053, 10250} {
					w.check(t, connection{from: own, to: to, port: port, blocked: true})
				}
			}
			for _, from := range []string{sun + "/kube-apiserver", moon + "/unlabelled", "default/stranger", nodeOfSeed} {
				w.check(t, connection{from: from, to: own, port: 443, blocked: true})
			}
		}
	})
	t.Run("NET-2 NET-8 everything that has to be reached is reached, by labels that components ship", func(t *testing.T) {
		for _, c := range waysOf(sun) {
			w.check(t, c)
		}
		for _, c := range waysOfSeed() {
			w.check(t, c)
		}
	})
	t.Run("NET-2 KON-3 so it is with the API server network proxy", func(t *testing.T) {
		for _, c := range waysOf(moon) {
			w.check(t, c)
		}
		w.check(t, connection{from: sun + "/kube-apiserver", to: moon + "/proxy-server", port: 8131, blocked: true})
	})
	t.Run("NET-2 every workload is covered by the table", func(t *testing.T) {
		covered := map[string]bool{}
		for _, c := range append(waysOf(sun), waysOfSeed()...) {
			covered[c.from], covered[c.to] = true, true
		}
		for key := range templates(objects) {
			if !covered[key] && !strings.HasPrefix(key, moon) {
				t.Errorf("nothing is said about %s", key)
			}
		}
	})
	t.Run("NET-2 components reach nothing else of their own control plane", func(t *testing.T) {
		for _, c := range []connection{
			{from: sun + "/kube-scheduler", to: sun + "/etcd-main", port: 2379}, {from: sun + "/kube-controller-manager", to: sun + "/etcd-main", port: 2379},
			{from: sun + "/vpn-seed-server", to: sun + "/kube-apiserver", port: 6443}, {from: sun + "/vpn-seed-server", to: "8.8.8.8", port: 443},
			{from: sun + "/kube-scheduler", to: "garden/" + callback.Name, port: 8443},
			{from: sun + "/kube-scheduler", to: "8.8.8.8", port: 443}, {from: sun + "/kube-apiserver", to: apiServer, port: 6443},
			{from: sun + "/kube-apiserver", to: sun + "/etcd-main", port: 8080},
			{from: sun + "/etcd-events", to: sun + "/etcd-main", port: 2380}, {from: sun + "/kube-apiserver", to: sun + "/etcd-main", port: 2380},
			{from: sun + "/kube-apiserver", to: sun + "/vpn-seed-server", port: 8080}, {from: sun + "/kube-apiserver", to: nodeOfSeed, port: 10250},
		} {
			c.blocked = true
			w.check(t, c)
		}
	})
	t.Run("NET-4 control planes cannot reach each other", func(t *testing.T) {
		pods := templates(objects)
		for from := range pods {
			for to := range pods {
				if strings.HasPrefix(from, sun) && strings.HasPrefix(to, moon) {
					for _, port := range []int32{443, 1194, 2379, 2380, 6443, 8080, 9443, 10250, 10257, 10258, 10259} {
						w.check(t, connection{from: from, to: to, port: port, blocked: true})
					}
				}
			}
		}
	})
	t.Run("NET-6 each policy has one writer", func(t *testing.T) {
		for _, namespace := range []string{sun, "garden"} {
			policies, err := policiesOf(t.Context(), namespace)
			if err != nil {
				t.Fatal(err)
			}
			for name, policy := range policies {
				writer := "gardenlet"
				if policy.Labels["networking.resources.gardener.cloud/service-name"] != "" {
					writer = "gardener-resource-manager"
				}
				if fields := policy.ManagedFields; len(fields) != 1 || fields[0].Manager != writer {
					t.Errorf("policy %s/%s is written by %+v", namespace, name, fields)
				}
			}
		}
	})
	t.Run("NET-5 blocked ranges stay blocked", func(t *testing.T) { blocked(t, objects) })
	t.Run("NET-7 the policy follows the addresses of the API server", func(t *testing.T) {
		slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "kubernetes-test"}}
		merge(t, slice, `{"endpoints":[{"addresses":["10.0.0.100"]}]}`)
		eventually(t, "new address", func(ctx context.Context) error {
			for _, namespace := range []string{sun, "garden"} {
				policies, err := policiesOf(ctx, namespace)
				if text := fmt.Sprint(policies["allow-to-runtime-apiserver"].Spec); err != nil || !strings.Contains(text, "10.0.0.100/32") || strings.Contains(text, apiServer) {
					return fmt.Errorf("%s: %s, %v", namespace, text, err)
				}
			}
			return nil
		})
		after := theWorld(t, objects)
		after.check(t, connection{from: sun + "/gardener-resource-manager", to: "10.0.0.100", port: 6443})
		after.check(t, connection{from: sun + "/gardener-resource-manager", to: apiServer, port: 6443, blocked: true})
	})
	t.Run("NET-1 what is deleted comes back, and what is not Gardener's stays as it is", func(t *testing.T) {
		own := create(t, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: sun, Name: "of-somebody"}})
		gone := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: sun, Name: "deny-all"}}
		if err := cluster.Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		eventually(t, "deny-all", func(ctx context.Context) error { _, err := get(ctx, gone); return err })
		if _, err := get(t.Context(), own); err != nil {
			t.Error(err)
		}
	})
	t.Run("NET-8 a control plane of an earlier version is closed when its pods ask for their ways", func(t *testing.T) {
		const old = "shoot--sky--old"
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: old}})
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: old, Name: "kube-scheduler", Labels: map[string]string{"app": "kubernetes", constants.GardenRole: constants.GardenRoleControlPlane}},
			Spec:       corev1.PodSpec{AutomountServiceAccountToken: ptr.To(false), Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		create(t, pod.DeepCopy())
		merge(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: old}}, fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, constants.GardenRole, constants.GardenRoleShoot))
		closed := func(ctx context.Context) (bool, error) {
			policies, err := policiesOf(ctx, old)
			if _, found := policies["allow-to-public-networks"]; err != nil || !found {
				return false, fmt.Errorf("%d policies, %v", len(policies), err)
			}
			_, found := policies["deny-all"]
			return found, nil
		}
		eventually(t, "policies that open", func(ctx context.Context) error {
			if done, err := closed(ctx); done || err != nil {
				return fmt.Errorf("closed: %t, %w", done, err)
			}
			return nil
		})
		merge(t, pod, fmt.Sprintf(`{"metadata":{"labels":{%q:"allowed"}}}`, constants.LabelNetworkPolicyToDNS))
		eventually(t, "deny-all", func(ctx context.Context) error {
			if done, err := closed(ctx); !done || err != nil {
				return fmt.Errorf("closed: %t, %w", done, err)
			}
			return nil
		})
	})
	t.Run("NET-1 a namespace without the label is open again", func(t *testing.T) {
		merge(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: moon}}, fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, constants.GardenRole))
		eventually(t, "no policies", func(ctx context.Context) error {
			if policies, err := policiesOf(ctx, moon); err != nil || len(policies) > 0 {
				return fmt.Errorf("%d policies, %v", len(policies), err)
			}
			return nil
		})
	})
}

// waysOf are all connections that a control plane needs.
func waysOf(namespace string) []connection {
	pod := func(name string) string { return namespace + "/" + name }
	server := pod(names.APIServer)
	tunnel, agents, egress := tunnelOf(namespace)
	ways := []connection{
		{from: server, to: pod("etcd-main"), port: 2379}, {from: server, to: pod("etcd-events"), port: 2379},
		{from: server, to: pod(tunnel.Server), port: egress}, {from: server, to: pod("gardener-resource-manager"), port: 10250},
		{from: server, to: pod(verticalpodautoscaler.Admission), port: 10250}, {from: server, to: pod(metricsserver.Name), port: 8443},
		{from: server, to: "8.8.8.8", port: 443}, {from: server, to: "192.168.7.7", port: 8443}, // identity providers and webhooks of users
		{from: pod("etcd-main"), to: pod("etcd-main"), port: 2379}, {from: pod("etcd-main"), to: pod("etcd-main"), port: 2380},
		{from: pod("etcd-events"), to: pod("etcd-events"), port: 2379}, {from: pod("etcd-events"), to: pod("etcd-events"), port: 2380},
		{from: "istio-ingress/istio-ingressgateway", to: server, port: 6443}, {from: "istio-ingress/istio-ingressgateway", to: pod(tunnel.Server), port: agents},
		{from: handlerNamespace + "/istio-ingressgateway", to: server, port: 6443}, {from: handlerNamespace + "/istio-ingressgateway", to: pod(tunnel.Server), port: agents},
		{from: pod("machine-controller-manager"), to: apiServer, port: 6443}, {from: pod("gardener-resource-manager"), to: apiServer, port: 6443},
		{from: pod("cluster-autoscaler"), to: apiServer, port: 6443},
		{from: pod("etcd-main"), to: apiServer, port: 6443}, {from: pod("etcd-events"), to: apiServer, port: 6443}, // Leases of members
		{from: pod("machine-controller-manager"), to: "8.8.8.8", port: 443},
	}
	clients := append(verticalpodautoscaler.Deployments(), metricsserver.Name,
		"kube-controller-manager", "kube-scheduler", "machine-controller-manager", "cluster-autoscaler", "gardener-resource-manager")
	for _, name := range clients {
		ways = append(ways, connection{from: pod(name), to: server, port: 6443})
	}
	for _, name := range append(clients, names.APIServer, "etcd-main", "etcd-events") {
		for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
			ways = append(ways, connection{from: pod(name), to: "kube-system/coredns", port: 53, protocol: protocol})
		}
	}
	return ways
}

// waysOfSeed are those of the components in namespace garden, and of the front door, which is in the network of a node.
func waysOfSeed() []connection {
	ways := []connection{{from: "istio-ingress/istio-ingressgateway", to: apiServer, port: 6443}}
	for _, name := range []string{"garden/gardener-resource-manager", "garden/gardener-seed-admission-controller"} {
		ways = append(ways,
			connection{from: name, to: apiServer, port: 6443}, connection{from: name, to: "10.2.0.1", port: 443},
			connection{from: name, to: "kube-system/coredns", port: 53, protocol: corev1.ProtocolUDP},
			connection{from: apiServer, to: name, port: 10250})
	}
	const calls = "garden/" + callback.Name
	return append(ways,
		connection{from: apiServer, to: calls, port: 10250}, connection{from: apiServer, to: calls, port: 10251}, // webhooks
		connection{from: sun + "/" + names.APIServer, to: calls, port: 8443}) // may reach public networks, and so the garden
}

func blocked(t *testing.T, objects []client.Object) {
	const inPrivate, inPublic, metadata = "192.168.7.7", "203.0.113.9", "169.254.169.254"
	server := sun + "/" + names.APIServer
	theWorld(t, objects).check(t, connection{from: server, to: inPublic, port: 443})
	merge(t, theSeed(), `{"spec":{"networks":{"blockCIDRs":["192.168.7.0/24","203.0.113.0/24","169.254.169.254/32"]}}}`)
	eventually(t, "blocked ranges", func(ctx context.Context) error {
		policies, err := policiesOf(ctx, sun)
		if _, found := policies["allow-to-blocked-cidrs"]; err != nil || !found {
			return fmt.Errorf("%d policies, %v", len(policies), err)
		}
		return nil
	})
	w := theWorld(t, objects)
	w.peers[sun+"/privileged"] = policytest.Peer{Namespace: sun, Labels: names.Allowed(constants.LabelNetworkPolicyToBlockedCIDRs), Address: address(3, 1)}
	for _, to := range []string{inPrivate, inPublic, metadata} {
		w.check(t, connection{from: server, to: to, port: 443, blocked: true})
		w.check(t, connection{from: sun + "/privileged", to: to, port: 443})
	}
	w.check(t, connection{from: server, to: "192.168.8.8", port: 443})
	w.check(t, connection{from: server, to: "203.0.114.9", port: 443})
}
