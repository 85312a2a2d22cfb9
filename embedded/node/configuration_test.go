package node

import (
	"net/netip"
	"path/filepath"
	"testing"

	kubeletconfig "k8s.io/kubelet/config/v1beta1"
)

func TestDirectoriesInAllLanguages(t *testing.T) {
	for _, home := range []string{"/home/zoë/ü ö", "/home/Дмитрий", "/home/日本", "/home/😀", `/home/it's "mine"/$(HOME)`} {
		t.Run("APP-2 the kubelet accepts the directory "+home, func(t *testing.T) {
			root := filepath.Join(home, ".local/state/gardener/local/nodes/seed")
			server, err := serverFor(Config{Name: "seed-local", RootDir: root, NodeIP: netip.MustParseAddr("127.64.0.1"), Kubelet: &kubeletconfig.KubeletConfiguration{}})
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(root, "logs"); server.PodLogsDir != want || server.RootDirectory != root {
				t.Errorf("logs are in %q, the rest in %q", server.PodLogsDir, server.RootDirectory)
			}
		})
	}
	t.Run("APP-2 other mistakes are still found", func(t *testing.T) {
		_, err := serverFor(Config{Name: "seed-local", RootDir: "/home/日本", NodeIP: netip.MustParseAddr("127.64.0.1"), Kubelet: &kubeletconfig.KubeletConfiguration{PodLogsDir: "日本"}})
		if err == nil {
			t.Error("a directory for logs that is not absolute is accepted")
		}
	})
}
