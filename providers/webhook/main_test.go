package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// Namespaces of a shoot of the provider, and of one of another provider.
const ours, theirs = "shoot--a--ours", "shoot--a--theirs"

var (
	env    *testenv.Env
	scheme = runtime.NewScheme()
	seed   client.Client
)

func TestMain(m *testing.M) {
	definitions, err := definitions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions, NoLeaks: true}, func(e *testenv.Env) {
		env = e
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

func definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	extensions, err := crds.Extensions()
	druid, other := crds.Druid()
	return slices.Concat(extensions, druid), errors.Join(err, other)
}

func setUp() error {
	log.SetLogger(logr.Discard())
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	var err error
	if seed, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	for name, provider := range map[string]string{ours: "cloud", theirs: "fog"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{constants.LabelShootProvider: provider}}}
		if err := seed.Create(context.Background(), namespace); err != nil {
			return err
		}
	}
	return nil
}
