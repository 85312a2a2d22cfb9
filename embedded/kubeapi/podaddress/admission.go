package podaddress

import (
	"context"

	"k8s.io/apiserver/pkg/admission"
)

// Admission makes an admission chain that hides addresses from the validation of the API.
func Admission(next admission.Interface) admission.Interface { return &chain{next} }

type chain struct{ next admission.Interface }

var (
	_ admission.MutationInterface   = &chain{}
	_ admission.ValidationInterface = &chain{}
)

// Handles implements admission.Interface.
func (c *chain) Handles(operation admission.Operation) bool {
	return operation == admission.Create || operation == admission.Update || c.nextHandles(operation)
}

func (c *chain) nextHandles(operation admission.Operation) bool {
	return c.next != nil && c.next.Handles(operation)
}

// Admit hides the addresses of objects that the other plugins have changed.
func (c *chain) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if next, ok := c.next.(admission.MutationInterface); ok && c.nextHandles(a.GetOperation()) {
		if err := next.Admit(ctx, a, o); err != nil {
			return err
		}
	}
	if changes(a.GetOldObject(), a.GetObject()) {
		hide(a.GetObject())
	}
	return nil
}

// Validate shows the addresses to the other plugins. The API has validated the object by now, and passes a copy.
func (c *chain) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	restore(a.GetObject())
	if next, ok := c.next.(admission.ValidationInterface); ok && c.nextHandles(a.GetOperation()) {
		return next.Validate(ctx, a, o)
	}
	return nil
}
