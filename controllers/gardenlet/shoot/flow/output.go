package flow

import "context"

// output is the result of one step for later steps. Steps get its value as an argument, so a step can read only results
// that the order pages pass to it.
type output[T any] struct{ value T }

func (o *output[T]) get() T           { return o.value }
func (o *output[T]) reading() reading { return reading{output: o, of: o.value} }

// ifMade passes the zero value if the step that makes the output is skipped or not part of the flow.
func (o *output[T]) ifMade() input[T] { return optional[T]{o} }

type optional[T any] struct{ *output[T] }

func (o optional[T]) reading() reading { return reading{output: o.output, of: o.value, optional: true} }

// input is an output as a later step reads it.
type input[T any] interface {
	get() T
	reading() reading
}

// reading records that a step reads an output.
type reading struct {
	output   any // identity of the output
	of       any // a value of its type, for errors
	optional bool
}

// action is the work of a step, with the outputs that it reads and makes.
type action struct {
	do    func(context.Context) error
	reads []reading
	// leaves is the identity of an output, nil if the step makes none.
	leaves any
}

// given passes an input to a step.
func given[A any](do func(context.Context, A) error, a input[A]) action {
	return action{
		do:    func(ctx context.Context) error { return do(ctx, a.get()) },
		reads: []reading{a.reading()},
	}
}

// given2 passes two inputs to a step.
func given2[A, B any](do func(context.Context, A, B) error, a input[A], b input[B]) action {
	return action{
		do:    func(ctx context.Context) error { return do(ctx, a.get(), b.get()) },
		reads: []reading{a.reading(), b.reading()},
	}
}

// leaves keeps the result of a step for later steps.
func leaves[T any](out *output[T], do func(context.Context) (T, error)) action {
	return action{leaves: out, do: func(ctx context.Context) (err error) {
		out.value, err = do(ctx)
		return err
	}}
}

// leavesGiven passes an input to a step and keeps its result.
func leavesGiven[T, A any](out *output[T], do func(context.Context, A) (T, error), a input[A]) action {
	act := leaves(out, func(ctx context.Context) (T, error) { return do(ctx, a.get()) })
	act.reads = []reading{a.reading()}
	return act
}

// leavesGiven2 passes two inputs to a step and keeps its result.
func leavesGiven2[T, A, B any](out *output[T], do func(context.Context, A, B) (T, error), a input[A], b input[B]) action {
	act := leaves(out, func(ctx context.Context) (T, error) { return do(ctx, a.get(), b.get()) })
	act.reads = []reading{a.reading(), b.reading()}
	return act
}

// leavesGiven3 passes three inputs to a step and keeps its result.
func leavesGiven3[T, A, B, C any](out *output[T], do func(context.Context, A, B, C) (T, error), a input[A], b input[B], c input[C]) action {
	act := leaves(out, func(ctx context.Context) (T, error) { return do(ctx, a.get(), b.get(), c.get()) })
	act.reads = []reading{a.reading(), b.reading(), c.reading()}
	return act
}
