package usage

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func node(name, ip string, port int) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeInternalIP, Address: ip}}
	n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	return n
}

func metrics(namespace, container string, cpu, memory int) string {
	labels := fmt.Sprintf(`{container="%s",namespace="%s",pod="p-%s"}`, container, namespace, namespace)
	return fmt.Sprintf("container_cpu_usage_seconds_total%s %d\ncontainer_memory_working_set_bytes%s %d\n", labels, cpu, labels, memory)
}

func TestNamespaces(t *testing.T) {
	var all corev1.NodeList
	answers := map[string]string{
		"/metrics/resource":                        metrics("a", "etcd", 2, 100) + metrics("a", "api", 3, 50) + metrics("b", "etcd", 1, 10),
		"/api/v1/nodes/far/proxy/metrics/resource": metrics("a", "etcd", 4, 1000),
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/nodes" {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(all)
			return
		}
		answer, known := answers[r.URL.Path]
		if !known {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	all.APIVersion, all.Kind = "v1", "NodeList"
	all.Items = []corev1.Node{node("near", "127.0.0.1", number), node("far", "192.0.2.1", 10250)}
	seed := &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}

	t.Run("APP-2 the use of all containers of a namespace is summed up over nodes", func(t *testing.T) {
		got, err := Namespaces(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got["a"], got["b"]; len(got) != 2 || a != (Use{1150, 9 * time.Second}) || b != (Use{10, time.Second}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a kubelet that does not answer hides no other", func(t *testing.T) {
		all.Items = append(all.Items, node("gone", "192.0.2.2", 10250))
		got, err := Namespaces(t.Context(), seed)
		if err == nil || !strings.Contains(err.Error(), "node gone: ") || got["a"].Memory != 1150 {
			t.Errorf("got %v, %v", got, err)
		}
	})
}
