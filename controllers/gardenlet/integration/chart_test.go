package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// charted is a registration with a chart, and what the gardenlet made of it.
type charted struct {
	deployment   *gardencorev1beta1.ControllerDeployment
	registration *gardencorev1beta1.ControllerRegistration
}

// chartConfig is a chart whose values are in a ConfigMap, with a random one. It defines a kind, and asks for another one.
func chartConfig(t *testing.T, size string) runtime.RawExtension {
	t.Helper()
	chart := charttest.Pack(t, fstest.MapFS{
		"Chart.yaml":      {Data: []byte("apiVersion: v2\nname: charted\nversion: 1.0.0\n")},
		"values.yaml":     {Data: []byte("size: small\ncolour: red\n")},
		"crds/owned.yaml": {Data: []byte(definition("owned"))},
		"templates/config.yaml": {Data: []byte(`
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data:
  size: {{ .Values.size }}
  colour: {{ .Values.colour }}
  seed: {{ .Values.gardener.seed.name }}
  garden: {{ .Values.gardener.garden.clusterIdentity }}
  random: {{ randAlphaNum 20 }}
  late: {{ .Capabilities.APIVersions.Has "charted.example.org/v1/Late" | quote }}
`)},
	})
	raw, err := json.Marshal(map[string]any{"chart": chart, "values": map[string]any{"size": size}})
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: raw}
}

