package trust

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// inodes are the sockets of the landscape's processes, each with its process.
func (f *fixture) inodes() map[string]int {
	found := map[string]int{}
	for pid := range f.Processes() {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, link := range open {
			if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, "socket:[") {
				found[strings.Trim(target, "socket:[]")] = pid
			}
		}
	}
	return found
}

// listeners are the TCP addresses that the landscape's processes listen on, each with the process.
func (f *fixture) listeners() map[string]int {
	f.t.Helper()
	found := map[string]int{}
	own := f.inodes()
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // a machine without IPv6
		}
		const listening = "0A"
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != listening || own[fields[9]] == 0 {
				continue
			}
			address := parseAddress(fields[1])
			if address == "" {
				f.t.Errorf("a process listens on %s in %s", fields[1], table)
				continue
			}
			found[address] = own[fields[9]]
		}
	}
	return found
}

// commandLines looks in the command lines, which every user can read, for the content of all Secrets.
func commandLines(f *fixture) {
	secrets := map[string]string{}
	for cluster, kubeconfig := range map[string]string{"garden": f.Garden(), "seed": f.Seed(), "shoot": f.shoot} {
		var list struct {
			Items []struct {
				Metadata struct{ Namespace, Name string }
				Data     map[string]string
			}
		}
		if err := json.Unmarshal([]byte(f.Kubectl(kubeconfig, "get", "secrets", "-A", "-o", "json")), &list); err != nil {
			f.t.Fatal(err)
		}
		for _, item := range list.Items {
			for key, value := range item.Data {
				for _, word := range confidential(key, value) {
					secrets[word] = fmt.Sprintf("%s of Secret %s/%s of the %s", key, item.Metadata.Namespace, item.Metadata.Name, cluster)
				}
			}
		}
	}
	if len(secrets) < 50 {
		f.t.Errorf("only %d secrets are found", len(secrets))
	}
	for _, line := range f.Processes() {
		for secret, where := range secrets {
			if strings.Contains(line, secret) {
				f.t.Errorf("%s is on the command line %s", where, strings.Fields(line)[:3])
			}
		}
	}
}

var (
	confidentialKeys = regexp.MustCompile(`(?i)token|password|secret|\.key$|^auth$|id_rsa$|csv$|kubeconfig|encryption|yaml$`)
	named            = regexp.MustCompile(`(?:token|password|secret|client-key-data)"?: *"?([^\s"]{12,})`)
	lineOfKey        = regexp.MustCompile(`(?m)^[A-Za-z0-9+/=]{40,}$`)
)

// confidential are the words of a Secret's value that nobody else must know: those with a telling name, lines of keys, or the
// first column.
func confidential(key, value string) []string {
	decoded, err := base64.StdEncoding.DecodeString(value)
	if err != nil || !confidentialKeys.MatchString(key) {
		return nil
	}
	var words []string
	for _, match := range named.FindAllSubmatch(decoded, -1) {
		words = append(words, string(match[1]))
	}
	for _, line := range lineOfKey.FindAll(decoded, -1) {
		words = append(words, string(line))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(decoded)), ",")
	if len(first) >= 12 && !strings.ContainsAny(first, " \n{:") {
		words = append(words, first)
	}
	return words
}
