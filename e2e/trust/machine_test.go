package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// files lets another Unix user open everything below the landscape's directories. The directories above them are open to all
// users, unlike those of other tests.
func files(f *fixture) {
	paths := slices.Concat(f.below(f.Dir), f.below(f.temporary))
	for _, part := range []string{
		"/kubeconfigs/garden.yaml", "/shoot-trust.yaml", "/appliance.db", "/pki/garden/ca.key", "/pki/seed/pods.key", "/run/control.sock", "/run/landscape.yaml",
		"/logs/gardener.log", "/member/snap/db", "/nodes/seed/", "/volumes/shoot--local--trust/", "/backups/", "/kubelet/kubeconfig-real",
	} {
		if !slices.ContainsFunc(paths, func(path string) bool { return strings.Contains(path, part) }) {
			f.t.Errorf("there is no %s: what would be tried is too little", part)
		}
	}
	const readable = "/etc/hosts" // shows that the attempts can succeed
	opened := f.asStranger(attempts{Paths: append(paths, readable)}).Opened
	for _, expected := range []string{"list " + f.Dir, "list " + f.temporary, "read " + readable} {
		if !slices.Contains(opened, expected) {
			f.t.Errorf("the other user cannot %s", expected)
		}
		opened = slices.DeleteFunc(opened, func(found string) bool { return found == expected })
	}
	if len(opened) > 0 {
		f.t.Errorf("another user can open %d of %d paths: %v", len(opened), len(paths), opened[:min(len(opened), 20)])
	}
}

// insides lets another Unix user look into the landscape's processes: memory, variables, open files, directories.
func insides(f *fixture) {
	var paths []string
	for pid := range f.Processes() {
		process := fmt.Sprintf("/proc/%d/", pid)
		for _, name := range []string{"environ", "mem", "maps", "auxv", "cwd/.", "root/.", "fd", "fdinfo", "map_files", "stack", "syscall", "io", "ns/mnt"} {
			paths = append(paths, process+name)
		}
		open, _ := filepath.Glob(process + "fd/*")
		paths = append(paths, open...)
		for _, link := range open { // and what is open, by its own name
			if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, "/") && !harmless(target) {
				paths = append(paths, target)
			}
		}
	}
	if len(paths) < 100 {
		f.t.Fatalf("only %d paths are found", len(paths))
	}
	if opened := f.asStranger(attempts{Paths: paths}).Opened; len(opened) > 0 {
		f.t.Errorf("another user can open %v", opened[:min(len(opened), 20)])
	}
}

// harmless says whether a path is of a device or of the kernel, which every process may open.
func harmless(path string) bool {
	return path == os.DevNull || path == "/dev/urandom" || strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/")
}

// unixSockets lets another Unix user connect to all sockets that the landscape's processes listen on, whether or not they are
// in its directory. Sockets without a file have no permissions.
func unixSockets(f *fixture) {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		f.t.Fatal(err)
	}
	var sockets []string
	own := f.inodes()
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 8 && own[fields[6]] != 0 {
			sockets = append(sockets, fields[7])
		}
	}
	if !slices.ContainsFunc(sockets, func(path string) bool { return strings.HasSuffix(path, "/control.sock") }) {
		f.t.Errorf("the control socket is not among %v", sockets)
	}
	if opened := f.asStranger(attempts{Sockets: sockets}).Opened; len(opened) > 0 {
		f.t.Errorf("another user can %v", opened)
	}
}
