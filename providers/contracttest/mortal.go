package contracttest

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errKilled replaces the write before which the reconciler is killed.
var errKilled = errors.New("killed")

// mortal is a client whose patches fail after a number of successful ones, as if the process had been killed there.
type mortal struct {
	client.Client
	// left is how many patches still succeed.
	left int
}

func (m *mortal) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if m.dead() {
		return errKilled
	}
	return m.Client.Patch(ctx, obj, patch, opts...)
}

func (m *mortal) Status() client.SubResourceWriter { return mortalStatus{m.Client.Status(), m} }

func (m *mortal) dead() bool {
	m.left--
	return m.left < 0
}

// mortalStatus shares the count with the client.
type mortalStatus struct {
	client.SubResourceWriter
	mortal *mortal
}

func (s mortalStatus) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	if s.mortal.dead() {
		return errKilled
	}
	return s.SubResourceWriter.Patch(ctx, obj, patch, opts...)
}
