package shootwebhook_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/shootwebhook"
)

var (
	env    *testenv.Env
	scheme = runtime.NewScheme()
	seed   client.Client
)

func TestMain(m *testing.M) {
	extensions, err := crds.Extensions()
	resources, other := crds.Resources()
	if err := errors.Join(err, other, install.AddSeed(scheme)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	definitions := slices.DeleteFunc(slices.Concat(extensions, resources), func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return !slices.Contains([]string{"ControlPlane", "Cluster", "ManagedResource"}, d.Spec.Names.Kind)
	})
	testenv.Main(m, testenv.Options{CRDs: definitions, NoLeaks: true}, func(e *testenv.Env) {
		log.SetLogger(logr.Discard())
		env = e
		if seed, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

const (
	extension, server = "extension-provider-sky", "webhooks.extension-provider-sky.svc"
	resourceName      = "extension-provider-sky-shoot-webhooks"
)

func webhooks() shootwebhook.Webhooks {
	mark := webhook.Mutate(func(_ context.Context, object *metav1.PartialObjectMetadata) error {
		metav1.SetMetaDataAnnotation(&object.ObjectMeta, "sky.example.org/mark", "blue")
		return nil
	})
	return shootwebhook.Webhooks{
		Provider: "provider-sky", Service: types.NamespacedName{Namespace: extension, Name: "webhooks"}, Port: 443,
		Hooks: []webhook.Hook{{Name: "pods.sky.example.org", Path: "/webhooks/pods", Handler: mark, Rules: webhook.CreatedPods(), MayFail: true, TimeoutSeconds: 5}},
	}
}

// start runs the extension until the returned function is called, which waits for its end.
func start(t *testing.T, at shootwebhook.Serving) (stop func()) {
	t.Helper()
	skip := true
	options := manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}}
	options.Controller.SkipNameValidation = &skip // the tests start it again
	mgr, err := manager.New(env.Config, options)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(webhooks().Serve(mgr, at), shootwebhook.Add(mgr, shootwebhook.Options[*extensionsv1alpha1.ControlPlane]{Webhooks: webhooks(), Types: []string{"sky"}}))
	if err != nil {
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

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T: %v", object, err)
		}
	}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func controlPlane(namespace, of string) *extensionsv1alpha1.ControlPlane {
	return &extensionsv1alpha1.ControlPlane{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own", Finalizers: []string{"extensions.gardener.cloud/controlplane"}},
		Spec:       extensionsv1alpha1.ControlPlaneSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: of}, Region: "up"},
	}
}

// configuration is what the ManagedResource brings to a shoot.
func configuration(ctx context.Context, namespace string) (string, error) {
	resource := &resourcesv1alpha1.ManagedResource{}
	if err := seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: resourceName}, resource); err != nil {
		return "", err
	}
	secret := &corev1.Secret{}
	err := seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: resource.Spec.SecretRefs[0].Name}, secret)
	return string(secret.Data["mutating.yaml"]), err
}

func gone(ctx context.Context, namespace string) error {
	_, err := configuration(ctx, namespace)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return errors.Join(errors.New("it is still there"), err)
}

