package initializer

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Reader is embedded by plugins that read other Gardener objects.
type Reader struct {
	*admission.Handler
	Objects Objects
}

// NewReader returns the Reader of a plugin that handles the operations.
func NewReader(operations ...admission.Operation) Reader {
	return Reader{Handler: admission.NewHandler(operations...)}
}

// SetObjects sets the reader of objects.
func (r *Reader) SetObjects(objects Objects) { r.Objects = objects }

// ValidateInitialization reports whether there is a reader of objects.
func (r *Reader) ValidateInitialization() error {
	if r.Objects == nil {
		return errors.New("no reader of objects")
	}
	return nil
}

// Access is embedded by plugins that check permissions of the user.
type Access struct {
	Authorizer authorizer.Authorizer
}

// SetAuthorizer sets the authorizer of the server.
func (x *Access) SetAuthorizer(authorizer authorizer.Authorizer) { x.Authorizer = authorizer }

// Question is an action that a user may be permitted to do.
type Question struct {
	Verb, Group, Version, Resource, Subresource, Namespace, Name string
}

// May reports whether a user may do something.
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
