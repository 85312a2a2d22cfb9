// Package extensionvalidator is the admission plugin that refuses objects with extension types that no
// ControllerRegistration offers, because no controller would act on them.
package extensionvalidator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensions "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ExtensionValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create, admission.Update)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate reports all missing extensions. It runs after the plugins that complete objects.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	needed, err := p.requirements(ctx, a.GetObject(), a.GetOldObject())
	if err != nil {
		return err
	}
	if len(needed) == 0 {
		return nil
	}
	missing, err := p.missing(needed, p.cached(ctx))
	if err == nil && missing != nil { // a registration may be newer than the cache
		missing, err = p.missing(needed, p.current(ctx))
	}
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("read registrations: %w", err))
	}
	if missing != nil {
		return admission.NewForbidden(a, missing)
	}
	return nil
}

// requirements returns the extensions that a new or changed object needs. An object in deletion needs none.
func (p *Plugin) requirements(ctx context.Context, object, old runtime.Object) ([]requirement, error) {
	switch o := object.(type) {
	case *core.Shoot:
		if before, updating := old.(*core.Shoot); o.DeletionTimestamp != nil || updating && apiequality.Semantic.DeepEqual(o.Spec, before.Spec) {
			return nil, nil
		}
		return ofShoot(o), nil
	case *core.Seed:
		if before, updating := old.(*core.Seed); o.DeletionTimestamp != nil || updating && apiequality.Semantic.DeepEqual(o.Spec, before.Spec) {
			return nil, nil
		}
		return ofSeed(&o.Spec), nil
	case *core.BackupBucket:
		if before, updating := old.(*core.BackupBucket); o.DeletionTimestamp != nil || updating && apiequality.Semantic.DeepEqual(o.Spec, before.Spec) {
			return nil, nil
		}
		return []requirement{{kind: extensions.BackupBucketResource, typ: o.Spec.Provider.Type, field: "spec.provider.type"}}, nil
	case *core.BackupEntry:
		if before, updating := old.(*core.BackupEntry); o.DeletionTimestamp != nil || updating && apiequality.Semantic.DeepEqual(o.Spec, before.Spec) {
			return nil, nil
		}
		return p.ofEntry(ctx, o)
	default:
		return nil, nil
	}
}

// ofEntry returns the requirement of a BackupEntry, which has the type of its bucket.
func (p *Plugin) ofEntry(ctx context.Context, entry *core.BackupEntry) ([]requirement, error) {
	bucket, err := initializer.Get[core.BackupBucket](ctx, p.Objects, core.Resource("backupbuckets"), "", entry.Spec.BucketName)
	if apierrors.IsNotFound(err) {
		return nil, nil // the gardenlet waits for buckets
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return []requirement{{kind: extensions.BackupEntryResource, typ: bucket.Spec.Provider.Type, field: "spec.bucketName"}}, nil
}

// each visits registrations.
type each func(visit func(runtime.Object) bool) error

func (p *Plugin) cached(ctx context.Context) each {
	return func(visit func(runtime.Object) bool) error {
		return p.Objects.EachCached(ctx, core.Resource("controllerregistrations"), "", visit)
	}
}

func (p *Plugin) current(ctx context.Context) each {
	return func(visit func(runtime.Object) bool) error {
		return p.Objects.Each(ctx, core.Resource("controllerregistrations"), "", visit)
	}
}

// missing returns one error for each requirement that no registration fulfils.
func (*Plugin) missing(needed []requirement, registrations each) (missing, err error) {
	type resource struct{ kind, typ string }
	known := map[resource]core.ControllerResource{}
	err = registrations(func(obj runtime.Object) bool {
		for _, one := range obj.(*core.ControllerRegistration).Spec.Resources {
			if ptr.Deref(one.Primary, true) {
				known[resource{one.Kind, one.Type}] = one
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, one := range needed {
		found, registered := known[resource{one.kind, one.typ}]
		switch {
		case !registered:
			errs = append(errs, fmt.Errorf("%s: no primary ControllerRegistration for kind %s, type %q", one.field, one.kind, one.typ))
		case one.cluster != "" && !compatible(found, one.cluster):
			errs = append(errs, fmt.Errorf("%s: kind %s, type %q does not work for clusters of type %s", one.field, one.kind, one.typ, one.cluster))
		case one.workerless && !ptr.Deref(found.WorkerlessSupported, false):
			errs = append(errs, fmt.Errorf("%s: kind %s, type %q does not support shoots without workers", one.field, one.kind, one.typ))
		}
	}
	return errors.Join(errs...), nil
}

// compatible reports whether an extension works for clusters of a type. Extensions are for shoots if they do not say anything else.
func compatible(found core.ControllerResource, cluster core.ClusterType) bool {
	if len(found.ClusterCompatibility) == 0 {
		return cluster == core.ClusterTypeShoot
	}
	return slices.Contains(found.ClusterCompatibility, cluster)
}
