package kubecontroller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrim(t *testing.T) {
	data := map[string]string{"ca.crt": "text"}
	secret := func(kind corev1.SecretType) *corev1.Secret {
		return &corev1.Secret{Type: kind, Data: map[string][]byte{"token": []byte("text")}}
	}
	for name, tc := range map[string]struct {
		object any
		keeps  bool
	}{
		"a ConfigMap of a user":               {object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: data}},
		"the ConfigMap of a publisher":        {object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kube-root-ca.crt"}, Data: data}, keeps: true},
		"a Secret of a user":                  {object: secret(corev1.SecretTypeOpaque)},
		"the token of a service account":      {object: secret(corev1.SecretTypeServiceAccountToken), keeps: true},
		"a bootstrap token, which may expire": {object: secret(corev1.SecretTypeBootstrapToken), keeps: true},
	} {
		t.Run(name, func(t *testing.T) {
			trimmed, err := trim(tc.object)
			if err != nil {
				t.Fatal(err)
			}
			left := 0
			switch object := trimmed.(type) {
			case *corev1.ConfigMap:
				left = len(object.Data)
			case *corev1.Secret:
				left = len(object.Data)
			}
			if (left > 0) != tc.keeps {
				t.Errorf("%d keys are left", left)
			}
		})
	}
}
