package debug_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/debug"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

func TestHandler(t *testing.T) {
	g := &graph.Graph{}
	shoot, seed := graph.Vertex{Kind: graph.Shoot, Namespace: "p", Name: "s"}, graph.Vertex{Kind: graph.Seed, Name: "a"}
	g.Set(shoot, []graph.Edge{{From: shoot, To: seed}, {From: graph.Vertex{Kind: graph.Namespace, Name: "p"}, To: shoot}})
	const head = "# 1 objects, 2 edges\n"
	for query, want := range map[string]string{
		"":                                head + "Namespace:p -> Shoot:p/s\nShoot:p/s -> Seed:a\n",
		"?kind=Seed":                      head + "Shoot:p/s -> Seed:a\n",
		"?kind=Shoot&namespace=p&name=s":  head + "Namespace:p -> Shoot:p/s\nShoot:p/s -> Seed:a\n",
		"?kind=Shoot&namespace=q":         head,
		"?name=%3Cscript%3E&kind=Unknown": head,
	} {
		t.Run("GAC-11 the page shows what was asked for: "+query, func(t *testing.T) {
			w := httptest.NewRecorder()
			debug.Handler(g).ServeHTTP(w, httptest.NewRequest(http.MethodGet, debug.Path+query, nil))
			if diff := cmp.Diff(want, w.Body.String()); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
		})
	}
}