// definition of the kind with this plural.
func definition(plural string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.charted.example.org}
spec:
  group: charted.example.org
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]s}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`, plural, strings.ToUpper(plural[:1])+plural[1:])
}

// define adds kinds to the seed, and waits until it serves them.
func define(t *testing.T, plurals ...string) {
	t.Helper()
	seed, err := discovery.NewDiscoveryClientForConfig(environment.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, plural := range plurals {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal([]byte(definition(plural)), crd); err != nil {
			t.Fatal(err)
		}
		create(t, crd)
		t.Cleanup(func() { _ = cluster.Delete(context.Background(), crd) })
		eventually(t, plural, func(context.Context) error {
			_, lists, err := seed.ServerGroupsAndResources()
			for _, list := range lists {
				for _, resource := range list.APIResources {
					if list.GroupVersion == "charted.example.org/v1" && resource.Name == plural {
						return nil
					}
				}
			}
			return fmt.Errorf("not served (%v)", err)
		})
	}
}

func newCharted(t *testing.T) charted {
	t.Helper()
	policy := gardencorev1beta1.ControllerDeploymentPolicyAlways
	return charted{
		create(t, &gardencorev1beta1.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "charted"}, Type: "helm", ProviderConfig: chartConfig(t, "large")}),
		create(t, &gardencorev1beta1.ControllerRegistration{
			ObjectMeta: metav1.ObjectMeta{Name: "charted", Annotations: map[string]string{"security.gardener.cloud/pod-security-enforce": "baseline"}},
			Spec: gardencorev1beta1.ControllerRegistrationSpec{
				Resources:  []gardencorev1beta1.ControllerResource{{Kind: "Network", Type: "charted"}},
				Deployment: &gardencorev1beta1.ControllerRegistrationDeployment{Policy: &policy, DeploymentRefs: []gardencorev1beta1.DeploymentRef{{Name: "charted"}}},
			},
		}),
	}
}

func (charted) installation(ctx context.Context) (*gardencorev1beta1.ControllerInstallation, error) {
	list := &gardencorev1beta1.ControllerInstallationList{}
	if err := cluster.List(ctx, list); err != nil {
		return nil, err
	}
	for i := range list.Items {
		if list.Items[i].Spec.RegistrationRef.Name == "charted" {
			return &list.Items[i], nil
		}
	}
	return nil, errors.New("no installation")
}

func (c charted) managed(ctx context.Context) (*resourcesv1alpha1.ManagedResource, error) {
	installation, err := c.installation(ctx)
	if err != nil {
		return nil, err
	}
	return get(ctx, &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: installation.Name}})
}

// rendered is what the resource manager of the seed is to apply.
func (c charted) rendered(ctx context.Context) (string, error) {
	managed, err := c.managed(ctx)
	if err != nil {
		return "", err
	}
	secret, err := get(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: managed.Spec.SecretRefs[0].Name}})
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(secret.Data["data.yaml.br"])))
	return string(text), err
}

func (c charted) renders(wanted ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		text, err := c.rendered(ctx)
		if err != nil {
			return err
		}
		for _, line := range wanted {
			if !strings.Contains(text, line) {
				return fmt.Errorf("no %q in %s", line, text)
			}
		}
		return nil
	}
}

func (c charted) condition(kind gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus, reason string) func(context.Context) error {
	return func(ctx context.Context) error {
		installation, err := c.installation(ctx)
		if err != nil {
			return err
		}
		if found := conditions.Get(installation.Status.Conditions, kind); found == nil || found.Status != status || found.Reason != reason {
			return fmt.Errorf("%s is %+v", kind, found)
		}
		return nil
	}
}

// TestCharts plays the resource manager of the seed, which is none of the gardenlet's controllers.
func TestCharts(t *testing.T) {
	c := newCharted(t)
	t.Run("GLT-22 EXT-22 EXT-23 a chart is rendered with its values and those about garden and seed", func(t *testing.T) {
		eventually(t, "objects", c.renders("size: large", "colour: red", "seed: local", "garden: gardenapitest"))
		eventually(t, "valid", c.condition("Valid", "True", "RegistrationValid"))
		eventually(t, "pending", c.condition("Installed", "False", "InstallationPending"))
		managed, err := c.managed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if *managed.Spec.Class != "seed" || managed.Labels["controllerinstallation-name"] != managed.Name {
			t.Errorf("class %s, labels %v", *managed.Spec.Class, managed.Labels)
		}
		namespace, err := get(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "extension-" + managed.Name}})
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"gardener.cloud/role": "extension", "controllerregistration.core.gardener.cloud/name": "charted", "pod-security.kubernetes.io/enforce": "baseline",
			"high-availability-config.resources.gardener.cloud/consider": "true",
		} {
			if got := namespace.Labels[key]; got != want {
				t.Errorf("label %s of the namespace is %q, want %q", key, got, want)
			}
		}
	})
	t.Run("GLT-22 the conditions follow the resource manager of the seed, and random values stay", func(t *testing.T) {
		before, err := c.rendered(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.report(t, "True", "False")
		eventually(t, "installed", c.condition("Installed", "True", "InstallationSuccessful"))
		eventually(t, "not healthy", c.condition("Healthy", "False", "ControllerNotHealthy"))
		define(t, "owned", "unrelated")
		c.report(t, "True", "True")
		eventually(t, "healthy", c.condition("Healthy", "True", "ControllerHealthy"))
		eventually(t, "rolled out", c.condition("Progressing", "False", "ControllerRolledOut"))
		if after, err := c.rendered(t.Context()); err != nil || after != before {
			t.Errorf("rendered again (%v):\n%s\nbefore:\n%s", err, after, before)
		}
	})
	t.Run("GLT-22 a chart is rendered again when the seed serves a kind that it asked for", func(t *testing.T) {
		if err := c.renders(`late: "false"`)(t.Context()); err != nil {
			t.Fatal(err)
		}
		define(t, "late")
		installation, err := c.installation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		merge(t, installation, `{"metadata":{"annotations":{"look":"again"}}}`)
		eventually(t, "objects", c.renders(`late: "true"`))
	})
	t.Run("GLT-22 changed values are rolled out, and a broken chart leaves the last one", func(t *testing.T) {
		config := chartConfig(t, "huge")
		merge(t, c.deployment, fmt.Sprintf(`{"providerConfig":%s}`, config.Raw))
		eventually(t, "objects", c.renders("size: huge"))
		merge(t, c.deployment, `{"providerConfig":{"chart":"eA=="}}`)
		eventually(t, "not valid", c.condition("Valid", "False", "ChartCannotBeRendered"))
		eventually(t, "still healthy", c.condition("Healthy", "True", "ControllerHealthy"))
		if err := c.renders("size: huge")(t.Context()); err != nil {
			t.Error(err)
		}
		merge(t, c.deployment, `{"providerConfig":{"chart":null,"ociRepository":{"repository":"127.0.0.1:1/charts","tag":"v1"}}}`)
		eventually(t, "not pulled", c.condition("Valid", "False", "OCIChartCannotBePulled"))
	})
	t.Run("GLT-22 EXT-22 a chart goes when its deployment gets another type, and comes back", func(t *testing.T) {
		managed, err := c.managed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		merge(t, c.deployment, `{"type":"foreign","providerConfig":{"ociRepository":null}}`)
		eventually(t, "leaving", c.condition("Installed", "False", "DeletionPending"))
		eventually(t, "not healthy", c.condition("Healthy", "False", "ControllerNotHealthy"))
		c.isRemoved(t, managed)
		config := chartConfig(t, "tiny")
		merge(t, c.deployment, fmt.Sprintf(`{"type":"helm","providerConfig":%s}`, config.Raw))
		eventually(t, "objects", c.renders("size: tiny"))
	})
	t.Run("GLT-22 a chart goes with its registration, with all that it brought", func(t *testing.T) {
		managed, err := c.managed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := cluster.Delete(t.Context(), c.registration); err != nil {
			t.Fatal(err)
		}
		c.isRemoved(t, managed)
		eventually(t, "registration", isGone(c.registration))
	})
}

// isRemoved waits until nothing of the chart is left.
func (charted) isRemoved(t *testing.T, managed *resourcesv1alpha1.ManagedResource) {
	t.Helper()
	eventually(t, "managed resource", isGone(managed))
	eventually(t, "secret", isGone(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: managed.Spec.SecretRefs[0].Name}}))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "extension-" + managed.Name}}
	eventually(t, "namespace", func(ctx context.Context) error {
		found, err := get(ctx, namespace)
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		case found.DeletionTimestamp == nil:
			return errors.New("the namespace stays")
		}
		found.Spec.Finalizers = nil // nobody finalizes namespaces here
		return client.IgnoreNotFound(cluster.SubResource("finalize").Update(ctx, found))
	})
}

func (c charted) report(t *testing.T, applied, healthy gardencorev1beta1.ConditionStatus) {
	t.Helper()
	managed, err := c.managed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	managed.Status.ObservedGeneration = managed.Generation
	managed.Status.Conditions = nil
	for kind, status := range map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{
		"ResourcesApplied": applied, "ResourcesHealthy": healthy, "ResourcesProgressing": "False",
	} {
		managed.Status.Conditions = append(managed.Status.Conditions, gardencorev1beta1.Condition{
			Type: kind, Status: status, Reason: "Test", Message: "test", LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
		})
	}
	if err := cluster.Status().Update(t.Context(), managed); err != nil {
		t.Fatal(err)
	}
}
