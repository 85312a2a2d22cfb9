package seed_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

const (
	controlPlane = "shoot--local--a"
	confirmation = `{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`
)

var (
	env *testenv.Env
	c   client.Client
)

func TestMain(m *testing.M) {
	definitions, err := crds.Extensions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) {
		env = e
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

func setUp() error {
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := errors.Join(install.AddSeed(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		return err
	}
	var err error
	if c, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	for name, labels := range map[string]map[string]string{"garden": nil, controlPlane: {"gardener.cloud/role": "shoot"}} {
		if err := c.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}); err != nil {
			return err
		}
	}
	mgr, err := manager.New(env.Config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := seed.AddToManager(mgr, seed.Config{Scheduler: true, BindAddress: net.JoinHostPort(env.Address, "0")}); err != nil {
		return err
	}
	go func() {
		if err := mgr.Start(context.Background()); err != nil {
			panic(err) // every test would time out
		}
	}()
	return nil
}

func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	env.Until(t, what, check)
}

// refused wants the answer of the webhook, and waits until it is called.
func refused(t *testing.T, remove func(context.Context) error) {
	t.Helper()
	eventually(t, "refusal", func(ctx context.Context) error {
		err := remove(ctx)
		if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "confirmation.gardener.cloud/deletion=true") {
			return nil
		}
		return fmt.Errorf("answer: %w", err)
	})
}

func network(name string) *extensionsv1alpha1.Network {
	return &extensionsv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: controlPlane, Name: name},
		Spec:       extensionsv1alpha1.NetworkSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "local"}, PodCIDR: "100.64.0.0/10", ServiceCIDR: "100.128.0.0/10"},
	}
}

func waitRegistered(t *testing.T) *admissionregistrationv1.ValidatingWebhookConfiguration {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	eventually(t, "registration", func(ctx context.Context) error {
		return errors.Join(c.Get(ctx, client.ObjectKey{Name: seed.Name}, configuration), c.Get(ctx, client.ObjectKey{Name: seed.Name}, &admissionregistrationv1.MutatingWebhookConfiguration{}))
	})
	// The API server notices new configurations within a second or so.
	eventually(t, "webhooks are called", func(ctx context.Context) error {
		probe := network("probe")
		probe.ResourceVersion = ""
		if err := c.Create(ctx, probe); client.IgnoreAlreadyExists(err) != nil {
			return err
		}
		if err := c.Delete(ctx, probe); !apierrors.IsForbidden(err) {
			return fmt.Errorf("not yet: %w", err)
		}
		return nil
	})
	return configuration
}

func TestDeletionConfirmation(t *testing.T) {
	configuration := waitRegistered(t)
	t.Run("SAC-1 registered to refuse when it cannot answer, and to trust its own authority", func(t *testing.T) {
		for _, w := range configuration.Webhooks {
			if *w.FailurePolicy != admissionregistrationv1.Fail || *w.TimeoutSeconds != 10 || len(w.ClientConfig.CABundle) == 0 {
				t.Errorf("webhook %s: %+v", w.Name, w)
			}
		}
	})
	t.Run("SAC-2 an extension object goes only when that is confirmed", func(t *testing.T) {
		object := network("single")
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		refused(t, func(ctx context.Context) error { return c.Delete(ctx, object) })
		if err := c.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(confirmation))); err != nil {
			t.Fatal(err)
		}
		if err := c.Delete(t.Context(), object); err != nil {
			t.Error(err)
		}
	})
	t.Run("SAC-2 a collection is refused as long as one object is not confirmed", func(t *testing.T) {
		for _, name := range []string{"first", "second"} {
			if err := c.Create(t.Context(), network(name)); err != nil {
				t.Fatal(err)
			}
		}
		all := func(ctx context.Context) error {
			return c.DeleteAllOf(ctx, &extensionsv1alpha1.Network{}, client.InNamespace(controlPlane))
		}
		refused(t, all)
		for _, name := range []string{"first", "second", "probe"} {
			if err := c.Patch(t.Context(), network(name), client.RawPatch("application/merge-patch+json", []byte(confirmation))); err != nil {
				t.Fatal(err)
			}
		}
		if err := all(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("SAC-2 a definition with the label goes only when that is confirmed, others always", func(t *testing.T) {
		crd := func(plural string, labels map[string]string) *apiextensionsv1.CustomResourceDefinition {
			return &apiextensionsv1.CustomResourceDefinition{
				ObjectMeta: metav1.ObjectMeta{Name: plural + ".example.org", Labels: labels},
				Spec: apiextensionsv1.CustomResourceDefinitionSpec{
					Group: "example.org", Scope: "Namespaced", Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: strings.ToUpper(plural[:1]) + plural[1:]},
					Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}}},
				},
			}
		}
		protected, free := crd("precious", map[string]string{"gardener.cloud/deletion-protected": "true"}), crd("cheap", nil)
		for _, object := range []client.Object{protected, free} {
			if err := c.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Delete(t.Context(), free); err != nil {
			t.Error(err)
		}
		refused(t, func(ctx context.Context) error { return c.Delete(ctx, protected) })
	})
	t.Run("SAC-2 a Cluster is not protected", func(t *testing.T) {
		raw := runtime.RawExtension{Raw: []byte("{}")}
		object := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: extensionsv1alpha1.ClusterSpec{CloudProfile: raw, Seed: raw, Shoot: raw}}
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		if err := c.Delete(t.Context(), object); err != nil {
			t.Error(err)
		}
	})
}

