package graph

import (
	"cmp"
	"slices"
	"strings"
)

// Sizes returns the numbers of sources and edges.
func (g *Graph) Sizes() (sources, edges int) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.sources), g.edges
}

// Edges returns all edges in a fixed order.
func (g *Graph) Edges() []Edge {
	g.mu.RLock()
	defer g.mu.RUnlock()
	all := make([]Edge, 0, g.edges)
	for _, from := range g.nodes {
		for to := range from.needed {
			all = append(all, Edge{from.Vertex, to.Vertex})
		}
	}
	slices.SortFunc(all, compare)
	return all
}

func compare(a, b Edge) int { return cmp.Or(order(a.From, b.From), order(a.To, b.To)) }

func order(a, b Vertex) int {
	return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
