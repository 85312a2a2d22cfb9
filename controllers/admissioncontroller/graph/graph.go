package graph

import (
	"slices"
	"sync"
)

// Graph is a set of edges. Each edge has at least one source: an object that requires the edge. The zero value is ready for use,
// from many goroutines.
type Graph struct {
	mu      sync.RWMutex
	sources map[Vertex][]Edge
	nodes   map[Vertex]*node // those that edges lead from or to
	edges   int
	changed chan struct{}
}

// node is a vertex with the edges that lead from it. Searches follow pointers, since comparing names takes ten times as long.
type node struct {
	Vertex
	needed map[*node]int // with the number of sources that say so
	beyond int           // edges among needed that do not lead to a seed
	users  int           // edges that lead to it
}

// Set replaces the edges of a source.
func (g *Graph) Set(source Vertex, edges []Edge) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before, known := g.sources[source]
	if known && slices.Equal(before, edges) {
		return
	}
	if g.sources == nil {
		g.sources, g.nodes = map[Vertex][]Edge{}, map[Vertex]*node{}
	}
	g.sources[source] = edges
	for _, edge := range edges {
		g.add(edge)
	}
	for _, edge := range before {
		g.remove(edge)
	}
	g.notify()
}

// Forget removes a source with its edges.
func (g *Graph) Forget(source Vertex) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, edge := range g.sources[source] {
		g.remove(edge)
	}
	delete(g.sources, source)
	g.notify()
}

// Knows reports whether the vertex is a source, which means that the object exists.
func (g *Graph) Knows(v Vertex) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	_, known := g.sources[v]
	return known
}

// Changed returns a channel that is closed at the next change.
func (g *Graph) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return g.changed
}

func (g *Graph) add(edge Edge) {
	from, to := g.node(edge.From), g.node(edge.To)
	if from.needed == nil {
		from.needed = map[*node]int{}
	}
	if from.needed[to] == 0 {
		g.count(from, to, 1)
	}
	from.needed[to]++
}

func (g *Graph) remove(edge Edge) {
	from, to := g.nodes[edge.From], g.nodes[edge.To]
	if from.needed[to]--; from.needed[to] > 0 {
		return
	}
	delete(from.needed, to)
	g.count(from, to, -1)
	for _, n := range []*node{from, to} {
		if len(n.needed) == 0 && n.users == 0 {
			delete(g.nodes, n.Vertex)
		}
	}
}

func (g *Graph) count(from, to *node, more int) {
	g.edges += more
	to.users += more
	if to.Kind != Seed {
		from.beyond += more
	}
}

func (g *Graph) node(v Vertex) *node {
	n := g.nodes[v]
	if n == nil {
		n = &node{Vertex: v}
		g.nodes[v] = n
	}
	return n
}

// notify wakes those who wait for a change.
func (g *Graph) notify() {
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}
