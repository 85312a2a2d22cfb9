package integration

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// refusing is the URL of a server that does not listen.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "https://" + listener.Addr().String()
}

func TestGardenIsOutOfReach(t *testing.T) {
	server := refusing(t)
	kubeconfig, err := bootstrap.Garden{Server: server, CA: environment.Config.CAData}.TokenKubeconfig("abcdef.0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	ready := filepath.Join(t.TempDir(), "garden.yaml")
	if err := os.WriteFile(ready, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	connection := toGarden("far")
	if err := bootstrap.Write(t.Context(), cluster, *connection.BootstrapKubeconfig, kubeconfig); err != nil {
		t.Fatal(err)
	}
	for name, connection := range map[string]string{
		"ARC-12 a gardenlet with a kubeconfig ends at once": fmt.Sprintf("{kubeconfig: %q}", ready),
		"ARC-12 a gardenlet that requests its certificate ends at once": fmt.Sprintf("{bootstrapKubeconfig: {namespace: %s, name: %s}, kubeconfigSecret: {namespace: %s, name: %s}}",
			constants.GardenNamespace, connection.BootstrapKubeconfig.Name, constants.GardenNamespace, connection.KubeconfigSecret.Name),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "gardenlet.yaml")
			text := fmt.Sprintf("apiVersion: gardenlet.config.gardener.cloud/v1alpha1\nkind: GardenletConfiguration\nseedClientConnection: {kubeconfig: %q}\n"+
				"gardenClientConnection: %s\nseedConfig: {metadata: {name: far}}\n", environment.Kubeconfig, connection)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := gardenlet.Command("v1")
			cmd.SetArgs([]string{"--config", file})
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			err := cmd.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), "seed far cannot reach the API server of the garden") || !strings.Contains(err.Error(), server) {
				t.Errorf("error %v, want one that names the garden %s and what to look at", err, server)
			}
		})
	}
}
