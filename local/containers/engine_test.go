package containers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/containers"
)

// install puts scripts that stand for engines on a PATH of their own; each appends its arguments to the file calls.
func install(t *testing.T, scripts map[string]string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	record := filepath.Join(dir, "calls")
	for name, body := range scripts {
		script := "#!/bin/sh\necho \"$*\" >>" + record + "\n" + body
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv(containers.ProviderVariable, "")
	return func() []string {
		data, _ := os.ReadFile(record)
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}

// answer lets a script answer info with a version, know no contexts, and do with everything else what body does.
func answer(body string) string {
	return "case $1 in info) echo 28.1.0; exit;; context) exit 1;; esac\n" + body
}

func detect(t *testing.T) *containers.Engine {
	t.Helper()
	engine, err := containers.Detect(t.Context())
	if err != nil {
		t.Fatalf("detect: %v", err)
	}
	return engine
}

func TestDetect(t *testing.T) {
	broken := "echo 'Cannot connect to the daemon' >&2; exit 1"
	for name, tc := range map[string]struct {
		scripts map[string]string
		wanted  string
		want    string
		errors  []string
	}{
		"docker comes first":                          {scripts: map[string]string{"docker": answer(""), "podman": answer("")}, want: "docker"},
		"an engine that does not answer is passed":    {scripts: map[string]string{"docker": broken, "nerdctl": broken, "podman": answer("")}, want: "podman"},
		"the environment chooses":                     {scripts: map[string]string{"docker": answer(""), "podman": answer("")}, wanted: "podman", want: "podman"},
		"no other engine than the chosen one is used": {scripts: map[string]string{"docker": answer(""), "podman": broken}, wanted: "podman", errors: []string{"podman: ", "Cannot connect", "podman machine start"}},
		"nerdctl tells its own version": {scripts: map[string]string{
			"docker": broken, "nerdctl": `case $1 in info) echo 1.6.20;; version) echo v28.1.0;; esac`}, want: "nerdctl"},
		"a name that is no engine is told": {scripts: map[string]string{"docker": answer("")}, wanted: "rkt", errors: []string{"rkt", "docker, nerdctl, podman"}},
		"each engine is told with its cure": {
			scripts: map[string]string{"docker": broken, "nerdctl": "exit 0", "podman": broken},
			errors:  []string{"docker: ", "Cannot connect to the daemon", "systemctl start docker", "nerdctl: ", "server does not", "podman: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			install(t, tc.scripts)
			t.Setenv(containers.ProviderVariable, tc.wanted)
			engine, err := containers.Detect(t.Context())
			if tc.want != "" {
				if err != nil {
					t.Fatalf("detect: %v", err)
				}
				if engine.Name() != tc.want || engine.Version() != "28.1.0" {
					t.Errorf("chose %s %s, want %s 28.1.0", engine.Name(), engine.Version(), tc.want)
				}
				return
			}
			if !errors.Is(err, containers.ErrNoEngine) {
				t.Fatalf("error is %v", err)
			}
			for _, part := range tc.errors {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error does not tell %q:\n%v", part, err)
				}
			}
		})
	}
}

func TestRun(t *testing.T) {
	spec := containers.Spec{
		Name: "n", Image: "node:1", Network: "kind", Privileged: true, TTY: true, Restart: "on-failure:1",
		Labels: map[string]string{"b": "2", "a": "1"}, Hosts: map[string]string{"api": "172.18.0.2"},
		Tmpfs: []string{"/run"}, Volumes: []string{"/var"},
		Mounts: []containers.Mount{{Source: "/lib/modules", Target: "/lib/modules", ReadOnly: true}},
		Ports:  []containers.Port{{Address: "127.0.0.1", Host: 8443, Container: 443}},
		Args:   []string{"/sbin/init"},
	}
	for engine, want := range map[string]string{
		"docker": "run --detach --name n --hostname n --tty --net kind --restart on-failure:1 --privileged --cgroupns=private " +
			"--security-opt seccomp=unconfined --security-opt apparmor=unconfined --label a=1 --label b=2 --add-host api:172.18.0.2 " +
			"--tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro --publish 127.0.0.1:8443:443/tcp node:1 /sbin/init",
		"podman": "run --detach --name n --hostname n --tty --net kind --privileged --cgroupns=private --label a=1 --label b=2 --add-host api:172.18.0.2 " +
			"--tmpfs /run --volume n-0:/var:suid,exec,dev --volume /lib/modules:/lib/modules:ro --publish 127.0.0.1:8443:443/tcp node:1 /sbin/init",
	} {
		t.Run("a node of "+engine+" is made as kind makes it", func(t *testing.T) {
			calls := install(t, map[string]string{engine: answer("")})
			t.Setenv(containers.ProviderVariable, engine)
			if err := detect(t).Run(t.Context(), spec); err != nil {
				t.Fatalf("run: %v", err)
			}
			if diff := cmp.Diff(want, calls()[len(calls())-1]); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariablesAreNotOnTheCommandLine(t *testing.T) {
	given := filepath.Join(t.TempDir(), "given")
	calls := install(t, map[string]string{"docker": answer("cat /dev/stdin >" + given)})
	engine := detect(t)
	spec := containers.Spec{Name: "n", Image: "node:1", Env: map[string]string{"HTTPS_PROXY": "http://user:secret@proxy:3128", "A": "1"}}
	if err := engine.Run(t.Context(), spec); err != nil {
		t.Fatalf("run: %v", err)
	}
	if call := calls()[len(calls())-1]; strings.Contains(call, "secret") || !strings.Contains(call, "--env-file /dev/stdin") {
		t.Errorf("called with %s", call)
	}
	file, err := os.ReadFile(given)
	if err != nil {
		t.Fatal(err)
	}
	if want := "A=1\nHTTPS_PROXY=http://user:secret@proxy:3128\n"; string(file) != want {
		t.Errorf("the engine got %q, want %q", file, want)
	}
	spec.Env["A"] = "1\nB=2"
	if err := engine.Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "variable A has several lines") {
		t.Errorf("error is %v", err)
	}
}

func TestNamesOfImages(t *testing.T) {
	const digest = "kindest/node:v1@sha256:aa"
	for name, tc := range map[string]struct{ engine, has, image, want string }{
		"docker knows images by the names they are given":             {"docker", "", "kindest/node:v1", "kindest/node:v1"},
		"podman has an image that was pulled":                         {"podman", "docker.io/kindest/node:v1", "kindest/node:v1", "kindest/node:v1"},
		"podman has an image that came from a file":                   {"podman", "localhost/other:v1 localhost/kindest/node:v1", "kindest/node:v1", "localhost/kindest/node:v1"},
		"podman has an image by its full name":                        {"podman", "localhost/kindest/node:v1", "localhost/kindest/node:v1", "localhost/kindest/node:v1"},
		"podman has an image of a short name":                         {"podman", "localhost/node:v1", "node:v1", "localhost/node:v1"},
		"an image that is not there keeps its name, for it is pulled": {"podman", "", "kindest/node:v1", "kindest/node:v1"},
		"a digest tells which image it is":                            {"podman", "localhost/kindest/node:v1", digest, digest},
	} {
		t.Run(name, func(t *testing.T) {
			body := "for name in " + tc.has + "; do echo $name; done"
			if tc.has == "" {
				body = "echo 'Error: inspecting object: image not known' >&2; exit 125"
			}
			install(t, map[string]string{tc.engine: answer(body)})
			t.Setenv(containers.ProviderVariable, tc.engine)
			got, err := detect(t).Images.KindName(t.Context(), tc.image)
			if err != nil || got != tc.want {
				t.Errorf("kind is told %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	t.Run("podman is told which registry to pull from", func(t *testing.T) {
		calls := install(t, map[string]string{"podman": answer("")})
		for _, image := range []string{"kindest/node:v1", "node:v1", "registry.example.org:5000/node:v1", "localhost/node:v1"} {
			if err := detect(t).Images.Pull(t.Context(), image); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			"pull --quiet docker.io/kindest/node:v1", "pull --quiet docker.io/library/node:v1",
			"pull --quiet registry.example.org:5000/node:v1", "pull --quiet localhost/node:v1",
		}
		got := slices.DeleteFunc(calls(), func(call string) bool { return !strings.HasPrefix(call, "pull") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

func TestErrorsTellWhatTheEngineSaid(t *testing.T) {
	install(t, map[string]string{"docker": answer("echo 'no space left on device' >&2; exit 125")})
	err := detect(t).Run(t.Context(), containers.Spec{Name: "n", Image: "i", Env: map[string]string{"TOKEN": "secret"}})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("error is %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows the environment: %v", err)
	}
}

func TestInspect(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want containers.Container
		err  error
	}{
		"a container of docker": {
			body: `echo '[{"Id":"7","Name":"/n","Image":"sha256:1","State":{"Running":true},"Mounts":[{"Type":"bind","Source":"/b","Destination":"/in","RW":true},{"Type":"bind","Source":"/lib","Destination":"/lib","RW":false},{"Type":"volume","Source":"/v","Destination":"/var","RW":true}],"Config":{"Image":"node:1","Labels":{"a":"1"}},"NetworkSettings":{"Ports":{"443/tcp":[{"HostIp":"127.0.0.1","HostPort":"44421"}],"53/udp":[{"HostIp":"127.0.0.1","HostPort":"5353"}],"80/tcp":null},"Networks":{"kind":{"IPAddress":"172.18.0.3"}}}}]'`,
			want: containers.Container{ID: "7", Name: "n", Running: true, Image: "node:1", ImageID: "sha256:1", Labels: map[string]string{"a": "1"}, Mounts: map[string]string{"/in": "/b"}, IPs: map[string]string{"kind": "172.18.0.3"}, Published: map[int]string{443: "127.0.0.1:44421"}},
		},
		"a stopped container of podman": {
			body: `echo '[{"Id":"7","Name":"n","Image":"1","ImageName":"localhost/node:1","State":{"Running":false,"ExitCode":137},"Config":{"Image":"localhost/node:1"},"NetworkSettings":{"Networks":{"kind":{"IPAddress":""}}}}]'`,
			want: containers.Container{ID: "7", Name: "n", ExitCode: 137, Image: "localhost/node:1", ImageID: "1", IPs: map[string]string{}},
		},
		"a container of nerdctl": {
			body: `echo '[{"Id":"7","Name":"n","Image":"node:1","State":{"Status":"running"},"NetworkSettings":{"Ports":{"443/tcp":[{"HostIp":"0.0.0.0","HostPort":"44422"}]},"Networks":{"unknown-eth0":{"IPAddress":"10.4.0.2"}}}}]'`,
			want: containers.Container{ID: "7", Name: "n", Running: true, Image: "node:1", ImageID: "node:1", IPs: map[string]string{"unknown-eth0": "10.4.0.2"}, Published: map[int]string{443: "127.0.0.1:44422"}},
		},
		"none, says docker":             {body: "echo '[]'; echo 'Error: No such container: n' >&2; exit 1", err: containers.ErrNotFound},
		"none, says podman":             {body: "echo '[]'; echo 'Error: no such container \"n\"' >&2; exit 125", err: containers.ErrNotFound},
		"an engine that has gone away":  {body: "echo 'connection refused' >&2; exit 1", err: errAny},
		"an answer that nobody can use": {body: "echo nonsense", err: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			install(t, map[string]string{"docker": answer(tc.body)})
			got, err := detect(t).Inspect(t.Context(), "n")
			switch {
			case tc.err == errAny:
				if err == nil || errors.Is(err, containers.ErrNotFound) {
					t.Errorf("error is %v", err)
				}
			case !errors.Is(err, tc.err):
				t.Errorf("error is %v, want %v", err, tc.err)
			default:
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("container (-want +got):\n%s", diff)
				}
			}
		})
	}
}

var errAny = errors.New("any but not found")

func TestIP(t *testing.T) {
	c := containers.Container{IPs: map[string]string{"unknown-eth0": "10.4.0.2"}}
	if got := c.IP("kind"); got != "10.4.0.2" {
		t.Errorf("the only address is not taken, but %q", got)
	}
	c.IPs["bridge"] = "172.17.0.2"
	if got := c.IP("kind"); got != "" {
		t.Errorf("an address of another network is taken: %q", got)
	}
}

func TestRemove(t *testing.T) {
	t.Run("what does not exist is removed", func(t *testing.T) {
		install(t, map[string]string{"docker": answer("echo 'Error response from daemon: No such container: n' >&2; exit 1")})
		if err := detect(t).Remove(t.Context(), "n"); err != nil {
			t.Errorf("remove: %v", err)
		}
	})
	t.Run("podman's volumes go, too", func(t *testing.T) {
		calls := install(t, map[string]string{"podman": answer("")})
		if err := detect(t).Remove(t.Context(), "n"); err != nil {
			t.Errorf("remove: %v", err)
		}
		if diff := cmp.Diff([]string{"rm --force --volumes n", "volume rm --force n-0", "volume rm --force n-1"}, calls()[1:]); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

func TestExec(t *testing.T) {
	install(t, map[string]string{"docker": answer(`shift 3; exec "$@"`)}) // exec --interactive n …
	engine := detect(t)
	out, err := engine.Exec(t.Context(), "n", strings.NewReader("input"), "cat")
	if err != nil || string(out) != "input" {
		t.Errorf("output is %q, %v", out, err)
	}
	_, err = engine.Exec(t.Context(), "n", io.Reader(bytes.NewReader(nil)), "sh", "-c", "echo no such luck >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("error is %v", err)
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	install(t, map[string]string{"docker": answer("exec sleep 60")})
	engine := detect(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := engine.List(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

func TestInspectNetwork(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
		err  error
	}{
		"of docker":         {body: `echo '[{"Name":"kind","IPAM":{"Config":[{"Subnet":"172.18.0.0/16"},{"Subnet":"fc00::/64"}]}}]'`, want: []string{"172.18.0.0/16", "fc00::/64"}},
		"of podman":         {body: `echo '[{"name":"kind","subnets":[{"subnet":"10.89.0.0/24"}]}]'`, want: []string{"10.89.0.0/24"}},
		"that is not there": {body: "echo 'Error response from daemon: network kind not found' >&2; exit 1", err: containers.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			install(t, map[string]string{"docker": answer(tc.body)})
			got, err := detect(t).Networks.Inspect(t.Context(), "kind")
			if !errors.Is(err, tc.err) {
				t.Errorf("error is %v, want %v", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got.Subnets); diff != "" {
				t.Errorf("subnets (-want +got):\n%s", diff)
			}
		})
	}
}
