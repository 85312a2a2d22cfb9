package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// sun is a shoot on the seed earth.
func sun(t *testing.T) (client.Client, *gardencorev1beta1.Shoot) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", UID: "1"}}
	shoot.Spec.SeedName, shoot.Status.SeedName = ptr.To("earth"), ptr.To("earth")
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(shoot).WithObjects(shoot).Build()
	return c, read(t, c)
}

func read(t *testing.T, c client.Client) *gardencorev1beta1.Shoot {
	t.Helper()
	shoot := &gardencorev1beta1.Shoot{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "garden-sky", Name: "sun"}, shoot); err != nil {
		t.Fatal(err)
	}
	return shoot
}

func says(text string) func(*gardencorev1beta1.ShootStatus) {
	return func(s *gardencorev1beta1.ShootStatus) {
		s.LastOperation = &gardencorev1beta1.LastOperation{Description: text, Progress: 1}
	}
}

func constrained(s *gardencorev1beta1.ShootStatus) {
	s.Constraints = append(s.Constraints, gardencorev1beta1.Condition{Type: "Other"})
}

func TestUpdate(t *testing.T) {
	c, shoot := sun(t)
	config := Config{Client: c, Reader: c, SeedName: "earth"}
	one, other := New(config, shoot), New(config, shoot)
	for _, text := range []string{"begun", "goes on"} {
		if err := one.Update(t.Context(), says(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Update(t.Context(), constrained); err != nil {
		t.Fatalf("a write beside another one: %v", err)
	}
	if err := one.Update(t.Context(), says("done")); err != nil {
		t.Fatal(err)
	}
	if s := read(t, c).Status; len(s.Constraints) != 1 || s.LastOperation.Description != "done" {
		t.Errorf("writers lose changes of each other: %+v", s)
	}
	if err := c.Delete(t.Context(), shoot); err != nil {
		t.Fatal(err)
	}
	if err := one.Update(t.Context(), says("late")); err != nil {
		t.Errorf("a write to a shoot that is gone: %v", err)
	}
}

func TestUpdateOfALostShoot(t *testing.T) {
	for name, change := range map[string]func(*gardencorev1beta1.Shoot){
		"MIG-20 a seed cannot write to a shoot that another one has taken": func(s *gardencorev1beta1.Shoot) {
			s.Spec.SeedName, s.Status.SeedName = ptr.To("mars"), nil
		},
		"MIG-20 nor when it runs there": func(s *gardencorev1beta1.Shoot) {
			s.Spec.SeedName, s.Status.SeedName = ptr.To("mars"), ptr.To("mars")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, shoot := sun(t)
			w := New(Config{Client: c, Reader: c, SeedName: "earth"}, shoot)
			taken := shoot.DeepCopy()
			change(taken)
			want := taken.Status.SeedName
			if err := c.Update(t.Context(), taken); err != nil {
				t.Fatal(err)
			}
			taken.Status.SeedName = want
			if err := c.Status().Update(t.Context(), taken); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := w.Update(t.Context(), says("late")); !Lost(err) {
					t.Errorf("error %v", err)
				}
			}
			if s := read(t, c).Status; s.LastOperation != nil {
				t.Errorf("the last operation is %+v", s.LastOperation)
			}
		})
	}
	t.Run("MIG-20 a seed may write to a shoot that is to leave it", func(t *testing.T) {
		c, shoot := sun(t)
		w := New(Config{Client: c, Reader: c, SeedName: "earth"}, shoot)
		shoot.Spec.SeedName = ptr.To("mars")
		if err := c.Update(t.Context(), shoot); err != nil {
			t.Fatal(err)
		}
		if err := w.Update(t.Context(), says("leaves")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a later shoot of the same name is another one", func(t *testing.T) {
		c, shoot := sun(t)
		w := New(Config{Client: c, Reader: c, SeedName: "earth"}, shoot)
		if err := c.Delete(t.Context(), shoot); err != nil {
			t.Fatal(err)
		}
		later := shoot.DeepCopy()
		later.UID, later.ResourceVersion = types.UID("2"), ""
		if err := c.Create(t.Context(), later); err != nil {
			t.Fatal(err)
		}
		if err := constrain(t, c); err != nil {
			t.Fatal(err)
		}
		if err := w.Update(t.Context(), says("late")); !Lost(err) {
			t.Errorf("error %v", err)
		}
	})
}

// constrain changes the shoot, so that it has another version than before.
func constrain(t *testing.T, c client.Client) error {
	shoot := read(t, c)
	constrained(&shoot.Status)
	return c.Status().Update(t.Context(), shoot)
}
