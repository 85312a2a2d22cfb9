package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/webhook"
)

// The names that the provider cloud has in the seed.
const configuration, hook, certificates = "gardener-extension-provider-cloud", "controlplane.cloud.extensions.gardener.cloud", "gardener-extension-provider-cloud-webhook-server"

// mark is what the provider adds to metadata.
const mark = "cloud.example.org/mark"

func marked[T any, P interface {
	*T
	client.Object
}](_ context.Context, object P) error {
	object.SetAnnotations(map[string]string{mark: "yes"})
	return nil
}

func mutators() webhook.Mutators {
	return webhook.Mutators{
		KubeAPIServer: func(_ context.Context, d *appsv1.Deployment) error {
			if d.Annotations["refuse"] != "" {
				return fmt.Errorf("make room: %w", contract.Permanent(errors.New("the cloud is full"), "ERR_INFRA_RESOURCES_DEPLETED"))
			}
			webhook.Argument(&d.Spec.Template.Spec.Containers[0], "--cloud", "sky")
			return nil
		},
		KubeControllerManager: func(_ context.Context, d *appsv1.Deployment) error {
			webhook.Argument(&d.Spec.Template.Spec.Containers[0], "--v", "3")
			return nil
		},
		KubeScheduler:        marked[appsv1.Deployment],
		KubeAPIServerService: marked[corev1.Service],
		Etcd: func(_ context.Context, e *druidv1alpha1.Etcd) error {
			e.Spec.StorageClass = ptr.To("fast")
			return nil
		},
		OperatingSystemConfig: func(_ context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error {
			webhook.File(osc, file("/etc/cloud", "sky"))
			webhook.Unit(osc, extensionsv1alpha1.Unit{Name: "cloud.service", Content: ptr.To("[Unit]")})
			return nil
		},
		Network: marked[extensionsv1alpha1.Network],
	}
}

func file(path, content string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{Path: path, Permissions: ptr.To[uint32](0o644), Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
}

// start runs the provider until the returned function is called, which waits for its end.
func start(t *testing.T) (stop func()) {
	t.Helper()
	mgr, err := manager.New(env.Config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	options := webhook.Options{Provider: "provider-cloud", Type: "cloud", Mutators: mutators(), BindAddress: net.JoinHostPort(env.Address, "0")}
	if err := webhook.Add(mgr, options); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("manager ended: %v", err)
		}
	}
}

// apply writes as the gardenlet does and returns what is stored.
func apply(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(object, scheme)
	if err != nil {
		return nil, err
	}
	desired := &unstructured.Unstructured{}
	if err := scheme.Convert(object, desired, nil); err != nil {
		return nil, err
	}
	desired.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(desired.Object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(desired.Object, "spec", "template", "metadata", "creationTimestamp")
	delete(desired.Object, "status")
	return desired, seed.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired), client.FieldOwner("gardenlet"), client.ForceOwnership)
}

func mustApply(t *testing.T, object client.Object) *unstructured.Unstructured {
	t.Helper()
	stored, err := apply(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// called waits until the API server calls the webhook.
func called(t *testing.T) {
	t.Helper()
	env.Until(t, "the webhook is called", func(ctx context.Context) error {
		probe := network("probe")
		if err := seed.Create(ctx, probe, client.DryRunAll); err != nil {
			return err
		}
		if probe.Annotations[mark] == "" {
			// something has to change for the next look
			return errors.Join(errors.New("not yet"), seed.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "look-"}}))
		}
		return nil
	})
}

func meta(name string, labels map[string]string) metav1.ObjectMeta {
	out := metav1.ObjectMeta{Namespace: ours, Name: name, Labels: map[string]string{constants.LabelExtensionProviderMutatedByControlplaneWebhook: "true"}}
	for key, value := range labels {
		out.Labels[key] = value
	}
	return out
}

func component(role string) map[string]string {
	return map[string]string{"app": "kubernetes", "role": role}
}

