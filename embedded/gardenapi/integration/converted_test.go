package integration

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestConverted applies a whole garden of the old group, as "gardener convert" prints it: cmd/gardener/app/legacy tests
// that it does.
func TestConverted(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/gardener/app/legacy/testdata/garden.golden")
	if err != nil {
		t.Fatal(err)
	}
	var converted []map[string]any
	for one := range strings.SplitSeq(string(text), "\n---\n") {
		var object map[string]any
		if err := yaml.UnmarshalStrict([]byte(one), &object); err != nil {
			t.Fatal(err)
		}
		converted = append(converted, object)
	}
	for _, name := range []string{"garden-old", "garden-middle"} {
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, name := range []string{"garden/old-seed", "garden-old/dns", "garden-old/account"} {
		namespace, name, _ := strings.Cut(name, "/")
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	}
	registration := &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "of-the-old-garden"}}
	for _, kind := range []string{"BackupBucket", "BackupEntry", "ControlPlane", "Infrastructure", "Worker"} {
		registration.Spec.Resources = append(registration.Spec.Resources, core.ControllerResource{Kind: kind, Type: "aws"})
	}
	registration.Spec.Resources = append(registration.Spec.Resources,
		core.ControllerResource{Kind: "DNSRecord", Type: "aws-route53"}, core.ControllerResource{Kind: "OperatingSystemConfig", Type: "linux"})
	create(t, registration)
	told, c := warned(t)
	for _, fields := range converted {
		object := &unstructured.Unstructured{Object: fields}
		name := object.GetKind() + " " + object.GetName()
		if object.GetKind() == "Secret" {
			continue // is there
		}
		t.Run("API-40 the converted "+name+" applies with strict validation", func(t *testing.T) {
			// What it refers to gets to the plugins by informers, a moment later.
			eventually(t, func() error { return c.Create(t.Context(), object, client.FieldValidation("Strict")) })
			for _, text := range told() {
				if strings.Contains(text, "unknown field") {
					t.Errorf("warned: %s", text)
				}
			}
		})
		t.Cleanup(func() { remove(t, admin(t), object) })
	}
	t.Run("API-40 the shoot means what it meant", func(t *testing.T) {
		s := &core.Shoot{}
		if err := admin(t).Get(t.Context(), client.ObjectKey{Namespace: "garden-old", Name: "johndoe"}, s); err != nil {
			t.Fatal(err)
		}
		pools := s.Spec.Provider.Workers
		if *s.Spec.Purpose != "evaluation" || len(pools) != 2 || pools[0].Maximum != 4 || *pools[1].Machine.Image.Version != "1.0.0" || *s.Spec.Networking.Nodes != "10.250.0.0/16" {
			t.Errorf("spec is %+v", s.Spec)
		}
	})
}
