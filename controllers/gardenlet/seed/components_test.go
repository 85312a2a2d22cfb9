package seed_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// TestComponents deploys the components of a seed and runs what their Deployments say, as no node does it here.
func TestComponents(t *testing.T) {
	definitions, err := crds.Resources()
	if err != nil {
		t.Fatal(err)
	}
	env, err := testenv.Start(testenv.Options{CRDs: definitions})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Stop()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	cluster, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}}); err != nil {
		t.Fatal(err)
	}
	for row, tc := range map[string]struct {
		name       string
		deploy     func(context.Context, client.Client, string, *podsignature.Signer) error
		arguments  []string // instead of what a pod has
		port       int32    // of the Service
		mutating   int
		validating int
	}{
		"GRM-1 the resource manager": {
			name: "gardener-resource-manager", deploy: seed.DeployResourceManager, port: 443, mutating: 7, validating: 1,
			arguments: []string{"--source-kubeconfig=" + env.Kubeconfig},
		},
		"SAC-1 the admission": {
			name: "gardener-seed-admission-controller", deploy: seed.DeployAdmission, port: 10250, validating: 2,
			arguments: []string{"--kubeconfig=" + env.Kubeconfig},
		},
	} {
		t.Run(row+" is a Deployment that registers its webhooks at its Service", func(t *testing.T) {
			for range 2 { // again and again
				if err := tc.deploy(t.Context(), cluster, "gardener", nil); err != nil {
					t.Fatal(err)
				}
			}
			key := client.ObjectKey{Namespace: "garden", Name: tc.name}
			deployment, service := &appsv1.Deployment{}, &corev1.Service{}
			for _, object := range []client.Object{deployment, service, &corev1.ServiceAccount{}} {
				if err := cluster.Get(t.Context(), key, object); err != nil {
					t.Fatal(err)
				}
			}
			container := deployment.Spec.Template.Spec.Containers[0]
			if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == tc.port }) {
				t.Errorf("service has no port %d: %+v", tc.port, service.Spec.Ports)
			}
			if port := service.Spec.Ports[0].TargetPort.IntVal; port != container.Ports[0].ContainerPort || service.Spec.Selector["app"] != deployment.Spec.Template.Labels["app"] {
				t.Errorf("service %+v does not lead to the pods", service.Spec)
			}
			run(t, env, container.Args, tc.arguments)
			env.Until(t, "the component", func(context.Context) error {
				mutating, validating := &admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}
				errMutating := cluster.Get(t.Context(), client.ObjectKey{Name: tc.name}, mutating)
				errValidating := cluster.Get(t.Context(), client.ObjectKey{Name: tc.name}, validating)
				if len(mutating.Webhooks) != tc.mutating || len(validating.Webhooks) != tc.validating {
					return fmt.Errorf("%d mutating and %d validating webhooks: %v, %v", len(mutating.Webhooks), len(validating.Webhooks), errMutating, errValidating)
				}
				if at := validating.Webhooks[0].ClientConfig.Service; at == nil || at.Name != tc.name || at.Namespace != "garden" || *at.Port != tc.port {
					return fmt.Errorf("registered at %+v", at)
				}
				if len(validating.Webhooks[0].ClientConfig.CABundle) == 0 {
					return errors.New("only reserved")
				}
				return nil
			})
		})
	}
}

// run starts the component with the arguments of its container.
func run(t *testing.T, env *testenv.Env, container, instead []string) {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	arguments := slices.Concat(container, instead)
	for i, argument := range arguments { // both run on one address, but two pods have two
		if name, _, found := strings.Cut(argument, "=$(POD_IP):"); found {
			arguments[i] = name + "=" + env.Address + ":0"
		}
	}
	output := &strings.Builder{}
	cmd := exec.Command(binary, arguments...)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%v:\n%s", arguments, output)
		}
	})
}
