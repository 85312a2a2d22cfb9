package encryptionkeys_test

import (
	"encoding/json"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/encryptionkeys"
)

func TestHandler(t *testing.T) {
	shared := metav1.ObjectMeta{Name: "backup", Labels: map[string]string{"seed.gardener.cloud/shared": "true"}}
	names := func(text string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "backup", Annotations: map[string]string{"seed.gardener.cloud/names": text}}
	}
	for name, tc := range map[string]struct {
		meta      metav1.ObjectMeta
		namespace string
		key       string
		refused   string
	}{
		"ETC-10 a key in a Secret of all seeds is refused":         {shared, "garden", "encryptionKey", "to all seeds"},
		"ETC-10 one in a Secret of two seeds is refused":           {names("one, two"), "garden", "encryptionKey", "one and two"},
		"ETC-10 one in a Secret of one seed is allowed":            {names("one,one "), "garden", "encryptionKey", ""},
		"ETC-10 one in a Secret that an operator names is allowed": {metav1.ObjectMeta{Name: "backup"}, "garden", "encryptionKey", ""},
		"other values of a Secret of all seeds are allowed":        {shared, "garden", "provider", ""},
		"Secrets of projects are not those of seeds":               {shared, "garden-dev", "encryptionKey", ""},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(&corev1.Secret{ObjectMeta: tc.meta, Data: map[string][]byte{tc.key: []byte("AGE-SECRET-KEY-1")}})
			if err != nil {
				t.Fatal(err)
			}
			got := encryptionkeys.Handler{}.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Namespace: tc.namespace, Object: runtime.RawExtension{Raw: raw},
			}})
			if got.Allowed != (tc.refused == "") {
				t.Fatalf("allowed %v: %+v", got.Allowed, got.Result)
			}
			if !got.Allowed && (!strings.Contains(got.Result.Message, tc.refused) || strings.Contains(got.Result.Message, "AGE-SECRET")) {
				t.Error(got.Result.Message)
			}
		})
	}
}
