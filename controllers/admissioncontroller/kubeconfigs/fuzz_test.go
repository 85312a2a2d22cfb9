package kubeconfigs_test

import (
	"testing"
	"unicode/utf16"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/kubeconfigs"
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