func deployment(name, role string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: meta(name, component(role)), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: component(role)},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: component(role)},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: "image", Args: []string{"--v=2", "--last"}}}},
		},
	}}
}

func service() *corev1.Service {
	return &corev1.Service{ObjectMeta: meta("kube-apiserver", component("apiserver")), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}}}
}

func network(name string) *extensionsv1alpha1.Network {
	return &extensionsv1alpha1.Network{ObjectMeta: meta(name, nil), Spec: extensionsv1alpha1.NetworkSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "net"}, PodCIDR: "100.64.0.0/10", ServiceCIDR: "100.128.0.0/10",
	}}
}

func content() *extensionsv1alpha1.OperatingSystemConfig {
	return &extensionsv1alpha1.OperatingSystemConfig{ObjectMeta: meta("content", nil), Spec: extensionsv1alpha1.OperatingSystemConfigSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "os"}, Purpose: extensionsv1alpha1.OperatingSystemConfigPurposeReconcile,
		Files: []extensionsv1alpha1.File{file("/etc/first", "x"), file("/etc/cloud", "replaced")},
	}}
}

func etcd() *druidv1alpha1.Etcd {
	labels := map[string]string{"instance": "etcd-main"}
	return &druidv1alpha1.Etcd{ObjectMeta: meta("etcd-main", nil), Spec: druidv1alpha1.EtcdSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Labels: labels, Replicas: 1,
	}}
}

