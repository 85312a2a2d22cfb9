package proof

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
)

func TestWritten(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > 2 {
			fmt.Fprint(w, `{"gardener": "v1"}`)
		}
	}))
	defer server.Close()
	typed, err := kubernetes.NewForConfig(&restclient.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	printed, err := Inputs{Cluster: &cluster.Cluster{Kubernetes: typed}}.written(t.Context(), "pod")
	if err != nil || check(printed, "v1") != nil {
		t.Errorf("APP-25 what a container has printed is not waited for: %q, %v", printed, err)
	}
}
