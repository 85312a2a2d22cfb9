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
	ctx, cancel := context.WithCancel(t.Context())
	cmd := resourcemanager.Command()
	cmd.SetArgs([]string{
		"--source-kubeconfig=" + env.Kubeconfig, "--target-kubeconfig=" + env.Kubeconfig, "--namespace=command", "--resource-class=command",
		"--bind-address=" + address, "--csr-approver", "--machine-namespace=command", "--token-requestor", "--token-requestor-class=command",
	})
	ended := make(chan error)
	go func() { ended <- cmd.ExecuteContext(ctx) }()

	t.Run("it tells that it is ready", func(t *testing.T) {
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
	t.Run("it ends when it is told to", func(t *testing.T) {
		cancel()
		if err := <-ended; err != nil {
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
