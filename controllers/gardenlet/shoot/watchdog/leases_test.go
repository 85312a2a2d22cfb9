package watchdog

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func TestLeasesOfNodes(t *testing.T) {
	now := metav1.Now()
	answers := map[string]any{
		"/api/v1/nodes": &metav1.PartialObjectMetadataList{
			TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"},
			Items: []metav1.PartialObjectMetadata{
				{ObjectMeta: metav1.ObjectMeta{Name: "there"}}, {ObjectMeta: metav1.ObjectMeta{Name: "leaves", DeletionTimestamp: &now}}, {ObjectMeta: metav1.ObjectMeta{Name: "new"}},
			},
		},
		"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases": &coordinationv1.LeaseList{
			TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "LeaseList"},
			Items: []coordinationv1.Lease{
				{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}, {ObjectMeta: metav1.ObjectMeta{Name: "there"}}, {ObjectMeta: metav1.ObjectMeta{Name: "leaves"}},
				{ObjectMeta: metav1.ObjectMeta{Name: "made-up"}},
			},
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer server.Close()
	t.Run("only those of nodes that stay count", func(t *testing.T) {
		leases, err := ofNodes(t.Context(), &rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, lease := range leases {
			got = append(got, lease.Name)
		}
		if diff := cmp.Diff([]string{"there"}, got); diff != "" {
			t.Errorf("leases (-want +got):\n%s", diff)
		}
	})
	t.Run("without an answer about nodes there are no leases", func(t *testing.T) {
		delete(answers, "/api/v1/nodes")
		if leases, err := ofNodes(t.Context(), &rest.Config{Host: server.URL}); err == nil {
			t.Errorf("leases %v", leases)
		}
	})
}
