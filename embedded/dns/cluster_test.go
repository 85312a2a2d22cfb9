package dns_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestServicesOfACluster(t *testing.T) {
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	client := kubernetes.NewForConfigOrDie(env.Config)
	labels := map[string]string{"app": "etcd"}
	port := []corev1.ServicePort{{Name: "client", Port: 2379}}
	makeService(t, client, "web", corev1.ServiceSpec{ClusterIP: "127.96.7.7", Ports: port})
	makeService(t, client, "etcd", corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: labels, Ports: port})
	makeService(t, client, "etcd-peers", corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: labels, Ports: port, PublishNotReadyAddresses: true})
	makeService(t, client, "alias", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "web.default.svc.cluster.local"})
	makePod(t, client, "etcd-0", "127.64.0.10", "etcd", labels, true)
	makePod(t, client, "etcd-1", "127.64.0.11", "etcd-peers", labels, false)

	server := dns.New(dns.Config{Name: "dns", Address: "127.0.0.1:0", Client: env.Config, Upstreams: []string{}})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop(context.Background()) }()
	testwait.Until(t, "the server is ready", func() error { return server.Ready(t.Context()) })
	resolver := dns.Resolver(server.Addr().String())

	for name, tc := range map[string]struct {
		host string
		want []string
	}{
		"a Service has its cluster IP":                   {"web.default.svc", []string{"127.96.7.7"}},
		"a Service in full":                              {"web.default.svc.cluster.local", []string{"127.96.7.7"}},
		"an external name leads to its target":           {"alias.default.svc", []string{"127.96.7.7"}},
		"a headless Service has its ready pods":          {"etcd.default.svc", []string{"127.64.0.10"}},
		"a headless Service may have all pods":           {"etcd-peers.default.svc", []string{"127.64.0.10", "127.64.0.11"}},
		"a pod has a name in its own Service":            {"etcd-0.etcd.default.svc.cluster.local", []string{"127.64.0.10"}},
		"a pod that is not ready has one if published":   {"etcd-1.etcd-peers.default.svc", []string{"127.64.0.11"}},
		"a pod has the name of its address":              {"127-64-0-10.etcd-peers.default.svc", []string{"127.64.0.10"}},
		"a pod has no name in a Service it did not name": {"etcd-0.etcd-peers.default.svc", nil},
		"a Service of another namespace does not exist":  {"web.kube-system.svc", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := resolver.LookupHost(t.Context(), tc.host)
			slices.Sort(got)
			if !slices.Equal(got, tc.want) || (err != nil) != (tc.want == nil) {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	for name, tc := range map[string]struct {
		service string
		want    []string
	}{
		"APP-13 a Service has a port":                     {"web", []string{"web.default.svc.cluster.local.:2379"}},
		"APP-13 pods of a headless Service have ports":    {"etcd", []string{"etcd-0.etcd.default.svc.cluster.local.:2379"}},
		"APP-13 pods without a name have that of address": {"etcd-peers", []string{"127-64-0-10.etcd-peers.default.svc.cluster.local.:2379", "etcd-1.etcd-peers.default.svc.cluster.local.:2379"}},
		"APP-13 a Service that does not exist has none":   {"missing", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, records, err := resolver.LookupSRV(t.Context(), "client", "tcp", tc.service+".default.svc.cluster.local")
			var got []string
			for _, record := range records {
				got = append(got, fmt.Sprintf("%s:%d", record.Target, record.Port))
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) || (err != nil) != (tc.want == nil) {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func makeService(t *testing.T, client kubernetes.Interface, name string, spec corev1.ServiceSpec) {
	t.Helper()
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	if _, err := client.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func makePod(t *testing.T, client kubernetes.Interface, name, ip, subdomain string, labels map[string]string, ready bool) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PodSpec{
			Hostname: name, Subdomain: subdomain, NodeName: "node",
			Containers: []corev1.Container{{Name: "etcd", Image: "etcd"}},
		},
	}
	pod, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	if _, err := client.CoreV1().Pods("default").UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
