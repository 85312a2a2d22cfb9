// Package scaling deploys the vertical pod autoscaler of the runtime cluster of a Garden.
package scaling

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/internal/podautoscaler"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Scaling is the autoscaler of one runtime cluster. All fields are required.
type Scaling struct {
	Client client.Client // uncached
	Clock  clock.PassiveClock
	// Image is the appliance image.
	Image string
	// Write writes objects in their order, and Owns knows them by their labels.
	Write func(context.Context, ...client.Object) error
	Owns  func(client.Object) bool
}

// autoscaler is that of the operator.
func (s Scaling) autoscaler() podautoscaler.Autoscaler {
	return podautoscaler.Autoscaler{
		Client: s.Client, Clock: s.Clock, Owner: verticalpodautoscaler.Operator, Identity: constants.SecretManagerIdentityOperator,
		Kinds: s.deployKinds, Write: s.Write,
	}
}

// Deploy deploys the autoscaler if the settings want it, and removes it otherwise: the cluster then has one of its own.
func (s Scaling) Deploy(ctx context.Context, settings operatorv1alpha1.SettingVerticalPodAutoscaler) error {
	if !ptr.Deref(settings.Enabled, true) {
		return s.autoscaler().Destroy(ctx)
	}
	return s.autoscaler().Deploy(ctx, verticalpodautoscaler.ClusterValues{
		Image: s.Image, PriorityClass: constants.PriorityClassNameGardenSystem300, FeatureGates: settings.FeatureGates, MaxAllowed: settings.MaxAllowed,
	})
}

// deployKinds installs the kinds, but leaves those of whoever has installed them.
func (s Scaling) deployKinds(ctx context.Context) error {
	wanted, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	for _, kind := range wanted {
		own, err := s.ownsKind(ctx, kind.Name)
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		if err == nil && !own {
			continue
		}
		if err := s.Write(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// ownsKind reports whether the operator has installed a kind that exists.
func (s Scaling) ownsKind(ctx context.Context, name string) (bool, error) {
	kind := &metav1.PartialObjectMetadata{}
	kind.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := s.Client.Get(ctx, client.ObjectKey{Name: name}, kind); err != nil {
		return false, fmt.Errorf("read definition %q: %w", name, err)
	}
	return s.Owns(kind), nil
}

// Destroy removes the autoscaler, and its kinds if the operator has installed them and they have no objects.
func (s Scaling) Destroy(ctx context.Context) error {
	if err := s.autoscaler().Destroy(ctx); err != nil {
		return err
	}
	kinds, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		own, err := s.ownsKind(ctx, kind.Name)
		if apierrors.IsNotFound(err) || err == nil && !own {
			continue
		} else if err != nil {
			return err
		}
		if used, err := s.hasObjects(ctx, kind); used || err != nil {
			return err
		}
		if err := s.Client.Delete(ctx, kind); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete definition %q: %w", kind.Name, err)
		}
	}
	return nil
}

func (s Scaling) hasObjects(ctx context.Context, kind *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	for _, version := range kind.Spec.Versions {
		if !version.Storage {
			continue
		}
		objects := &metav1.PartialObjectMetadataList{}
		objects.SetGroupVersionKind(schema.GroupVersionKind{Group: kind.Spec.Group, Version: version.Name, Kind: kind.Spec.Names.ListKind})
		err := s.Client.List(ctx, objects, client.Limit(1))
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) { // it was never served
			continue
		} else if err != nil {
			return false, fmt.Errorf("look for objects of definition %q: %w", kind.Name, err)
		}
		if len(objects.Items) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// Components are the parts of the autoscaler. One that the Garden does not want, or that somebody else runs, serves. available returns a function
// that asks a Deployment of the garden namespace.
func (s Scaling) Components(available func(name string) func(context.Context) error) (out []host.Component) {
	for _, name := range verticalpodautoscaler.Deployments() {
		out = append(out, host.Component{Name: name, Group: host.Runtime, Stage: host.SystemComponents, Serves: func(ctx context.Context) error {
			account := &corev1.ServiceAccount{}
			err := s.Client.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: name}, account)
			if apierrors.IsNotFound(err) || err == nil && !verticalpodautoscaler.Operator.Owns(account) {
				return nil
			} else if err != nil {
				return fmt.Errorf("look for service account %q: %w", name, err)
			}
			return available(name)(ctx)
		}})
	}
	return out
}
