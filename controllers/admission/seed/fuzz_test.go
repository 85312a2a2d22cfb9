package seed_test

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/embedded/webhook/webhooktest"
)

func FuzzWebhooks(f *testing.F) {
	webhooktest.Fuzz(f, append(seed.DeletionConfirmation(), seed.ControlPlaneScheduler()))
}
