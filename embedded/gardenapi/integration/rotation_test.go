package integration

import (
	"fmt"
	"net/http"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
)

const createdStatus = `{"status":{"lastOperation":{"type":"Create","state":"Succeeded","progress":100,"description":"","lastUpdateTime":"2026-01-01T00:00:00Z"}}}`

func asking(operation string) string {
	return fmt.Sprintf(`{"metadata":{"annotations":{"gardener.cloud/operation":%q}}}`, operation)
}

func phase(name string) string {
	return fmt.Sprintf(`{"status":{"credentials":{"rotation":{"certificateAuthorities":{"phase":%q}}}}}`, name)
}

func TestRotationOfAuthorities(t *testing.T) {
	s := shoot(t)
	const key = "gardener.cloud/operation"
	ask := func(operation string) error { return tryMerge(t, admin(t), s.DeepCopy(), asking(operation)) }
	refused := func(t *testing.T, operation string) {
		t.Helper()
		wantStatus(t, ask(operation), http.StatusUnprocessableEntity, "metadata.annotations["+key+"]")
	}
	taken := func(t *testing.T, operation, name string) {
		t.Helper()
		before := &core.Shoot{}
		if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(s), before); err != nil {
			t.Fatal(err)
		}
		now := s.DeepCopy()
		if err := tryMerge(t, admin(t), now, asking(operation)); err != nil {
			t.Fatal(err)
		}
		if now.Annotations[key] != name || now.Generation != before.Generation+1 {
			t.Errorf("%s became %q with generation %d after %d", operation, now.Annotations[key], now.Generation, before.Generation)
		}
		merge(t, s, `{"metadata":{"annotations":{"gardener.cloud/operation":null}}}`) // as the gardenlet does when it begins
	}
	t.Run("CAR-3 no rotation starts before the cluster is created", func(t *testing.T) { refused(t, "rotate-ca-start") })
	merge(t, s, createdStatus, "status")
	t.Run("CAR-3 nothing can be completed that was not started", func(t *testing.T) {
		refused(t, "rotate-ca-complete")
		refused(t, "complete-ca-rotation")
		refused(t, "rotate-credentials-complete")
	})
	t.Run("CAR-2 a rotation is started by either name and starts a generation", func(t *testing.T) {
		taken(t, "start-ca-rotation", "rotate-ca-start")
		taken(t, "rotate-ca-start", "rotate-ca-start")
	})
	for _, running := range []string{"Preparing", "Prepared", "Completing"} {
		merge(t, s, phase(running), "status")
		t.Run("CAR-3 no second rotation starts while one is "+running, func(t *testing.T) {
			refused(t, "rotate-ca-start")
			refused(t, "start-ca-rotation")
			refused(t, "rotate-credentials-start")
		})
		if running != "Prepared" {
			t.Run("CAR-3 it cannot be completed while it is "+running, func(t *testing.T) { refused(t, "rotate-ca-complete") })
			continue
		}
		t.Run("CAR-2 what is prepared is completed by either name", func(t *testing.T) {
			taken(t, "complete-ca-rotation", "rotate-ca-complete")
			taken(t, "rotate-ca-complete", "rotate-ca-complete")
		})
	}
	t.Run("CAR-2 what is completed can be started again", func(t *testing.T) {
		merge(t, s, phase("Completed"), "status")
		taken(t, "rotate-ca-start", "rotate-ca-start")
	})
	for _, gate := range []string{"ShootCARotation", "CARotation"} {
		t.Run("CAR-1 without the gate "+gate+" authorities are not rotated, everything else is", func(t *testing.T) {
			c := with(t, func(c *gardenapi.Config) { c.FeatureGates = map[string]bool{gate: false} })
			for _, operation := range []string{"rotate-ca-start", "start-ca-rotation", "rotate-credentials-start"} {
				wantStatus(t, tryMerge(t, c, s.DeepCopy(), asking(operation)), http.StatusUnprocessableEntity, "ShootCARotation")
			}
			wantStatus(t, tryMerge(t, c, s.DeepCopy(), `{"metadata":{"annotations":{"maintenance.gardener.cloud/operation":"rotate-ca-start"}}}`), http.StatusUnprocessableEntity, "ShootCARotation")
			if err := tryMerge(t, c, s.DeepCopy(), asking("rotate-serviceaccount-key-start")); err != nil {
				t.Error(err)
			}
			merge(t, s, `{"metadata":{"annotations":{"gardener.cloud/operation":null}}}`)
		})
	}
}
