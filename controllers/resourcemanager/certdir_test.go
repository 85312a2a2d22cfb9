package resourcemanager_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// TestCertificatesOfOthers runs the component with a directory of certificates.
func TestCertificatesOfOthers(t *testing.T) {
	t.Parallel()
	if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "certificates"}}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificates, _, err := webhook.Renew(nil, []string{env.Address}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tls.crt", "tls.key", "ca.crt"} {
		if err := os.WriteFile(filepath.Join(dir, name), certificates[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "config.yaml")
	content := fmt.Sprintf(`
apiVersion: resourcemanager.config.gardener.cloud/v1alpha1
kind: ResourceManagerConfiguration
sourceClientConnection: {kubeconfig: %s, namespaces: [certificates]}
leaderElection: {leaderElect: false}
server:
  healthProbes: {bindAddress: %[2]s, port: %[4]d}
  webhooks: {bindAddress: %[2]s, port: %[5]d, tls: {serverCertDir: %[3]s}}
controllers: {resourceClass: certificates}
webhooks: {endpointSliceHints: {enabled: true}}
`, env.Kubeconfig, env.Address, dir, freePort(t), freePort(t))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := resourcemanager.Command()
	cmd.SetArgs([]string{"--config=" + file, "--webhook-configuration-name=certificates"})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })

	t.Run("the authority of the directory is registered, and no Secret is made", func(t *testing.T) {
		configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
		eventually(t, "registration", func(ctx context.Context) error {
			return target.Get(ctx, client.ObjectKey{Name: "certificates"}, configuration)
		})
		if !bytes.Equal(configuration.Webhooks[0].ClientConfig.CABundle, certificates["ca.crt"]) {
			t.Error("another bundle is registered")
		}
		secrets := &corev1.SecretList{}
		if err := target.List(t.Context(), secrets, client.InNamespace("certificates")); err != nil || len(secrets.Items) > 0 {
			t.Errorf("%d secrets, %v", len(secrets.Items), err)
		}
	})
	t.Run("labelled endpoint slices get hints", func(t *testing.T) {
		eventually(t, "hints", func(ctx context.Context) error {
			slice := &discoveryv1.EndpointSlice{
				ObjectMeta:  metav1.ObjectMeta{Namespace: "certificates", GenerateName: "x-", Labels: map[string]string{"endpoint-slice-hints.resources.gardener.cloud/consider": "true"}},
				AddressType: discoveryv1.AddressTypeIPv4, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}, Zone: ptr.To("a")}},
			}
			if err := target.Create(ctx, slice); err != nil {
				return err
			}
			if hints := slice.Endpoints[0].Hints; hints == nil || hints.ForZones[0].Name != "a" {
				return fmt.Errorf("endpoint = %+v", slice.Endpoints[0])
			}
			return nil
		})
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(env.Address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return number
}
