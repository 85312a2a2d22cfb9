// Package resourcereferencemanager is the admission plugin for references between objects. It records the creators of Shoots and
// Projects and the owners of Projects. It refuses references to objects that do not exist or that the requester may not read. It
// refuses to remove parts of an object that other objects use. ShootValidator checks what a Shoot uses of its profile.
//
//	author.go     creators and owners
//	bindings.go   SecretBinding and CredentialsBinding
//	shoot.go      Shoot
//	seed.go       Seed, and BackupBucket
//	profile.go    CloudProfile and NamespacedCloudProfile
//	lookup.go     how references are looked up
package resourcereferencemanager

import (
	"context"
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/kubernetes"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ResourceReferenceManager"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) { return New(), nil })
}

// New makes a plugin.
func New() *Plugin {
	return &Plugin{Reader: initializer.NewReader(admission.Create, admission.Update, admission.Delete)}
}

// Plugin implements the admission plugin.
type Plugin struct {
	initializer.Reader
	initializer.Access
	// garden is asked for Secrets and ConfigMaps one by one: references change rarely, and a copy of all Secrets of all
	// projects would be large.
	garden kubernetes.Interface
}

// SetExternalKubeClientSet sets the client of the garden.
func (p *Plugin) SetExternalKubeClientSet(garden kubernetes.Interface) { p.garden = garden }

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.garden == nil || p.Authorizer == nil {
		return errors.New("no client of the garden or no authorizer")
	}
	return p.Reader.ValidateInitialization()
}

// Admit records the requester in new Shoots and Projects.
func (p *Plugin) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" || a.GetOperation() != admission.Create {
		return nil
	}
	switch object := a.GetObject().(type) {
	case *core.Shoot:
		if object.Annotations == nil {
			object.Annotations = map[string]string{}
		}
		object.Annotations[constants.GardenCreatedBy] = a.GetUserInfo().GetName()
	case *core.Project:
		setOwner(object, a.GetUserInfo())
	}
	return nil
}

// Validate checks references after all other plugins have added theirs. On deletion it is called for each object of a
// collection.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	if a.GetOperation() == admission.Delete {
		if bucket, ok := a.GetOldObject().(*core.BackupBucket); ok {
			return p.checkBucketUnused(ctx, bucket)
		}
		return nil
	}
	errs, err := p.check(ctx, &lookup{p, a.GetUserInfo()}, a)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(a.GetKind().GroupKind(), a.GetName(), fewerrors.Of(errs))
	}
	return nil
}

// check returns mistakes of the requester and, separately, what went wrong in looking for them.
func (p *Plugin) check(ctx context.Context, l *lookup, a admission.Attributes) (field.ErrorList, error) {
	switch o := a.GetObject().(type) {
	case *core.Shoot:
		old, _ := a.GetOldObject().(*core.Shoot)
		return l.shoot(ctx, o, old)
	case *core.SecretBinding:
		old, _ := a.GetOldObject().(*core.SecretBinding)
		return l.secretBinding(ctx, o, old)
	case *security.CredentialsBinding:
		old, _ := a.GetOldObject().(*security.CredentialsBinding)
		return l.credentialsBinding(ctx, o, old)
	case *core.Seed:
		old, _ := a.GetOldObject().(*core.Seed)
		return l.seed(ctx, o, old)
	case *core.ControllerRegistration:
		old, _ := a.GetOldObject().(*core.ControllerRegistration)
		return l.registration(ctx, o, old)
	case *core.NamespacedCloudProfile:
		old, _ := a.GetOldObject().(*core.NamespacedCloudProfile)
		return l.namespacedProfile(ctx, o, old)
	case *core.CloudProfile:
		if old, updating := a.GetOldObject().(*core.CloudProfile); updating {
			return p.checkUnused(ctx, o, old)
		}
	}
	return nil, nil
}
