// Package debug shows the graph of the garden's objects to operators, as a page of text.
package debug

import (
	"bufio"
	"fmt"
	"net/http"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// Path is where the graph is shown.
const Path = "/debug/resource-dependency-graph"

// Handler writes one line for each edge. The parameters kind, namespace and name select the vertices that edges lead from or to.
func Handler(g *graph.Graph) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		query := r.URL.Query()
		selected := func(v graph.Vertex) bool {
			return matches(query.Get("kind"), string(v.Kind)) && matches(query.Get("namespace"), v.Namespace) && matches(query.Get("name"), v.Name)
		}
		out := bufio.NewWriter(w)
		defer func() { _ = out.Flush() }()
		sources, edges := g.Sizes()
		_, _ = fmt.Fprintf(out, "# %d objects, %d edges\n", sources, edges)
		for _, edge := range g.Edges() {
			if selected(edge.From) || selected(edge.To) {
				_, _ = fmt.Fprintf(out, "%s -> %s\n", edge.From, edge.To)
			}
		}
	})
}

func matches(wanted, got string) bool { return wanted == "" || wanted == got }
