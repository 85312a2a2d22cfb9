package mergedkubeconfigs

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func TestTrust(t *testing.T) {
	dir := t.TempDir()
	record, file := filepath.Join(dir, "record"), filepath.Join(dir, "config")
	garden, sun := kubeconfig("garden"), kubeconfig("sun")
	garden.Clusters["garden"].TLSServerName, sun.Clusters["sun"].TLSServerName = "api.garden", "api.sun"
	for _, cluster := range []string{"garden", "sun"} {
		added := garden
		if cluster == "sun" {
			added = sun
		}
		added.Clusters[cluster].CertificateAuthorityData = []byte("former")
		if err := Merge(record, file, added, true); err != nil {
			t.Fatal(err)
		}
	}
	ca := func(name string) string {
		config, err := clientcmd.LoadFromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(config.Clusters[name].CertificateAuthorityData)
	}
	t.Run("OPR-29 the garden has new authorities in merged kubeconfigs, and nothing else changes", func(t *testing.T) {
		for range 2 {
			if err := Trust(record, "api.garden", []byte("both")); err != nil || ca("garden") != "both" || ca("sun") != "former" {
				t.Errorf("authorities %q and %q: %v", ca("garden"), ca("sun"), err)
			}
		}
	})
	t.Run("OPR-29 what the user has changed stays", func(t *testing.T) {
		config, err := clientcmd.LoadFromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		config.Clusters["garden"].Server = "https://elsewhere"
		if err := clientcmd.WriteToFile(*config, file); err != nil {
			t.Fatal(err)
		}
		if err := Trust(record, "api.garden", []byte("new")); err != nil || ca("garden") != "both" {
			t.Errorf("authorities %q: %v", ca("garden"), err)
		}
	})
	t.Run("OPR-29 new authorities do not keep an entry from being removed", func(t *testing.T) {
		config, err := clientcmd.LoadFromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		config.Clusters["garden"].Server = "https://garden"
		undoing, failed := Read(record)
		if err := clientcmd.WriteToFile(*config, file); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if _, err := undoing.Undo(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("the file is left: %v", err)
		}
		if err := Trust(record, "api.garden", []byte("new")); err != nil {
			t.Errorf("a file that is gone is an error: %v", err)
		}
	})
}
