package mergedkubeconfigs

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func kubeconfig(name string) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + name}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientKeyData: []byte("key of " + name)}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return config
}

// entries are all names in a file, and its current context.
func entries(t *testing.T, file string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	join := func(names []string) string { return strings.Join(names, ",") }
	return join(slices.Sorted(maps.Keys(config.Clusters))) + " " + join(slices.Sorted(maps.Keys(config.AuthInfos))) + " " +
		join(slices.Sorted(maps.Keys(config.Contexts))) + " current " + config.CurrentContext
}

func TestMergeAndUndo(t *testing.T) {
	for name, tc := range map[string]struct {
		own    *clientcmdapi.Config // nil: the file does not exist
		choose bool
		change func(*clientcmdapi.Config)
		merged string
		undone string // empty: the file is gone
	}{
		"a new file goes":                         {choose: true, merged: "garden,sun garden,sun garden,sun current sun"},
		"what the user had stays, and is current": {own: kubeconfig("work"), choose: true, merged: "garden,sun,work garden,sun,work garden,sun,work current sun", undone: "work work work current work"},
		"the current context need not change":     {own: kubeconfig("work"), merged: "garden,sun,work garden,sun,work garden,sun,work current work", undone: "work work work current work"},
		"what the user has changed stays": {
			own: kubeconfig("work"), choose: true, merged: "garden,sun,work garden,sun,work garden,sun,work current sun", undone: "sun,work work sun,work current sun",
			change: func(c *clientcmdapi.Config) { c.Clusters["sun"].Server = "https://elsewhere" },
		},
		"a namespace and a new name of a context change nothing": {
			own: kubeconfig("work"), choose: true, merged: "garden,sun,work garden,sun,work garden,sun,work current sun", undone: "work work work current work",
			change: func(c *clientcmdapi.Config) {
				c.Contexts["renamed"] = c.Contexts["sun"]
				c.Contexts["renamed"].Namespace = "dev"
				delete(c.Contexts, "sun")
				c.CurrentContext = "renamed"
			},
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			file, record := filepath.Join(t.TempDir(), "config"), filepath.Join(t.TempDir(), "merged.json")
			if tc.own != nil {
				if err := clientcmd.WriteToFile(*tc.own, file); err != nil {
					t.Fatal(err)
				}
			}
			for _, one := range []string{"garden", "sun", "sun"} {
				if err := Merge(record, file, kubeconfig(one), tc.choose); err != nil {
					t.Fatal(err)
				}
			}
			want := tc.merged
			if diff := cmp.Diff(want, entries(t, file)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
			if text, err := os.ReadFile(record); err != nil || strings.Contains(string(text), "key of") {
				t.Errorf("the record contains keys: %s, %v", text, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file has mode %v, %v", info.Mode(), err)
			}
			if tc.change != nil {
				config, err := clientcmd.LoadFromFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tc.change(config)
				if err := clientcmd.WriteToFile(*config, file); err != nil {
					t.Fatal(err)
				}
			}
			undoing, err := Read(record)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(record); err != nil { // as a purge does
				t.Fatal(err)
			}
			for _, want := range [][]string{{file}, nil} {
				if changed, err := undoing.Undo(); err != nil || !slices.Equal(changed, want) {
					t.Errorf("changed are %v, not %v, %v", changed, want, err)
				}
			}
			if tc.undone == "" {
				if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the file is left: %v", err)
				}
				return
			}
			if diff := cmp.Diff(tc.undone, entries(t, file)); diff != "" {
				t.Errorf("undone (-want +got):\n%s", diff)
			}
		})
	}
}

// TestForeignEntriesStay merges into a file that has entries of the same names which the record does not have.
func TestForeignEntriesStay(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*clientcmdapi.Config)
		want   string // of the entries
	}{
		"the same cluster and user of somebody else": {func(*clientcmdapi.Config) {}, ""},
		"another cluster": {func(c *clientcmdapi.Config) { c.Clusters["sun"].Server = "https://elsewhere" }, `cluster "sun"`},
		"another user":    {func(c *clientcmdapi.Config) { c.AuthInfos["sun"].ClientKeyData = []byte("another") }, `user "sun"`},
		"another context": {func(c *clientcmdapi.Config) {
			c.Clusters["work"], c.AuthInfos["work"] = c.Clusters["sun"], c.AuthInfos["sun"]
			c.Contexts["sun"] = &clientcmdapi.Context{Cluster: "work", AuthInfo: "work"}
			delete(c.Clusters, "sun")
			delete(c.AuthInfos, "sun")
		}, `context "sun"`},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			file, record := filepath.Join(t.TempDir(), "config"), filepath.Join(t.TempDir(), "merged.json")
			own := kubeconfig("sun")
			tc.change(own)
			if err := clientcmd.WriteToFile(*own, file); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			err = Merge(record, file, kubeconfig("sun"), true)
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if taken := (*TakenError)(nil); !errors.As(err, &taken) || !slices.Equal(taken.Entries, []string{tc.want}) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
				t.Errorf("the file has changed: %s, %v", after, err)
			}
			if _, err := os.Stat(record); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something is noted: %v", err)
			}
		})
	}
}

func TestDamagedRecordIsNoted(t *testing.T) {
	record := filepath.Join(t.TempDir(), "merged.json")
	for _, text := range []string{"{", `{"/etc/file": null}`} {
		if err := os.WriteFile(record, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(record); err == nil {
			t.Errorf("a damaged record is read: %s", text)
		}
	}
}

func TestLinksStay(t *testing.T) {
	t.Run("APP-35 a symbolic link stays one, and its file is changed", func(t *testing.T) {
		file, link, record := filepath.Join(t.TempDir(), "real"), filepath.Join(t.TempDir(), "config"), filepath.Join(t.TempDir(), "merged.json")
		if err := clientcmd.WriteToFile(*kubeconfig("work"), file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, link); err != nil {
			t.Fatal(err)
		}
		if err := Merge(record, link, kubeconfig("sun"), true); err != nil {
			t.Fatal(err)
		}
		undoing, err := Read(record)
		if err != nil {
			t.Fatal(err)
		}
		want := "sun,work sun,work sun,work current sun"
		for range 2 {
			if target, err := os.Readlink(link); err != nil || target != file {
				t.Errorf("the link names %q, %v", target, err)
			}
			if got := entries(t, file); got != want {
				t.Errorf("entries %q, want %q", got, want)
			}
			if _, err := undoing.Undo(); err != nil {
				t.Error(err)
			}
			want = "work work work current work"
		}
	})
}
