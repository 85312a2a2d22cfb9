package kubeconfigs_test

import (
	"encoding/json"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/kubeconfigs"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const (
	good = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://example.org'}}]\nusers: [{name: u, user: {token: topsecret}}]\n"
	bad  = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://example.org'}}]\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: topsecret, interactiveMode: Never}}}]\n"
)

func secret(data ...string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "p", Name: "s"}, Data: map[string][]byte{}}
	for i := 0; i < len(data); i += 2 {
		s.Data[data[i]] = []byte(data[i+1])
	}
	return s
}

func raw(t *testing.T, object client.Object) runtime.RawExtension {
	t.Helper()
	if object == nil {
		return runtime.RawExtension{}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: text}
}

func check(t *testing.T, response admission.Response, refused string) {
	t.Helper()
	if response.Allowed != (refused == "") {
		t.Fatalf("allowed: %t, %v", response.Allowed, response.Result)
	}
	if refused == "" {
		return
	}
	if response.Result.Code != 422 || !strings.Contains(response.Result.Message, refused) || strings.Contains(response.Result.Message, "topsecret") {
		t.Errorf("%+v", response.Result)
	}
}

func TestSecrets(t *testing.T) {
	shoot := graph.Vertex{Kind: graph.Shoot, Namespace: "p", Name: "shoot"}
	for name, tc := range map[string]struct {
		object, old *corev1.Secret
		referred    bool
		refused     string
	}{
		"GAC-2 a kubeconfig with a token passes":                       {object: secret("kubeconfig", good)},
		"GAC-2 a kubeconfig with a program is refused":                 {object: secret("kubeconfig", bad), refused: `secret "p/s": the kubeconfig in key "kubeconfig" is not allowed: user "u" runs a program`},
		"GAC-2 the key kubeconfig must hold a kubeconfig":              {object: secret("kubeconfig", "topsecret: ["), refused: "cannot be parsed"},
		"GAC-2 the key kubeconfig may be empty":                        {object: secret("kubeconfig", "")},
		"GAC-2 other keys of unrelated Secrets are not looked at":      {object: secret("a", bad)},
		"GAC-2 every key is looked at if a Shoot refers to the Secret": {object: secret("a", bad), referred: true, refused: `in key "a"`},
		"GAC-2 what is no kubeconfig is not looked at":                 {object: secret("a", "users: none", "b", "the users and clusters", "c", "kind: Other\nusers: [1]"), referred: true},
		"GAC-2 JSON is looked at, too":                                 {object: secret("a", `{"users":[{"name":"u","user":{"tokenFile":"/x"}}]}`), referred: true, refused: "refers to a file"},
		"GAC-2 a Secret from before may change otherwise":              {object: secret("kubeconfig", bad, "a", "b"), old: secret("kubeconfig", bad)},
		"GAC-2 a Secret may not become bad":                            {object: secret("kubeconfig", bad), old: secret("kubeconfig", good), refused: "runs a program"},
	} {
		t.Run(name, func(t *testing.T) {
			g := &graph.Graph{}
			if tc.referred {
				g.Set(shoot, []graph.Edge{{From: graph.Vertex{Kind: graph.Secret, Namespace: "p", Name: "s"}, To: shoot}})
			}
			request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Namespace: "p", Object: raw(t, tc.object)}}
			if tc.old != nil {
				request.OldObject = raw(t, tc.old)
			}
			check(t, kubeconfigs.Secrets{Graph: g}.Handle(t.Context(), request), tc.refused)
		})
	}
}

func TestReferences(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	handler := kubeconfigs.References{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret("any", bad)).Build()}
	meta := metav1.ObjectMeta{Namespace: "p", Name: "shoot"}
	plugin := &core.Shoot{ObjectMeta: meta, Spec: core.ShootSpec{Kubernetes: core.Kubernetes{KubeAPIServer: &core.KubeAPIServerConfig{
		AdmissionPlugins: []core.AdmissionPlugin{{Name: "X", KubeconfigSecretName: ptr.To("s")}},
	}}}}
	resource := &core.Shoot{ObjectMeta: meta, Spec: core.ShootSpec{Resources: []core.NamedResourceReference{
		{Name: "r", ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: "s"}},
	}}}
	missing := resource.DeepCopy()
	missing.Spec.Resources[0].ResourceRef.Name = "missing"
	for name, tc := range map[string]struct {
		kind        string
		object, old client.Object
		refused     string
	}{
		"GAC-2 a Shoot cannot begin to refer to a bad kubeconfig by a plugin":   {kind: "Shoot", object: plugin, refused: `secret "p/s": the kubeconfig in key`},
		"GAC-2 a Shoot cannot begin to refer to a bad kubeconfig by a resource": {kind: "Shoot", object: resource, old: missing, refused: "runs a program"},
		"GAC-2 a Shoot that refers to it already may change otherwise":          {kind: "Shoot", object: resource, old: plugin},
		"GAC-2 a Secret that does not exist is the concern of others":           {kind: "Shoot", object: missing},
		"GAC-2 a Seed cannot begin to refer to a bad kubeconfig": {
			kind: "Seed", object: &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: core.SeedSpec{SecretRef: &corev1.SecretReference{Namespace: "p", Name: "s"}}}, refused: "runs a program",
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Kind: metav1.GroupVersionKind{Kind: tc.kind}, Object: raw(t, tc.object), Operation: admissionv1.Create,
			}}
			if tc.old != nil {
				request.Operation, request.OldObject = admissionv1.Update, raw(t, tc.old)
			}
			check(t, handler.Handle(t.Context(), request), tc.refused)
		})
	}
}
