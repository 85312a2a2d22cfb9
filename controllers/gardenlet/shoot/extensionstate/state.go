// Package extensionstate saves the states of the extension objects of a shoot in its ShootState in the garden. The gardenlet of another
// seed continues from them when the control plane moves.
package extensionstate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Kinds are those whose objects may have a state.
func Kinds() []string {
	return []string{
		extensionsv1alpha1.ContainerRuntimeResource, extensionsv1alpha1.ControlPlaneResource, extensionsv1alpha1.DNSRecordResource,
		extensionsv1alpha1.ExtensionResource, extensionsv1alpha1.InfrastructureResource, extensionsv1alpha1.NetworkResource,
		extensionsv1alpha1.OperatingSystemConfigResource, extensionsv1alpha1.WorkerResource,
	}
}

// Collect returns the states of all objects in the namespace of a shoot, sorted by kind and name. Objects without a state have none.
func Collect(ctx context.Context, objects extension.Objects, namespace string) ([]gardencorev1beta1.ExtensionResourceState, error) {
	var states []gardencorev1beta1.ExtensionResourceState
	for _, kind := range Kinds() {
		all, err := objects.All(ctx, kind, namespace)
		if err != nil {
			return nil, err
		}
		for _, object := range all {
			status := object.GetExtensionStatus()
			if state := status.GetState(); (state == nil || len(state.Raw) == 0) && len(status.GetResources()) == 0 {
				continue
			}
			states = append(states, gardencorev1beta1.ExtensionResourceState{
				Kind: kind, Name: ptr.To(object.GetName()), Purpose: object.GetExtensionSpec().GetExtensionPurpose(),
				State: status.GetState(), Resources: status.GetResources(),
			})
		}
	}
	return states, nil
}

// Find returns the state of an object; nil if there is none.
func Find(states []gardencorev1beta1.ExtensionResourceState, kind, name string, purpose *string) *gardencorev1beta1.ExtensionResourceState {
	for i := range states {
		if states[i].Kind == kind && ptr.Deref(states[i].Name, "") == name && ptr.Equal(states[i].Purpose, purpose) {
			return &states[i]
		}
	}
	return nil
}

// Add returns the saved states with the observed ones in the place of older ones. States of objects that no longer exist stay.
func Add(saved, observed []gardencorev1beta1.ExtensionResourceState) []gardencorev1beta1.ExtensionResourceState {
	out := slices.Clone(saved)
	for _, one := range observed {
		if older := Find(out, one.Kind, ptr.Deref(one.Name, ""), one.Purpose); older != nil {
			*older = one
		} else {
			out = append(out, one)
		}
	}
	return out
}

// Save writes the states into the ShootState, and nothing if they are there already. The reader must not be a cache.
func Save(ctx context.Context, garden client.Client, state *gardencorev1beta1.ShootState, states []gardencorev1beta1.ExtensionResourceState) error {
	if same(state.Spec.Extensions, states) {
		return nil
	}
	if states == nil {
		states = []gardencorev1beta1.ExtensionResourceState{}
	}
	change, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": state.ResourceVersion}, // nobody else has written in between
		"spec":     map[string]any{"extensions": states},
	})
	if err != nil {
		return fmt.Errorf("encode states of extensions: %w", err)
	}
	if err := garden.Patch(ctx, state.DeepCopy(), client.RawPatch("application/merge-patch+json", change)); err != nil {
		return fmt.Errorf("save states of extensions: %w", err)
	}
	return nil
}

// same compares the documents, since the order of keys means nothing.
func same(a, b []gardencorev1beta1.ExtensionResourceState) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || !ptr.Equal(a[i].Name, b[i].Name) || !ptr.Equal(a[i].Purpose, b[i].Purpose) ||
			!apiequality.Semantic.DeepEqual(a[i].Resources, b[i].Resources) || !apiequality.Semantic.DeepEqual(document(a[i]), document(b[i])) {
			return false
		}
	}
	return true
}

func document(state gardencorev1beta1.ExtensionResourceState) any {
	if state.State == nil {
		return nil
	}
	var decoded any
	if json.Unmarshal(state.State.Raw, &decoded) != nil {
		return state.State.Raw
	}
	return decoded
}
