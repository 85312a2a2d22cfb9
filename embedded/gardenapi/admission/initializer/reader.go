package initializer

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Reader is what plugins embed that look at other Gardener objects.
type Reader struct {
	*admission.Handler
	Objects Objects
}

// NewReader is a Reader of a plugin for the operations.
func NewReader(operations ...admission.Operation) Reader {
	return Reader{Handler: admission.NewHandler(operations...)}
}

// SetObjects takes the reader of objects.
func (r *Reader) SetObjects(objects Objects) { r.Objects = objects }

// ValidateInitialization tells whether there is a reader of objects.
func (r *Reader) ValidateInitialization() error {
	if r.Objects == nil {
		return errors.New("no reader of objects")
	}
	return nil
}

// Access is what plugins embed that ask what the requester may do.
type Access struct {
	Authorizer authorizer.Authorizer
}

// SetAuthorizer takes the server's authorizer.
func (x *Access) SetAuthorizer(authorizer authorizer.Authorizer) { x.Authorizer = authorizer }

// Question is what somebody may or may not do.
type Question struct {
	Verb, Group, Version, Resource, Subresource, Namespace, Name string
}

// May tells whether a user may do something.
func (x *Access) May(ctx context.Context, who user.Info, q Question) (bool, error) {
	decision, _, err := x.Authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: who, Verb: q.Verb, ResourceRequest: true, Namespace: q.Namespace, Name: q.Name,
		APIGroup: q.Group, APIVersion: q.Version, Resource: q.Resource, Subresource: q.Subresource,
	})
	if decision == authorizer.DecisionAllow {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask whether %q may %s %s: %w", who.GetName(), q.Verb, q.Resource, err)
	}
	return false, nil
}
