package graph

import "slices"

// Belongs reports whether an edge leads directly from the vertex to the seed.
func (g *Graph) Belongs(v Vertex, seed string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	from, target := g.nodes[v], g.nodes[Vertex{Kind: Seed, Name: seed}]
	return from != nil && from.needed[target] > 0
}

// Serves reports whether an edge leads from the vertex to one of the kind that belongs to the seed.
func (g *Graph) Serves(v Vertex, kind Kind, seed string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	from, target := g.nodes[v], g.nodes[Vertex{Kind: Seed, Name: seed}]
	if from == nil || target == nil {
		return false
	}
	for to := range from.needed {
		if to.Kind == kind && to.needed[target] > 0 {
			return true
		}
	}
	return false
}

// Needed reports whether an edge leads from the vertex to one of the kinds given.
func (g *Graph) Needed(v Vertex, by ...Kind) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if from := g.nodes[v]; from != nil {
		for to := range from.needed {
			if slices.Contains(by, to.Kind) {
				return true
			}
		}
	}
	return false
}

// Leads reports whether a path leads from the vertex to the seed. No path continues behind a seed.
func (g *Graph) Leads(from Vertex, seed string) bool {
	target := Vertex{Kind: Seed, Name: seed}
	if from == target {
		return true
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	start, end := g.nodes[from], g.nodes[target]
	if start == nil || end == nil {
		return false
	}
	return walk(start, func(at *node) bool { return at.needed[end] > 0 })
}

// Seeds returns the names of all seeds that a path leads to, in order.
func (g *Graph) Seeds(from Vertex) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	start := g.nodes[from]
	if start == nil {
		return nil
	}
	var names []string
	walk(start, func(at *node) bool {
		for to := range at.needed {
			if to.Kind == Seed && !slices.Contains(names, to.Name) {
				names = append(names, to.Name)
			}
		}
		return false
	})
	slices.Sort(names)
	return names
}

// walk visits what paths from a node lead to, except for seeds, until visit returns true. It may visit nodes twice that lead
// to nothing but seeds, such as shoots: a profile may have thousands of them, and remembering takes longer than visiting.
func walk(start *node, visit func(*node) bool) bool {
	if visit(start) {
		return true
	}
	if start.beyond == 0 {
		return false
	}
	next, seen := []*node{start}, map[*node]bool{start: true}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		for to := range at.needed {
			if to.Kind == Seed || to.beyond > 0 && seen[to] {
				continue
			}
			if visit(to) {
				return true
			}
			if to.beyond > 0 {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return false
}
