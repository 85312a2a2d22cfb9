package seed_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/webhook/webhooktest"
)

func FuzzWebhooks(f *testing.F) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{install.AddSeed, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			f.Fatal(err)
		}
	}
	webhooktest.Fuzz(f, scheme, append(seed.DeletionConfirmation(), seed.ControlPlaneScheduler()))
}
