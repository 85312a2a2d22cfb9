package graph

import "context"

// Wait asks after each change whether something is true, until it is or ctx ends.
func (g *Graph) Wait(ctx context.Context, isTrue func() bool) bool {
	for {
		changed := g.Changed()
		if isTrue() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}
