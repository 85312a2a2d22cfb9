package integration

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestProfilesOfProjects(t *testing.T) {
	t.Parallel()
	parent := create(t, newCloudProfile("parent-of-own", "moon"))
	own := create(t, &gardencorev1beta1.NamespacedCloudProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "own", Namespace: "default"},
		Spec: gardencorev1beta1.NamespacedCloudProfileSpec{
			Parent: gardencorev1beta1.CloudProfileReference{Kind: "CloudProfile", Name: parent.Name},
			MachineTypes: []gardencorev1beta1.MachineType{
				{Name: "big", CPU: resource.MustParse("8"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")},
			},
		},
	})
	offers := func(types, regions int, generation int64) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, own); err != nil {
				return err
			}
			merged := own.Status.CloudProfileSpec
			if len(merged.MachineTypes) != types || len(merged.Regions) != regions || merged.Type != "local" || own.Status.ObservedGeneration != generation {
				return fmt.Errorf("status is %+v, want %d machine types and %d regions", own.Status, types, regions)
			}
			return nil
		}
	}
	t.Run("a profile of a project offers what its parent offers and more", func(t *testing.T) {
		eventually(t, "merged profile", offers(2, 1, 1))
	})
	t.Run("it follows its parent", func(t *testing.T) {
		merge(t, parent, `{"spec":{"regions":[{"name":"moon"},{"name":"mars"}]}}`)
		eventually(t, "merged profile", offers(2, 2, 1))
	})
	t.Run("it follows its own changes", func(t *testing.T) {
		merge(t, own, `{"spec":{"machineTypes":null}}`)
		eventually(t, "merged profile", offers(1, 2, 2))
	})
	t.Run("what the parent defines cannot be redefined", func(t *testing.T) {
		if _, err := get(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		own.Spec.MachineTypes = parent.Spec.MachineTypes
		if err := garden.Update(t.Context(), own); err == nil {
			t.Error("the update is accepted")
		}
	})
}
