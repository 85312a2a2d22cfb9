package groups

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHierarchies(t *testing.T) {
	compare := cmp.AllowUnexported(hierarchy{})
	for name, tc := range map[string]struct {
		own, mounts string
		want        []hierarchy
	}{
		"version 2, as on most systems": {
			"0::/user.slice/user-1000.slice/session-3.scope\n",
			"31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
			[]hierarchy{{version: 2, top: "/sys/fs/cgroup", own: "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"}},
		},
		"version 1, with controllers that share a hierarchy": {
			"4:memory:/a b\n3:cpu,cpuacct:/\n1:name=systemd:/\n",
			"35 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n22 1 0:4 / /proc rw - proc proc rw\n",
			[]hierarchy{
				{version: 1, controllers: []string{"rw", "memory"}, top: "/sys/fs/cgroup/memory", own: "/sys/fs/cgroup/memory/a b"},
				{version: 1, controllers: []string{"rw", "cpu", "cpuacct"}, top: "/sys/fs/cgroup/cpu,cpuacct", own: "/sys/fs/cgroup/cpu,cpuacct"},
			},
		},
		"a container that sees a part of the tree": {
			"0::/docker/1\n", "31 23 0:27 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
			[]hierarchy{{version: 2, top: "/sys/fs/cgroup", own: "/sys/fs/cgroup"}},
		},
		"a group outside of what is mounted": {
			"0::/docker/1\n", "31 23 0:27 /docker/2 /sys/fs/cgroup rw - cgroup2 cgroup rw\n", nil,
		},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, hierarchies(tc.own, tc.mounts), compare); diff != "" {
				t.Errorf("hierarchies (-want +got):\n%s", diff)
			}
		})
	}
}

// made is a directory as the kernel would make it, with the files of a group.
func made(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMakeIn(t *testing.T) {
	controllers := map[string]string{"cgroup.procs": "", "cgroup.controllers": "memory pids", "cgroup.subtree_control": ""}
	t.Run("APP-11 the nearest group of version 2 that passes on controllers", func(t *testing.T) {
		top := t.TempDir()
		slice := filepath.Join(top, "app.slice")
		made(t, slice, controllers)
		made(t, filepath.Join(slice, "session.scope"), map[string]string{"cgroup.procs": "", "cgroup.controllers": "memory pids"}) // has processes: cannot pass on
		got, err := makeIn([]hierarchy{{version: 2, top: top, own: filepath.Join(slice, "session.scope")}}, "gardener")
		dir := filepath.Join(slice, "gardener")
		if diff := cmp.Diff(Group{Version: 2, Memory: dir, Processes: dir}, got); diff != "" || err != nil {
			t.Errorf("group (-want +got):\n%s%v", diff, err)
		}
		if diff := cmp.Diff([]string{"processor"}, got.Unlimited()); diff != "" {
			t.Errorf("what it does not limit (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-11 version 1 where version 2 has no controllers", func(t *testing.T) {
		top := t.TempDir()
		unified, memory := filepath.Join(top, "unified"), filepath.Join(top, "memory")
		made(t, unified, map[string]string{"cgroup.procs": "", "cgroup.controllers": ""})
		made(t, memory, nil)
		got, err := makeIn([]hierarchy{{version: 2, top: unified, own: unified}, {version: 1, controllers: []string{"memory"}, top: memory, own: memory}}, "gardener")
		if diff := cmp.Diff(Group{Version: 1, Memory: filepath.Join(memory, "gardener")}, got); diff != "" || err != nil {
			t.Errorf("group (-want +got):\n%s%v", diff, err)
		}
	})
	t.Run("APP-11 without any it says why", func(t *testing.T) {
		top := t.TempDir()
		made(t, top, map[string]string{"cgroup.procs": "", "cgroup.controllers": "memory"})
		got, err := makeIn([]hierarchy{{version: 2, top: top, own: top}}, "gardener")
		if got.Exists() || err == nil || !strings.Contains(err.Error(), "cgroup.subtree_control") {
			t.Errorf("got %+v, %v", got, err)
		}
		if got, err := makeIn(nil, "gardener"); got.Exists() || err == nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "group")
	if got, err := Read(file); err != nil || got != (Root{}) {
		t.Errorf("without a file: %+v, %v", got, err)
	}
	for _, r := range []Root{{Reason: "none"}, {Group: Group{Version: 2, Memory: "/a", CPU: "/a"}}} {
		if err := os.WriteFile(file, r.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(file); err != nil || got != r {
			t.Errorf("%+v became %+v, %v", r, got, err)
		}
	}
	if err := os.WriteFile(file, []byte("no group"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil {
		t.Error("a text that is no group was read")
	}
}

func TestNames(t *testing.T) {
	g := Group{Version: 1, Memory: t.TempDir()}
	for _, name := range []string{"", ".", "..", "a/b"} {
		if _, err := g.Make(name, Limits{}); err == nil {
			t.Errorf("APP-14 a group %q was made", name)
		}
	}
}
