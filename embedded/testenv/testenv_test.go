package testenv_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

func widgets() *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.org",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}
}

func TestEnv(t *testing.T) {
	ctx := t.Context()
	env, err := testenv.Start(testenv.Options{CRDs: []*apiextensionsv1.CustomResourceDefinition{widgets()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)

	t.Run("the kubeconfig is that of an administrator", func(t *testing.T) {
		config, err := clientcmd.BuildConfigFromFlags("", env.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		client := kubernetes.NewForConfigOrDie(config)
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "made-by-admin"}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("definitions are served", func(t *testing.T) {
		client := kubernetes.NewForConfigOrDie(env.Config)
		if err := client.RESTClient().Get().AbsPath("/apis/example.org/v1/widgets").Do(ctx).Error(); err != nil {
			t.Fatal(err)
		}
		if err := testenv.InstallCRDs(ctx, env.Config, []*apiextensionsv1.CustomResourceDefinition{widgets()}); err != nil {
			t.Fatalf("install again: %v", err)
		}
	})

	t.Run("other users have the rights that they are given", func(t *testing.T) {
		config, err := env.ConfigFor("jane", "system:authenticated")
		if err != nil {
			t.Fatal(err)
		}
		_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
		if !apierrors.IsForbidden(err) {
			t.Fatalf("got %v, want forbidden", err)
		}
	})

	t.Run("stop leaves nothing and may be repeated", func(t *testing.T) {
		env.Stop()
		env.Stop()
		if _, err := os.Stat(env.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the directory is still there: %v", err)
		}
		err := kubernetes.NewForConfigOrDie(env.Config).RESTClient().Get().AbsPath("/livez").Do(context.Background()).Error()
		if err == nil {
			t.Fatal("kube-apiserver still answers")
		}
	})
}

func TestStartTellsWhyAServerEnded(t *testing.T) {
	broken, err := exec.LookPath("false")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testenv.Start(testenv.Options{Binary: broken}); err == nil {
		t.Fatal("no error")
	}
}
