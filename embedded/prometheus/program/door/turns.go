package door

import (
	"context"
	"time"
)

// turns are how many may do something at a time, while others wait.
type turns struct {
	places, inside chan struct{} // of all, and of those whose turn it is
	patience       time.Duration
}

func newTurns(atOnce, waiting int, patience time.Duration) *turns {
	return &turns{places: make(chan struct{}, atOnce+waiting), inside: make(chan struct{}, atOnce), patience: patience}
}

// take waits for a turn. It returns false if too many wait already or it takes too long.
func (t *turns) take(ctx context.Context) bool {
	select {
	case t.places <- struct{}{}:
	default:
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	select {
	case t.inside <- struct{}{}:
		return true
	case <-ctx.Done():
		<-t.places
		return false
	}
}

func (t *turns) giveBack() {
	<-t.inside
	<-t.places
}
