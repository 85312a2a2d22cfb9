package component

import "context"

// NewStep returns a component that does one thing when it starts, for example writing objects into a cluster. The component
// then runs idle until it is stopped, and is ready when the function ready returns nil. Both functions may be nil. do runs
// again at each start, so it must be idempotent.
func NewStep(name string, do, ready func(ctx context.Context) error) Component {
	return &step{name: name, do: do, ready: ready}
}

type step struct {
	name      string
	do, ready func(ctx context.Context) error
}

func (s *step) Name() string                    { return s.name }
func (s *step) Start(ctx context.Context) error { return call(ctx, s.do) }
func (s *step) Ready(ctx context.Context) error { return call(ctx, s.ready) }
func (s *step) Done() <-chan struct{}           { return nil }
func (s *step) Stop(context.Context) error      { return nil }

// isStep reports whether a component has nothing to do after its start.
func isStep(c Component) bool {
	_, ok := c.(*step)
	return ok
}

func call(ctx context.Context, f func(context.Context) error) error {
	if f == nil {
		return nil
	}
	return f(ctx)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
