package local_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// namespace is that of the Shoot all tests belong to.
const namespace = "shoot--local--test"

var (
	environment *testenv.Env
	restConfig  *rest.Config
	scheme      = runtime.NewScheme()
	seed        client.Client
)

func TestMain(m *testing.M) {
	definitions, err := definitions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(env *testenv.Env) {
		environment, restConfig = env, env.Config
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}

func definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, group := range []func() ([]*apiextensionsv1.CustomResourceDefinition, error){crds.Extensions, crds.Resources, crds.Machine} {
		some, err := group()
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, some)
	}
	return all, nil
}

// setUp makes the client and what a gardenlet would have made: namespaces, credentials, the Cluster.
func setUp() error {
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	var err error
	if seed, err = client.New(restConfig, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	for _, obj := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "osc-result-init"},
			Data:       map[string][]byte{"cloud_config": []byte("boot")},
		},
		&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: extensionsv1alpha1.ClusterSpec{
			CloudProfile: runtime.RawExtension{Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","metadata":{"name":"local"},"spec":{"type":"local","machineTypes":[{"name":"local","cpu":"2","gpu":"0","memory":"4Gi"}]}}`)},
			Seed:         runtime.RawExtension{Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed","metadata":{"name":"local"},"spec":{"settings":{"ownerChecks":{"enabled":true}}},"status":{"clusterIdentity":"earth"}}`)},
			Shoot:        runtime.RawExtension{Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"test","namespace":"garden-local"},"spec":{"kubernetes":{"version":"1.36.3"},"networking":{"nodes":"10.250.0.0/16"},"region":"local","provider":{"type":"local","workers":[{"name":"local"}]}}}`)},
		}},
	} {
		if err := seed.Create(context.Background(), obj); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T: %w", obj, err)
		}
	}
	return nil
}
