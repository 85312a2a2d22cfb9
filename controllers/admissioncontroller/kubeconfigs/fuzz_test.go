package kubeconfigs_test

import (
	"encoding/json"
	"testing"
	"unicode/utf16"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/kubeconfigs"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// referredValue asks about a Secret with one value under any key, to which a Shoot refers.
func referredValue(t *testing.T, value string) admission.Response {
	t.Helper()
	g, shoot := &graph.Graph{}, graph.Vertex{Kind: graph.Shoot, Namespace: "p", Name: "shoot"}
	g.Set(shoot, []graph.Edge{{From: graph.Vertex{Kind: graph.Secret, Namespace: "p", Name: "s"}, To: shoot}})
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Namespace: "p", Object: raw(t, secret("a", value))}}
	return kubeconfigs.Secrets{Graph: g}.Handle(t.Context(), request)
}

// utf16Of encodes a text as YAML allows it, too.
func utf16Of(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

const escaped = `{"apiVersion": "v1", "kind": "Config", "\u0075sers": [{"name": "u", "user": {"tokenFile": "/x"}}]}`

func TestSpellingsOfKubeconfigs(t *testing.T) {
	for name, value := range map[string]string{"escapes": escaped, "UTF-16": utf16Of(bad)} {
		t.Run("GAC-2 a kubeconfig with "+name+" is looked at", func(t *testing.T) {
			if referredValue(t, value).Allowed {
				t.Error("allowed")
			}
		})
	}
}

// FuzzSecrets looks for a value that passes though clients would run a program or read a file because of it.
func FuzzSecrets(f *testing.F) {
	for _, text := range []string{good, bad, escaped, utf16Of(bad)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !referredValue(t, value).Allowed {
			return
		}
		config, err := clientcmd.Load([]byte(value))
		if err != nil {
			return
		}
		for name, user := range config.AuthInfos {
			if user.Exec != nil || user.AuthProvider != nil || user.TokenFile+user.ClientKey+user.ClientCertificate != "" {
				t.Errorf("user %q: %v", name, user)
			}
		}
		for name, cluster := range config.Clusters {
			if cluster.CertificateAuthority != "" {
				t.Errorf("cluster %q: %v", name, cluster)
			}
		}
	})
}

// FuzzReferences looks for a Shoot that passes though it refers to a Secret with a kubeconfig that runs a program.
func FuzzReferences(f *testing.F) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		f.Fatal(err)
	}
	handler := kubeconfigs.References{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret("any", bad)).Build()}
	for _, spec := range []string{
		`{}`, `null`, `[]`, `{"resources":[{"name":"a","resourceRef":{"kind":"Secret","name":"s","apiVersion":"v1"}}]}`,
		`{"kubernetes":{"kubeAPIServer":{"admissionPlugins":[{"name":"a","kubeconfigSecretName":"s"}],"serviceAccountConfig":{"signingKeySecretName":{"name":"s"}}}}}`,
		`{"dns":{"providers":[{"secretName":"s"},{"credentialsRef":{"kind":"Secret","name":"s"}}]}}`,
	} {
		f.Add([]byte(`{"metadata":{"namespace":"p","name":"shoot"},"spec":` + spec + `}`))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Operation: admissionv1.Create, Kind: metav1.GroupVersionKind{Kind: "Shoot"}, Namespace: "p", Object: runtime.RawExtension{Raw: object},
		}}
		shoot := &core.Shoot{}
		if !handler.Handle(t.Context(), request).Allowed || json.Unmarshal(object, shoot) != nil || shoot.Namespace != "p" || shoot.Name == "" { // API servers generate names before they ask
			return
		}
		for _, resource := range shoot.Spec.Resources {
			if resource.ResourceRef.Kind == "Secret" && resource.ResourceRef.Name == "s" {
				t.Errorf("%s", object)
			}
		}
		if server := shoot.Spec.Kubernetes.KubeAPIServer; server != nil {
			for _, plugin := range server.AdmissionPlugins {
				if ptr.Deref(plugin.KubeconfigSecretName, "") == "s" {
					t.Errorf("%s", object)
				}
			}
		}
	})
}
