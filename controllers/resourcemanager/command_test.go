package resourcemanager_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestCommand runs the component as a pod of a control plane would, with a target cluster of its own.
func TestCommand(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "command"}}); err != nil {
		t.Fatal(err)
	}
	tokens := staticTokens(t, "command", "other")
	stop := runCommand(t, "--namespace=command", "--resource-class=command", "--bind-address="+address,
		"--csr-approver", "--machine-namespace=command", "--token-requestor", "--token-requestor-class=command")

	t.Run("it reports that it is ready", func(t *testing.T) {
		eventually(t, "ready", func(ctx context.Context) error {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return fmt.Errorf("status %d", response.StatusCode)
			}
			return nil
		})
	})
	t.Run("GRM-1 GRM-14 GRM-15 it handles its class in its namespace", func(t *testing.T) {
		create(t, "command", configMap("command", "x"), func(resource *resourcesv1alpha1.ManagedResource) {
			resource.Namespace, resource.Spec.Class = "command", ptr.To("command")
		})
		eventually(t, "applied", hasValue("command", "x"))
	})
	t.Run("GRM-14 it does not touch another namespace", func(t *testing.T) {
		create(t, "command-elsewhere", configMap("command-elsewhere", "x"), func(resource *resourcesv1alpha1.ManagedResource) {
			resource.Namespace, resource.Spec.Class = "other", ptr.To("command")
		})
		always(t, "absent", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "command-elsewhere"}}))
	})
	t.Run("GRM-26 it invalidates no static tokens unless a flag turns that on", func(t *testing.T) {
		for _, secret := range tokens {
			if token := tokenOf(t, secret); token != "valid" {
				t.Errorf("token in namespace %s is %q", secret.Namespace, token)
			}
		}
	})
	t.Run("it ends when it is asked to", func(t *testing.T) {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("GRM-26 it invalidates static tokens of its target namespace only", func(t *testing.T) {
		stop := runCommand(t, "--namespace=command", "--resource-class=command-tokens", "--bind-address=127.0.0.1:0",
			"--target-namespace=command", "--token-invalidator-max-concurrent-workers=1")
		eventually(t, "invalid", func(context.Context) error {
			if token := tokenOf(t, tokens[0]); token != "\x00\x00\x00" {
				return fmt.Errorf("token = %q", token)
			}
			return nil
		})
		always(t, "valid", func(context.Context) error {
			if token := tokenOf(t, tokens[1]); token != "valid" {
				return fmt.Errorf("token of another namespace = %q", token)
			}
			return nil
		})
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("it needs a cluster", func(t *testing.T) {
		cmd := resourcemanager.Command()
		cmd.SetArgs([]string{"--bind-address=127.0.0.1:0"})
		if err := cmd.ExecuteContext(t.Context()); err == nil {
			t.Error("no error outside of a pod")
		}
	})
}

// runCommand runs the component until the function is called that is returned.
func runCommand(t *testing.T, args ...string) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := resourcemanager.Command()
	cmd.SetArgs(append(args, "--source-kubeconfig="+env.Kubeconfig, "--target-kubeconfig="+env.Kubeconfig))
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// staticTokens creates a static token of a service account in each namespace.
func staticTokens(t *testing.T, namespaces ...string) []*corev1.Secret {
	t.Helper()
	var secrets []*corev1.Secret
	for _, namespace := range namespaces {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "command"}, AutomountServiceAccountToken: ptr.To(false)}
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "command-token", Annotations: map[string]string{corev1.ServiceAccountNameKey: account.Name}},
			Type:       corev1.SecretTypeServiceAccountToken, Data: map[string][]byte{"token": []byte("valid")},
		}
		for _, object := range []client.Object{account, secret} {
			if err := target.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
		secrets = append(secrets, secret)
	}
	return secrets
}

func tokenOf(t *testing.T, secret *corev1.Secret) string {
	t.Helper()
	if err := target.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		t.Fatal(err)
	}
	return string(secret.Data["token"])
}
