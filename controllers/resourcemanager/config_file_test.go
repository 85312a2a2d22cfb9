package resourcemanager_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestConfigurationFile runs the component with a file, and with flags on top of it.
func TestConfigurationFile(t *testing.T) {
	t.Parallel()
	if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "file"}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	content := `
apiVersion: resourcemanager.config.gardener.cloud/v1alpha1
kind: ResourceManagerConfiguration
sourceClientConnection: {kubeconfig: ` + env.Kubeconfig + `, namespaces: [file]}
leaderElection: {leaderElect: true, resourceNamespace: file}
server: {healthProbes: {bindAddress: ` + env.Address + `, port: 28081}}
controllers: {resourceClass: overruled, managedResource: {managedByLabelValue: somebody}}
`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := resourcemanager.Command()
	cmd.SetArgs([]string{"--config=" + file, "--resource-class=file"})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	t.Run("GRM-15 GRM-21 file and flags together", func(t *testing.T) {
		create(t, "file", configMap("file", "x"), func(r *resourcesv1alpha1.ManagedResource) { r.Namespace, r.Spec.Class = "file", ptr.To("file") })
		eventually(t, "applied", hasValue("file", "x"))
		object, err := readConfigMap(t.Context(), "file")
		if err != nil || object.Labels["resources.gardener.cloud/managed-by"] != "somebody" {
			t.Errorf("labels = %v, %v", object.Labels, err)
		}
	})
	t.Run("a file that is wrong is refused", func(t *testing.T) {
		wrong := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(wrong, []byte(strings.Replace(content, "controllers:", "controler:", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := resourcemanager.Command()
		cmd.SetArgs([]string{"--config=" + wrong})
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "controler") {
			t.Errorf("error = %v", err)
		}
	})
}
