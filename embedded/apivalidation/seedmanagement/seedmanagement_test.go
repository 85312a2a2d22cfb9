package seedmanagement

import (
	"encoding/json"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

func TestManagedSeed(t *testing.T) {
	old := &seedmanagement.ManagedSeed{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden", ResourceVersion: "1"},
		Spec:       seedmanagement.ManagedSeedSpec{Shoot: &seedmanagement.Shoot{Name: "a"}, Gardenlet: &seedmanagement.GardenletConfig{}},
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

func TestDefaultsOfGardenlet(t *testing.T) {
	seed := &seedmanagement.ManagedSeed{Spec: seedmanagement.ManagedSeedSpec{Gardenlet: &seedmanagement.GardenletConfig{}}}
	seedmanagement.SetObjectDefaults_ManagedSeed(seed)
	got, err := json.Marshal(seed.Spec.Gardenlet)
	want := `{"deployment":{"replicaCount":2,"revisionHistoryLimit":2,"serviceAccountName":"gardenlet","image":{"pullPolicy":"IfNotPresent"},"enableHealthProbes":true},"bootstrap":"BootstrapToken","mergeWithParent":true}`
	if err != nil || string(got) != want {
		t.Errorf("MSD-3 a gardenlet becomes %s, %v; want %s", got, err, want)
	}
	without := &seedmanagement.ManagedSeed{Spec: seedmanagement.ManagedSeedSpec{SeedTemplate: &core.SeedTemplate{}}}
	if seedmanagement.SetObjectDefaults_ManagedSeed(without); without.Spec.Gardenlet != nil {
		t.Errorf("MSD-2 a seed that is registered by a template gets a gardenlet: %+v", without.Spec.Gardenlet)
	}
}

func TestManagedSeedSetSelectsItsTemplates(t *testing.T) {
	set := &seedmanagement.ManagedSeedSet{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden"}}
	set.Spec.Selector.MatchLabels = map[string]string{"set": "a"}
	set.Spec.Template.Labels = map[string]string{"set": "a"}
	t.Run("MSD-11 a set must select the Shoots of its template", func(t *testing.T) {
		want := "spec.shootTemplate.metadata.labels"
		for _, err := range ValidateManagedSeedSet(set) {
			if err.Field == want {
				return
			}
		}
		t.Errorf("no complaint about %s", want)
	})
}

func TestGardenletConfiguration(t *testing.T) {
	for name, tc := range map[string]struct {
		config string
		want   []string
	}{
		"MSD-3 a configuration without name and kubeconfig": {config: `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"spec":{}}}`},
		"MSD-3 another kind":   {config: `{"apiVersion":"v1","kind":"Pod"}`, want: []string{"spec.gardenlet.config.apiVersion", "spec.gardenlet.config.kind"}},
		"MSD-3 no document":    {config: `[]`, want: []string{"spec.gardenlet.config"}},
		"MSD-3 a name":         {config: `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"metadata":{"name":"x"}}}`, want: []string{"spec.gardenlet.config.seedConfig.metadata.name"}},
		"MSD-3 its own access": {config: `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedClientConnection":{"kubeconfig":"x"}}`, want: []string{"spec.gardenlet.config.seedClientConnection.kubeconfig"}},
	} {
		t.Run(name, func(t *testing.T) {
			seed := &seedmanagement.ManagedSeed{
				ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden"},
				Spec:       seedmanagement.ManagedSeedSpec{Shoot: &seedmanagement.Shoot{Name: "a"}, Gardenlet: &seedmanagement.GardenletConfig{}},
			}
			seedmanagement.SetObjectDefaults_ManagedSeed(seed)
			seed.Spec.Gardenlet.Config = &runtime.RawExtension{Raw: []byte(tc.config)}
			var got []string
			for _, err := range ValidateManagedSeed(seed) {
				got = append(got, err.Field)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("mistakes in %v, want %v", got, tc.want)
			}
		})
	}
}

func TestManagedSeedSetStatus(t *testing.T) {
	set := func(next, collisions int32) *seedmanagement.ManagedSeedSet {
		return &seedmanagement.ManagedSeedSet{
			ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden", ResourceVersion: "1"},
			Status:     seedmanagement.ManagedSeedSetStatus{NextReplicaNumber: next, CollisionCount: &collisions},
		}
	}
	t.Run("MSD-12 numbers grow and do not shrink", func(t *testing.T) {
		if errs := ValidateManagedSeedSetStatusUpdate(set(3, 1), set(2, 0)); len(errs) != 0 {
			t.Errorf("numbers that grow: %v", errs)
		}
		if errs := ValidateManagedSeedSetStatusUpdate(set(1, 0), set(2, 1)); len(errs) != 2 {
			t.Errorf("numbers that shrink: %v", errs)
		}
	})
}