func TestControlPlaneScheduler(t *testing.T) {
	waitRegistered(t)
	pod := func(namespace string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "p-"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}}}
	}
	t.Run("SAC-4 pods of control planes get the scheduler", func(t *testing.T) {
		eventually(t, "scheduler name", func(ctx context.Context) error {
			p := pod(controlPlane)
			if err := c.Create(ctx, p); err != nil || p.Spec.SchedulerName != "gardener-kube-scheduler" {
				return fmt.Errorf("scheduler %q, %w", p.Spec.SchedulerName, err)
			}
			return nil
		})
	})
	t.Run("SAC-4 pods of the system are untouched", func(t *testing.T) {
		p := pod(metav1.NamespaceSystem)
		if err := c.Create(t.Context(), p); err != nil || p.Spec.SchedulerName != "default-scheduler" {
			t.Errorf("scheduler %q, %v", p.Spec.SchedulerName, err)
		}
	})
	t.Run("SAC-4 the endpoint answers a review with a patch", func(t *testing.T) {
		configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: seed.Name}, configuration); err != nil {
			t.Fatal(err)
		}
		endpoint := configuration.Webhooks[0].ClientConfig
		if !strings.HasSuffix(*endpoint.URL, "/webhooks/default-pod-scheduler-name/gardener-kube-scheduler") {
			t.Errorf("URL = %s", *endpoint.URL)
		}
		raw, _ := json.Marshal(pod(controlPlane))
		review, _ := json.Marshal(admissionv1.AdmissionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
			Request:  &admissionv1.AdmissionRequest{UID: "x", Namespace: controlPlane, Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: raw}},
		})
		authorities := x509.NewCertPool()
		authorities.AppendCertsFromPEM(endpoint.CABundle)
		caller := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
		response, err := caller.Post(*endpoint.URL, "application/json", bytes.NewReader(review))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		answer := admissionv1.AdmissionReview{}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if got := string(answer.Response.Patch); got != `[{"op":"add","path":"/spec/schedulerName","value":"gardener-kube-scheduler"}]` {
			t.Errorf("patch = %s", got)
		}
	})
}

func TestReserve(t *testing.T) {
	registered := waitRegistered(t)
	nobody := admissionregistrationv1.ServiceReference{Namespace: "garden", Name: "nobody", Port: ptr.To[int32](10250)}
	t.Run("what is registered already is left alone", func(t *testing.T) {
		if err := seed.Reserve(t.Context(), c, nobody); err != nil {
			t.Fatal(err)
		}
		after := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: seed.Name}, after); err != nil || after.ResourceVersion != registered.ResourceVersion {
			t.Errorf("it has changed: %v, %+v", err, after.Webhooks)
		}
	})
	t.Run("SAC-2 nothing protected goes, not even confirmed, before the admission answers, and it takes over", func(t *testing.T) {
		const name = "reserved"
		hooks := seed.DeletionConfirmation()
		for i := range hooks {
			hooks[i].ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"test": name}}
		}
		if err := webhook.Reserve(t.Context(), c, name, hooks, nobody); err != nil {
			t.Fatal(err)
		}
		object := network(name)
		object.Labels, object.Annotations = map[string]string{"test": name}, map[string]string{"confirmation.gardener.cloud/deletion": "true"}
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		eventually(t, "refusal", func(ctx context.Context) error {
			object.ResourceVersion = "" // may be gone and come again while the API server does not know the webhooks yet
			if err := c.Create(ctx, object); client.IgnoreAlreadyExists(err) != nil {
				return err
			}
			if err := c.Delete(ctx, object); err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
				return fmt.Errorf("answer: %w", err)
			}
			return nil
		})
		own := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: name}, own); err != nil || len(own.ManagedFields) != 1 || own.ManagedFields[0].Manager != name {
			t.Errorf("not owned by who takes over: %+v, %v", own.ManagedFields, err)
		}
		if err := c.Delete(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		eventually(t, "deletion", func(ctx context.Context) error { return client.IgnoreNotFound(c.Delete(ctx, object)) })
	})
}