func text(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	raw, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestWebhook(t *testing.T) {
	stop := start(t)
	called(t)
	for name, tc := range map[string]struct {
		object client.Object
		want   string
	}{
		"kube-apiserver":                  {deployment("kube-apiserver", "apiserver"), `"args":["--v=2","--last","--cloud=sky"]`},
		"kube-controller-manager":         {deployment("kube-controller-manager", "controller-manager"), `"args":["--v=3","--last"]`},
		"kube-scheduler":                  {deployment("kube-scheduler", "scheduler"), mark},
		"the Service of kube-apiserver":   {service(), mark},
		"an Etcd":                         {etcd(), `"storageClass":"fast"`},
		"the content of machines, a file": {content(), `{"content":{"inline":{"data":"sky","encoding":""}},"path":"/etc/cloud","permissions":420}],`},
		"the content of machines, a unit": {content(), `"units":[{"content":"[Unit]","name":"cloud.service"}]`},
		"a Network":                       {network("network"), mark},
	} {
		t.Run("EXT-17 EXT-10 GLT-29 the provider changes "+name+", and the same write again changes nothing", func(t *testing.T) {
			first := mustApply(t, tc.object)
			if got := text(t, first); !strings.Contains(got, tc.want) {
				t.Errorf("%s\nis missing in %s", tc.want, got)
			}
			second := mustApply(t, tc.object)
			if first.GetResourceVersion() != second.GetResourceVersion() || first.GetGeneration() != second.GetGeneration() {
				t.Errorf("it was written again:\n%s\n%s", text(t, first), text(t, second))
			}
		})
	}
	for name, change := range map[string]func(client.Object){
		"of another provider":       func(object client.Object) { object.SetNamespace(theirs) },
		"that the label leaves out": func(object client.Object) { object.SetLabels(component("scheduler")) },
	} {
		t.Run("EXT-17 an object "+name+" stays as it is", func(t *testing.T) {
			object := deployment("other", "scheduler")
			change(object)
			if got := text(t, mustApply(t, object)); strings.Contains(got, mark) {
				t.Errorf("it was changed: %s", got)
			}
		})
	}
	t.Run("EXT-17 a component without mutator stays as it is", func(t *testing.T) {
		if got := text(t, mustApply(t, deployment("proxy", "proxy"))); !strings.Contains(got, `"args":["--v=2","--last"]`) {
			t.Errorf("it was changed: %s", got)
		}
	})
	t.Run("EXT-17 the provider's error refuses an object", func(t *testing.T) {
		full := deployment("full", "apiserver")
		full.Annotations = map[string]string{"refuse": "yes"}
		_, err := apply(t.Context(), full)
		if err == nil || !strings.Contains(err.Error(), "the cloud is full") || !strings.Contains(err.Error(), hook) {
			t.Errorf("answer: %v", err)
		}
		if codes := contract.Codes(fmt.Errorf("write: %w", err)); !slices.Equal(codes, []gardencorev1beta1.ErrorCode{"ERR_INFRA_RESOURCES_DEPLETED"}) {
			t.Errorf("codes for the user: %v", codes)
		}
	})
	registered := read(t)
	stop()

	t.Run("EXT-17 GLT-29 nothing is written while the provider is down, and the error names the webhook", func(t *testing.T) {
		for _, object := range []client.Object{deployment("kube-apiserver", "apiserver"), content(), etcd(), network("network"), service()} {
			if _, err := apply(t.Context(), object); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("failed calling webhook %q", hook)) {
				t.Errorf("%T: %v", object, err)
			}
		}
		other := deployment("another", "scheduler")
		other.Namespace = theirs
		mustApply(t, other)
	})
	t.Run("EXT-17 a change of the number of pods passes nevertheless, another one with it does not", func(t *testing.T) {
		scaled := deployment("kube-controller-manager", "controller-manager")
		patch := func(text string) error {
			return seed.Patch(t.Context(), scaled, client.RawPatch(types.MergePatchType, []byte(text)))
		}
		for _, replicas := range []int{0, 2} {
			if err := patch(fmt.Sprintf(`{"metadata":{"annotations":{"former":"1"}},"spec":{"replicas":%d}}`, replicas)); err != nil {
				t.Errorf("%d replicas: %v", replicas, err)
			}
		}
		err := patch(`{"spec":{"replicas":1,"template":{"metadata":{"annotations":{"restarted":"now"}}}}}`)
		if err == nil || !strings.Contains(err.Error(), hook) {
			t.Errorf("another template: %v", err)
		}
	})
	t.Run("what is to be deleted goes nevertheless", func(t *testing.T) {
		goes := network("network")
		for _, patch := range []string{
			`{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"},"finalizers":["example.org/hold"]}}`,
			`{"metadata":{"finalizers":null}}`,
		} {
			if err := seed.Patch(t.Context(), goes, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
				t.Fatal(err)
			}
			if err := client.IgnoreNotFound(seed.Delete(t.Context(), goes)); err != nil {
				t.Fatal(err)
			}
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(goes), goes); !apierrors.IsNotFound(err) {
			t.Errorf("it is still there: %v", err)
		}
	})
	t.Run("EXT-17 a restart keeps the certificates, and writes pass again", func(t *testing.T) {
		defer start(t)()
		env.Until(t, "a write passes", func(ctx context.Context) error {
			_, err := apply(ctx, deployment("kube-apiserver", "apiserver"))
			return err
		})
		if now := read(t); !bytes.Equal(now.ClientConfig.CABundle, registered.ClientConfig.CABundle) {
			t.Error("another authority is registered")
		}
	})
}

// read returns the webhook, and checks what does not depend on the address.
func read(t *testing.T) admissionregistrationv1.MutatingWebhook {
	t.Helper()
	found := &admissionregistrationv1.MutatingWebhookConfiguration{}
	if err := seed.Get(t.Context(), client.ObjectKey{Name: configuration}, found); err != nil {
		t.Fatal(err)
	}
	if len(found.Webhooks) != 1 || found.Webhooks[0].Name != hook || *found.Webhooks[0].FailurePolicy != admissionregistrationv1.Fail || len(found.Webhooks[0].ClientConfig.CABundle) == 0 {
		t.Errorf("webhooks are %+v", found.Webhooks)
	}
	if err := seed.Get(t.Context(), client.ObjectKey{Namespace: "kube-system", Name: certificates}, &corev1.Secret{}); err != nil {
		t.Errorf("certificates: %v", err)
	}
	return found.Webhooks[0]
}
