package mergedkubeconfigs

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestTwoLandscapesInOneFile(t *testing.T) {
	t.Run("APP-35 each landscape has entries of its own, and takes only those away", func(t *testing.T) {
		file, records := filepath.Join(t.TempDir(), "config"), t.TempDir()
		for landscape, config := range map[string]*clientcmdapi.Config{"local": kubeconfig("seed-local"), "two": NamedAfter("two", kubeconfig("seed-local"))} {
			if err := Merge(filepath.Join(records, landscape), file, config, landscape == "two"); err != nil {
				t.Fatal(err)
			}
		}
		const both = "seed-local,two/seed-local seed-local,two/seed-local seed-local,two/seed-local current two/seed-local"
		if diff := cmp.Diff(both, entries(t, file)); diff != "" {
			t.Errorf("merged (-want +got):\n%s", diff)
		}
		config, err := clientcmd.LoadFromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if context := config.Contexts["two/seed-local"]; context.Cluster != "two/seed-local" || context.AuthInfo != "two/seed-local" {
			t.Errorf("the context of the second landscape leads to %s as %s", context.Cluster, context.AuthInfo)
		}
		if garden := NamedAfter("two", kubeconfig("garden-two")); garden.CurrentContext != "garden-two" || garden.Contexts["garden-two"] == nil {
			t.Errorf("the garden got the name %s", garden.CurrentContext)
		}
		undoing, err := Read(filepath.Join(records, "two"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := undoing.Undo(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("seed-local seed-local seed-local current ", entries(t, file)); diff != "" {
			t.Errorf("undone (-want +got):\n%s", diff)
		}
	})
}
