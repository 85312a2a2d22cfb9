package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/providers/contracttest"
	"github.com/gardener-up/gardener-up/providers/operator"
)

const namespace = "shoot--a--greeted"

var (
	env  *testenv.Env
	seed client.Client
)

func TestMain(m *testing.M) {
	extensions, err := crds.Extensions()
	resources, other := crds.Resources()
	scheme := runtime.NewScheme()
	if err := errors.Join(err, other, install.AddSeed(scheme)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	definitions := slices.DeleteFunc(slices.Concat(extensions, resources), func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return !slices.Contains([]string{"Extension", "Cluster", "ManagedResource"}, d.Spec.Names.Kind)
	})
	testenv.Main(m, testenv.Options{CRDs: definitions, NoLeaks: true}, func(e *testenv.Env) {
		env = e
		log.SetLogger(logr.Discard())
		seed, err = client.New(env.Config, client.Options{Scheme: scheme})
		if err == nil {
			err = seed.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

func greeting(name, config string) *extensionsv1alpha1.Extension {
	return &extensionsv1alpha1.Extension{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: extensionsv1alpha1.ExtensionSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{
			Type: "greeting", ProviderConfig: &runtime.RawExtension{Raw: []byte(config)},
		}},
	}
}

func TestContract(t *testing.T) {
	contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Extension]{
		Client: seed, Actuator: actuator(seed), New: func() *extensionsv1alpha1.Extension { return greeting("contract", `{"text":"hello"}`) },
		Exists: func(ctx context.Context, obj *extensionsv1alpha1.Extension) bool {
			return seed.Get(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: "extension-" + obj.Name}, &resourcesv1alpha1.ManagedResource{}) == nil
		},
	})
}

func TestOperator(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		cmd := operator.Command(name, "Greet", incluster.Surroundings{}, parts) // as main does
		cmd.SetArgs([]string{"--kubeconfig", env.Kubeconfig, "--leader-election-namespace=default", "--health-bind-address=" + net.JoinHostPort(env.Address, "0")})
		ended <- cmd.ExecuteContext(ctx)
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the extension ended: %v", err)
		}
	}()
	state := func(ctx context.Context, obj *extensionsv1alpha1.Extension, want gardencorev1beta1.LastOperationState) error {
		if err := seed.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		if last := obj.Status.LastOperation; last == nil || last.State != want {
			return fmt.Errorf("last operation is %v", last)
		}
		return nil
	}
	good, bad := greeting("good", `{"text":"good day"}`), greeting("bad", `{}`)
	for _, obj := range []*extensionsv1alpha1.Extension{good, bad} {
		if err := seed.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("EXT-24 EXT-1 the extension makes what its object says", func(t *testing.T) {
		env.Until(t, "it has succeeded", func(ctx context.Context) error { return state(ctx, good, "Succeeded") })
		secret := &corev1.Secret{}
		if err := seed.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "managedresource-extension-good"}, secret); err != nil || !strings.Contains(string(secret.Data["greeting.yaml"]), "good day") {
			t.Errorf("%s, %v", secret.Data, err)
		}
	})
	t.Run("EXT-24 a user's mistake has a code", func(t *testing.T) {
		env.Until(t, "it has failed", func(ctx context.Context) error { return state(ctx, bad, "Error") })
		if !slices.Equal(bad.Status.LastError.Codes, []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorConfigurationProblem}) {
			t.Errorf("last error %+v", bad.Status.LastError)
		}
	})
	t.Run("EXT-24 EXT-4 it goes with its object", func(t *testing.T) {
		if err := seed.Delete(t.Context(), good); err != nil {
			t.Fatal(err)
		}
		env.Until(t, "it is gone", func(ctx context.Context) error {
			if err := seed.Get(ctx, client.ObjectKeyFromObject(good), good); !apierrors.IsNotFound(err) {
				return errors.Join(errors.New("it is still there"), err)
			}
			return nil
		})
	})
}

func TestCommand(t *testing.T) {
	t.Run("EXT-24 a process that reaches no seed says so", func(t *testing.T) {
		cmd := operator.Command(name, "Greet", incluster.Surroundings{Dir: t.TempDir(), Getenv: func(string) string { return "" }}, parts)
		cmd.SetArgs(nil)
		if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, incluster.ErrNotInCluster) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("EXT-24 two controllers for one kind are refused before anything starts", func(t *testing.T) {
		err := operator.Run(t.Context(), operator.Options{Name: name, Config: env.Config}, append(parts(), parts()...)...)
		if err == nil || !strings.Contains(err.Error(), "extension-greeting-extension") {
			t.Errorf("error is %v", err)
		}
	})
}
