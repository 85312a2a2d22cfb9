package seedmanagement

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

func TestManagedSeed(t *testing.T) {
	old := &seedmanagement.ManagedSeed{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden", ResourceVersion: "1"},
		Spec:       seedmanagement.ManagedSeedSpec{Shoot: &seedmanagement.Shoot{Name: "a"}},
	}
	seedmanagement.SetObjectDefaults_ManagedSeed(old)
	if errs := ValidateManagedSeed(old); len(errs) > 0 {
		t.Fatalf("MSD-2 a complete managed seed is invalid: %v", errs)
	}
	seed := old.DeepCopy()
	seed.Spec.Shoot.Name = "b"
	if errs := ValidateManagedSeedUpdate(seed, old); len(errs) != 1 || errs[0].Field != "spec.shoot" {
		t.Errorf("MSD-2 another shoot: %v", errs)
	}
	seed.Namespace, seed.Spec.Shoot = "garden-local", nil
	if errs := ValidateManagedSeed(seed); len(errs) != 2 {
		t.Errorf("MSD-2 wrong namespace and no shoot: %v", errs)
	}
}

func TestManagedSeedSetSelectsItsTemplates(t *testing.T) {
	set := &seedmanagement.ManagedSeedSet{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden"}}
	set.Spec.Selector.MatchLabels = map[string]string{"set": "a"}
	set.Spec.Template.Labels = map[string]string{"set": "a"}
	want := "spec.shootTemplate.metadata.labels"
	for _, err := range ValidateManagedSeedSet(set) {
		if err.Field == want {
			return
		}
	}
	t.Errorf("MSD-11 no complaint about %s", want)
}
