package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// member is the backup server of a member. It gives each of its answers once, and the last one of a path for ever.
type member struct {
	mu      sync.Mutex
	answers map[string][]string // by method and path; empty means that it does not answer
	asked   []string
}

func (m *member) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := r.Method + " " + r.URL.Path
	m.asked = append(m.asked, what)
	answers := m.answers[what]
	if len(answers) > 1 {
		m.answers[what] = answers[1:]
	}
	if len(answers) == 0 || answers[0] == "" {
		http.Error(w, "not now", http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, answers[0])
}

const moved = "shoot--sky--sun"

// serving is etcd main of a shoot. Its first member has the backup server, the others do not run.
func serving(t *testing.T, replicas int32, server http.Handler) Etcd {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "etcd"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate.AddHosts(template, "etcd-main-client."+moved+".svc")
	made, err := certificate.SelfSigned(template)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := made.PEM()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(server)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	t.Cleanup(s.Close)
	_, text, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}

	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: moved, Name: name} }
	object := &druidv1alpha1.Etcd{ObjectMeta: meta("etcd-main"), Spec: druidv1alpha1.EtcdSpec{Replicas: replicas}}
	object.Spec.Backup.Port = ptr.To(int32(port))
	object.Spec.Backup.TLS = &druidv1alpha1.TLSConfig{
		TLSCASecretRef:     druidv1alpha1.SecretReference{SecretReference: corev1.SecretReference{Name: "tls"}, DataKey: ptr.To("tls.crt")},
		ClientTLSSecretRef: corev1.SecretReference{Name: "tls"},
	}
	object.Status.Conditions = []druidv1alpha1.Condition{{Type: druidv1alpha1.ConditionTypeBackupReady, Status: druidv1alpha1.ConditionUnknown}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(object,
		&corev1.Secret{ObjectMeta: meta("tls"), Data: map[string][]byte{"tls.crt": cert, "tls.key": key}},
		&corev1.Pod{ObjectMeta: meta("etcd-main-0"), Status: corev1.PodStatus{PodIP: "127.0.0.1"}}).Build()
	return Etcd{Space: seed.New(moved, "image", c, nil, clock.RealClock{})}
}

func TestFinalSnapshotOfAGivenEtcd(t *testing.T) {
	const check, latest = "POST /owner/check", "GET /snapshot/latest"
	const final, usual = `{"fullSnapshot":{"isFinal":true}}`, `{"fullSnapshot":{"isFinal":false}}`
	for name, tc := range map[string]struct {
		replicas int32
		answers  map[string][]string
		want     []string
	}{
		"MIG-24 the flow waits until the etcd has noticed, stopped and taken it": {1, map[string][]string{
			check:  {`{"owner":"self"}`, `{"owner":"other"}`, "", `{"owner":"other","released":true}`},
			latest: {final},
		}, []string{check, check, check, check, latest}},
		"MIG-24 an old final snapshot is not enough": {1, map[string][]string{
			check:  {`{"owner":"self","released":true}`, `{"owner":"other","released":true}`},
			latest: {usual, final},
		}, []string{check, check, latest, check, latest}},
		"MIG-24 one member of several is enough": {3, map[string][]string{
			check: {`{"owner":"other","released":true}`}, latest: {final},
		}, []string{check, latest}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &member{answers: tc.answers}
			e := serving(t, tc.replicas, m)
			if err := e.AwaitFinalSnapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, m.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("MIG-24 the error says what is missing", func(t *testing.T) {
		m := &member{answers: map[string][]string{check: {`{"owner":"self"}`}}}
		e := serving(t, 1, m)
		if err := e.givenUp(t.Context()); err == nil || !strings.Contains(err.Error(), `the owner is "self"`) {
			t.Errorf("error %v", err)
		}
	})
}