func TestShootWebhooks(t *testing.T) {
	create(t, namespace(extension), namespace("shoot--a--one"), namespace("shoot--a--two"), namespace("shoot--a--other"))
	create(t, controlPlane("shoot--a--one", "sky"), controlPlane("shoot--a--other", "sea"))
	listener, err := net.Listen("tcp", net.JoinHostPort(env.Address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	stop := start(t, shootwebhook.Serving{Listen: func() (net.Listener, error) { return listener, nil }})
	certificates := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: extension, Name: "gardener-extension-provider-sky-shoot-webhook-server"}}
	first := ""
	env.Until(t, "the shoot has the webhooks", func(ctx context.Context) (err error) {
		first, err = configuration(ctx, "shoot--a--one")
		return err
	})
	t.Run("EXT-24 the shoot's API server reaches the webhook at a Service of the seed, and trusts what is there", func(t *testing.T) {
		if !strings.Contains(first, "https://"+server+":443/webhooks/pods") || !strings.Contains(first, "failurePolicy: Ignore") {
			t.Errorf("configuration\n%s", first)
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(certificates), certificates); err != nil {
			t.Fatal(err)
		}
		if patch := call(t, listener.Addr().String(), webhook.Bundle(certificates.Data)); !strings.Contains(patch, "sky.example.org/mark") {
			t.Errorf("answer %s", patch)
		}
	})
	t.Run("EXT-24 a new shoot gets them, and one of another provider does not", func(t *testing.T) {
		create(t, controlPlane("shoot--a--two", "sky"))
		env.Until(t, "the new shoot has them", func(ctx context.Context) error {
			_, err := configuration(ctx, "shoot--a--two")
			return err
		})
		if err := gone(t.Context(), "shoot--a--other"); err != nil {
			t.Errorf("another provider's shoot: %v", err)
		}
	})
	t.Run("EXT-24 all shoots learn of a new authority", func(t *testing.T) {
		next, _, err := webhook.Renew(nil, []string{server}, certificates.CreationTimestamp.Time)
		if err != nil {
			t.Fatal(err)
		}
		certificates.Data["ca-next.crt"], certificates.Data["ca-next.key"] = next["ca.crt"], next["ca.key"]
		if err := seed.Update(t.Context(), certificates); err != nil {
			t.Fatal(err)
		}
		for _, shoot := range []string{"shoot--a--one", "shoot--a--two"} {
			env.Until(t, shoot+" knows both authorities", func(ctx context.Context) error {
				now, err := configuration(ctx, shoot)
				if err == nil && now == first {
					err = errors.New("it knows the former one only")
				}
				return err
			})
		}
	})
	t.Run("EXT-24 what the gardenlet removes from a shoot that leaves stays away", func(t *testing.T) {
		create(t, namespace("shoot--a--taken"))
		cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "shoot--a--taken"}, Spec: extensionsv1alpha1.ClusterSpec{
			Shoot: runtime.RawExtension{Raw: []byte(`{}`)}, Seed: runtime.RawExtension{Raw: []byte(`{}`)}, CloudProfile: runtime.RawExtension{Raw: []byte(`{}`)},
		}}
		create(t, cluster, controlPlane("shoot--a--taken", "sky"))
		key := client.ObjectKey{Namespace: "shoot--a--taken", Name: resourceName}
		env.Until(t, "the shoot has the webhooks", func(ctx context.Context) error {
			_, err := configuration(ctx, key.Namespace)
			return err
		})
		patch(t, client.ObjectKeyFromObject(cluster), cluster, `{"metadata":{"annotations":{"shoot.gardener.cloud/taken":"true"}}}`)
		removed := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		if err := seed.Delete(t.Context(), removed); client.IgnoreNotFound(err) != nil { // or the extension was faster
			t.Fatal(err)
		}
		env.Until(t, "the Secret goes, too", func(ctx context.Context) error {
			err := seed.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: "managedresource-" + resourceName}, &corev1.Secret{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return errors.Join(errors.New("it is still there"), err)
		})
		patch(t, client.ObjectKeyFromObject(controlPlane(key.Namespace, "sky")), &extensionsv1alpha1.ControlPlane{}, `{"metadata":{"annotations":{"woken":"yes"}}}`)
		testwait.Stays(t, time.Second, "it stays away", func() error { return gone(t.Context(), key.Namespace) })
	})
	t.Run("EXT-24 they leave a shoot that moves to another seed alone", func(t *testing.T) {
		moving := &resourcesv1alpha1.ManagedResource{}
		key := client.ObjectKey{Namespace: "shoot--a--two", Name: resourceName}
		patch(t, key, moving, `{"metadata":{"finalizers":["resources.gardener.cloud/gardener-resource-manager"]}}`)
		patch(t, client.ObjectKey{Namespace: "shoot--a--two", Name: "own"}, &extensionsv1alpha1.ControlPlane{}, `{"metadata":{"annotations":{"gardener.cloud/operation":"migrate"}}}`)
		env.Until(t, "the resource goes and its objects stay", func(ctx context.Context) error {
			if err := seed.Get(ctx, key, moving); err != nil {
				return err
			}
			if moving.DeletionTimestamp == nil || moving.Spec.KeepObjects == nil || !*moving.Spec.KeepObjects {
				return errors.New("not yet")
			}
			return nil
		})
		patch(t, key, moving, `{"metadata":{"finalizers":null}}`) // as the resource manager does
	})
	stop()
	t.Run("EXT-24 they go with the extension's object, also if it went unnoticed", func(t *testing.T) {
		cp := controlPlane("shoot--a--one", "sky")
		patch(t, client.ObjectKeyFromObject(cp), cp, `{"metadata":{"finalizers":null}}`)
		if err := seed.Delete(t.Context(), cp); err != nil {
			t.Fatal(err)
		}
		defer start(t, shootwebhook.Serving{BindAddress: net.JoinHostPort(env.Address, "0")})()
		for _, shoot := range []string{"shoot--a--one", "shoot--a--two"} {
			env.Until(t, shoot+" has none", func(ctx context.Context) error { return gone(ctx, shoot) })
		}
	})
}

func patch(t *testing.T, key client.ObjectKey, object client.Object, text string) {
	t.Helper()
	object.SetNamespace(key.Namespace)
	object.SetName(key.Name)
	if err := seed.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(text))); err != nil {
		t.Fatal(err)
	}
}

// call asks the server as an API server does that trusts the bundle. It returns the patch.
func call(t *testing.T, address string, bundle []byte) string {
	t.Helper()
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(bundle)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: server}}
	defer transport.CloseIdleConnections()
	review, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "1", Operation: admissionv1.Create, Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			Object: runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[]}}`)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Post("https://"+address+"/webhooks/pods", "application/json", bytes.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := &admissionv1.AdmissionReview{}
	if err := json.Unmarshal(body, answer); err != nil || answer.Response == nil {
		t.Fatalf("answer %s: %v", body, err)
	}
	return string(answer.Response.Patch)
}
