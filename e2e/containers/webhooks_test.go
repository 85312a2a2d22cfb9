package containers

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// hook is a webhook that refuses ConfigMaps with a label, and the pods that serve it.
const hook = `apiVersion: v1
kind: Secret
metadata: {name: hook}
type: kubernetes.io/tls
data: {tls.crt: %[2]s, tls.key: %[3]s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook}
spec:
  replicas: 2
  selector: {matchLabels: {app: hook}}
  template:
    metadata: {labels: {app: hook}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: c, image: %[1]s, args: [admit, "8443", /tls], ports: [{name: https, containerPort: 8443}], readinessProbe: {tcpSocket: {port: https}, periodSeconds: 1}, volumeMounts: [{name: tls, mountPath: /tls}]}
      volumes: [{name: tls, secret: {secretName: hook}}]
---
apiVersion: v1
kind: Service
metadata: {name: hook}
spec: {selector: {app: hook}, ports: [{port: 443, targetPort: https}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: hook.example.org
  clientConfig: {service: {namespace: default, name: hook}, caBundle: %[2]s}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 10
`

// refusal is what the webhook answers.
const refusal = "pods of the shoot do not want it"

func webhooks(t *testing.T, f *fixture) {
	cert, key := selfSigned(t, "hook.default.svc")
	f.Kubectl(f.shoot, "apply", "-f", f.File("hook.yaml", fmt.Sprintf(hook, reference, cert, key)))
	f.Kubectl(f.shoot, "rollout", "status", "deployment/hook", "--timeout=5m")
	f.Eventually(time.Minute, "the webhook refuses an object", func() (bool, string) { // API servers learn of webhooks some time later
		r := f.TryKubectl(f.shoot, "create", "configmap", "unwanted", "--dry-run=server")
		return strings.Contains(r.Stderr, refusal), r.Stdout + r.Stderr
	})
	f.Kubectl(f.shoot, "create", "configmap", "wanted")
	f.Kubectl(f.shoot, "scale", "deployment/hook", "--replicas=0")
	f.Eventually(time.Minute, "the message names the Service without pods", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "create", "configmap", "late")
		return strings.Contains(r.Stderr, "the Service default/hook has no ready pod"), r.Stdout + r.Stderr
	})
	f.Kubectl(f.shoot, "delete", "validatingwebhookconfiguration/hook", "deployment/hook", "service/hook", "configmap/wanted")
}

// admit serves the webhook.
func admit(port, dir string) int {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review := admissionv1.AdmissionReview{}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: review.Request.Name != "unwanted", Result: &metav1.Status{Message: refusal}}
		_ = json.NewEncoder(w).Encode(review)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServeTLS(":"+port, dir+"/tls.crt", dir+"/tls.key", handler))
	return 1
}

// selfSigned makes a certificate for a host, and its key, as values of a Secret.
func selfSigned(t *testing.T, host string) (cert, key string) {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	})
	if err != nil {
		t.Fatal(err)
	}
	private, err := certificate.EncodeKey(pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(certificate.Encode(pair.Cert)), base64.StdEncoding.EncodeToString(private)
}
