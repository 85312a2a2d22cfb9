package metricsserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	listers "k8s.io/client-go/listers/core/v1"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// api is the handler over two answers of one kubelet, without authentication.
func api(t *testing.T) http.Handler {
	t.Helper()
	data := feed(t, told("00", "10", "1760000000"), told("20", "15", "1760000000"))
	index := func(objects ...any) cache.Indexer {
		out := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		for _, object := range objects {
			if err := out.Add(object); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	nodeIndex := index(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: map[string]string{"pool": "a"}}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "silent"}})
	podIndex := index(
		&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: web.Name, Namespace: web.Namespace, Labels: map[string]string{"app": "web"}}},
		&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "new", Namespace: web.Namespace}},
	)
	config, group := configuration(map[string]rest.Storage{
		"nodes": nodes{data, listers.NewNodeLister(nodeIndex)}, "pods": pods{data, cache.NewGenericLister(podIndex, schema.GroupResource{Resource: "pods"})},
	})
	config.ExternalAddress, config.LoopbackClientConfig = "localhost:443", &clientrest.Config{}
	server, err := assemble(config, group)
	if err != nil {
		t.Fatal(err)
	}
	return server.Handler
}

func ask(t *testing.T, handler http.Handler, path, accept string, into any) int {
	t.Helper()
	req := httptest.NewRequest(http.MethodGet, "/apis/metrics.k8s.io/v1beta1"+path, nil)
	req.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, req)
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	return w.Code
}

func TestAPI(t *testing.T) {
	handler := api(t)
	const plain = "application/json"
	t.Run("API-21 nodes are listed that are measured", func(t *testing.T) {
		var list v1beta1.NodeMetricsList
		ask(t, handler, "/nodes", plain, &list)
		if len(list.Items) != 1 || list.Items[0].Name != "node" || list.Items[0].Usage.Cpu().String() != "250m" {
			t.Errorf("nodes: %+v", list.Items)
		}
	})
	t.Run("API-21 a pod has the usage of its containers", func(t *testing.T) {
		var pod v1beta1.PodMetrics
		ask(t, handler, "/namespaces/default/pods/web-1", plain, &pod)
		if len(pod.Containers) != 1 || pod.Containers[0].Name != "web" || pod.Containers[0].Usage.Memory().String() != "10Mi" || pod.Kind != "PodMetrics" {
			t.Errorf("pod: %+v", pod)
		}
	})
	t.Run("pods are selected by labels, names and namespace", func(t *testing.T) {
		for path, want := range map[string]int{
			"/pods": 1, "/pods?labelSelector=app%3Dweb": 1, "/pods?labelSelector=app%3Dother": 0, "/namespaces/other/pods": 0,
			"/pods?fieldSelector=metadata.name%3Dweb-1": 1, "/pods?fieldSelector=metadata.name%3Dnew": 0, "/nodes?labelSelector=pool%3Db": 0,
		} {
			var list v1beta1.PodMetricsList
			if ask(t, handler, path, plain, &list); len(list.Items) != want {
				t.Errorf("%s: %d items, want %d", path, len(list.Items), want)
			}
		}
	})
	t.Run("who is not measured is not found", func(t *testing.T) {
		for _, path := range []string{"/nodes/silent", "/nodes/nosuch", "/namespaces/default/pods/new"} {
			var status metav1.Status
			if code := ask(t, handler, path, plain, &status); code != http.StatusNotFound {
				t.Errorf("%s: %d", path, code)
			}
		}
	})
	t.Run("kubectl prints tables", func(t *testing.T) {
		var table metav1.Table
		ask(t, handler, "/pods", "application/json;as=Table;v=v1;g=meta.k8s.io", &table)
		if len(table.Rows) != 1 || len(table.ColumnDefinitions) != 4 || table.Rows[0].Cells[1] != "250m" || table.Rows[0].Cells[2] != "10Mi" {
			t.Errorf("table: %+v", table)
		}
	})
}
