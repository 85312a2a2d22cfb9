// Package examples checks that the API accepts the manifests that users are told to apply. The end-to-end tests apply the
// manifests.
package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
)

// namespace exists in every landscape; that of a new project is created some time after the project.
const namespace = "garden-local"

func TestExamples(t *testing.T) {
	scheme := newScheme(t)
	for _, path := range manifests(t) {
		t.Run(path, func(t *testing.T) {
			obj := decode(t, scheme, path)
			if obj.GetNamespace() != "" && obj.GetNamespace() != namespace {
				t.Errorf("is in namespace %q, which may not exist yet when it is applied", obj.GetNamespace())
			}
			switch o := obj.(type) {
			case *gardencorev1beta1.Shoot:
				checkShoot(t, o)
				wantValid(t, validation.ValidateShoot(o))
				if warnings := ineffective.Shoot.Warnings(t.Context(), o, nil); len(warnings) > 0 {
					t.Errorf("causes warnings: %q", warnings)
				}
			case *gardencorev1beta1.SecretBinding:
				wantValid(t, validation.ValidateSecretBinding(o))
			case *gardencorev1beta1.Project:
				wantValid(t, validation.ValidateProject(o))
			case *gardencorev1.ControllerDeployment:
				wantValid(t, validation.ValidateControllerDeploymentV1(o))
			case *gardencorev1beta1.ControllerRegistration:
				wantValid(t, validation.ValidateControllerRegistration(o))
			case *gardencorev1beta1.ExposureClass:
				wantValid(t, validation.ValidateExposureClass(o))
			case *securityv1alpha1.CredentialsBinding, *corev1.Secret:
			default:
				t.Errorf("%T is not expected among the examples", obj)
			}
		})
	}
}

func wantValid(t *testing.T, mistakes field.ErrorList) {
	t.Helper()
	if err := mistakes.ToAggregate(); err != nil {
		t.Errorf("is not valid: %v", err)
	}
}

// checkShoot checks what strict decoding does not: references, and names that fit.
func checkShoot(t *testing.T, shoot *gardencorev1beta1.Shoot) {
	t.Helper()
	if together := len("local") + len(shoot.Name); together > 21 {
		t.Errorf("project and shoot name have %d characters together, more than 21", together)
	}
	if shoot.Spec.CloudProfile == nil || shoot.Spec.CloudProfile.Name != "local" {
		t.Errorf("cloud profile is %+v after defaulting, want local", shoot.Spec.CloudProfile)
	}
	if len(shoot.Spec.Provider.Workers) == 0 {
		return
	}
	if (shoot.Spec.SecretBindingName == nil) == (shoot.Spec.CredentialsBindingName == nil) {
		t.Errorf("names not exactly one binding")
	}
	if shoot.Spec.Networking == nil || shoot.Spec.Networking.Nodes == nil {
		t.Errorf("names no network for its nodes: %+v", shoot.Spec.Networking)
	}
	for _, worker := range shoot.Spec.Provider.Workers {
		if worker.MaxSurge == nil || worker.MaxUnavailable == nil || worker.CRI == nil {
			t.Errorf("defaults left worker %s incomplete", worker.Name)
		}
	}
}

func TestOnlyOneClusterIsMadeByDefault(t *testing.T) {
	scheme := newScheme(t)
	var shoots []string
	for _, path := range manifests(t) {
		if shoot, ok := decode(t, scheme, path).(*gardencorev1beta1.Shoot); ok && !strings.Contains(path, "/") {
			shoots = append(shoots, shoot.Name)
		}
	}
	if !slices.Equal(shoots, []string{"local"}) {
		t.Errorf("kubectl apply -f examples/ makes the clusters %v, want only local", shoots)
	}
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatalf("make scheme: %v", err)
	}
	if err := gardencorev1beta1.RegisterDefaults(scheme); err != nil {
		t.Fatalf("register defaults: %v", err)
	}
	return scheme
}

func manifests(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"*.yaml", "more/*.yaml", "howto/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("find manifests: %v", err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 6 {
		t.Fatalf("found only %v", paths)
	}
	return paths
}

// decode reads one manifest strictly, so that a misspelt field is an error, and applies the defaults.
func decode(t *testing.T, scheme *runtime.Scheme, path string) client.Object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read manifest: %v", err)
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	obj, _, err := decoder.Decode(data, nil, nil)
	if err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	scheme.Default(obj)
	return obj.(client.Object)
}
