package cluster_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// recording is a docker that writes down its command lines, and what it reads as the content of a file. It has the containers of the
// cluster old, makes that of the cluster made, and has no room for others. All programs in a container succeed.
const recording = `#!/bin/sh
echo "$*" >>"$RECORD/calls"
case "$1 $2" in
"info --format") case $3 in *json*) echo '{"CgroupVersion":"2"}';; *) echo 28.1.0;; esac;;
"container inspect")
	case $3 in
	old-*) echo '[{"Id":"1","Name":"/'$3'","State":{"Running":'$(test -e "$RECORD/stopped-$3" && echo false || echo true)'},"Config":{"Image":"kindest/node:v1"}}]';;
	made-*) if [ -e "$RECORD/made" ]; then echo '[{"Id":"1","Name":"/'$3'","State":{"Running":true}}]'; else echo "Error: No such container: $3" >&2; exit 1; fi;;
	*) echo "Error: No such container: $3" >&2; exit 1;;
	esac;;
"image inspect") echo "Error: No such image" >&2; exit 1;;
"pull "*) echo "$HTTPS_PROXY" >"$RECORD/pulled";;
"context inspect") case $4 in *Host*) echo unix:///run/docker.sock;; *) echo default;; esac;;
"network ls") echo 1;;
"network inspect") echo 172.18.0.0/16;;
run*)
	env | grep -i _proxy >"$RECORD/environment"
	case $3 in made-*) touch "$RECORD/made";; *) echo "no room for a container" >&2; exit 125;; esac;;
ps*) case $* in *=old" "*) echo old-control-plane;; *) if [ -e "$RECORD/made" ]; then echo made-control-plane; fi;; esac;;
"rm -f") rm -f "$RECORD/made";;
logs*) echo "Reached target Multi-User System.";;
inspect*) case $* in
	*role*) echo control-plane;; *desktop*) echo;; *6443/tcp*) printf '127.0.0.1\t1\n';; *IPAddress*) echo 172.18.0.2,;; esac;;
"exec --interactive") cat >"$RECORD/file";;
exec*) case $* in
	*"echo incomplete"*)
		if [ -e "$RECORD/hung" ]; then echo "container is paused" >&2; exit 1; fi
		test -e "$RECORD/interrupted" && echo incomplete || echo complete;;
	*"cat /kind/version") echo v1.30.0;;
	*"cat /etc/containerd/config.toml") echo "version = 2";;
	*"get nodes"*) echo True;;
	*"cat /etc/kubernetes/admin.conf") printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "https://c"}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n';;
	*) echo "kind: Nothing";;
	esac;;
esac
`

// install puts the recording docker on the path, with a configuration of its own, and returns the directory of the records.
func install(t *testing.T, configuration string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"docker": recording, "config.json": configuration} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("RECORD", dir)
	t.Setenv(containers.ProviderVariable, "docker")
	return dir
}

func record(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func ensure(t *testing.T, name string) error {
	t.Helper()
	_, err := made(t, name).Ensure(t.Context(), "")
	return err
}

// made is a cluster with further nodes, in zones if any are given.
func made(t *testing.T, name string, zones ...string) *cluster.Cluster {
	t.Helper()
	engine, err := containers.Detect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, err := cluster.New(engine, cluster.Config{
		Name: name, NodeImage: "kindest/node:v1", Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"),
		APIServerPort: 1, FrontDoorPort: 2, PodCIDR: "10.1.0.0/16", ServiceCIDR: "10.2.0.0/16", Zones: zones, Others: make([]cluster.Node, len(zones)),
	}, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestLoginsOfProxiesAreOnNoCommandLine(t *testing.T) {
	const configured = `{"proxies":{"default":{"httpsProxy":"http://me:s3cret@other:1"},"unix:///run/docker.sock":{"httpsProxy":"http://me:s3cret@proxy:3128","noProxy":"corp"}}}`
	for name, tc := range map[string]struct {
		environment   map[string]string
		configuration string
		want          string // how the container is given the proxy
	}{
		"a proxy of the environment":          {environment: map[string]string{"HTTPS_PROXY": "http://me:s3cret@proxy:3128", "NO_PROXY": "corp"}, want: "HTTPS_PROXY=http://proxy:3128"},
		"one that is spelled in small":        {environment: map[string]string{"https_proxy": "http://me:s3cret@proxy:3128", "no_proxy": "corp"}, want: "HTTPS_PROXY=http://proxy:3128"},
		"one without a scheme":                {environment: map[string]string{"HTTPS_PROXY": "me:s3cret@proxy:3128", "NO_PROXY": "corp"}, want: "HTTPS_PROXY=proxy:3128"},
		"one whose password is not encoded":   {environment: map[string]string{"HTTPS_PROXY": "http://me:s3cret@/@proxy:3128", "NO_PROXY": "corp"}, want: "HTTPS_PROXY=http://proxy:3128"},
		"a proxy of docker's configuration":   {configuration: configured, want: "HTTPS_PROXY=http://proxy:3128"},
		"a proxy without a login is unharmed": {environment: map[string]string{"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "corp"}, want: "HTTPS_PROXY=http://proxy:3128"},
	} {
		t.Run("APP-19 "+name, func(t *testing.T) {
			dir := install(t, tc.configuration)
			for key, value := range tc.environment {
				t.Setenv(key, value)
			}
			if err := ensure(t, "new"); err == nil || !strings.Contains(err.Error(), "no room for a container") || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error is %v", err)
			}
			calls := strings.Split(record(t, dir, "calls"), "\n")
			at := slices.IndexFunc(calls, func(call string) bool { return strings.HasPrefix(call, "run ") })
			if at < 0 || !strings.Contains(calls[at], " -e "+tc.want+" ") || !strings.Contains(calls[at], ",corp,") {
				t.Errorf("calls are %q, want one with %q", calls, tc.want)
			}
			for _, call := range calls {
				if strings.Contains(call, "s3cret") {
					t.Errorf("the password is on the command line %s", call)
				}
			}
			if environment := record(t, dir, "environment"); strings.Contains(environment, "s3cret") {
				t.Errorf("the environment of the kind library is %s", environment)
			}
		})
	}
}

func TestTheImageOfANodeIsPulledWithTheLogin(t *testing.T) {
	dir := install(t, "")
	t.Setenv("HTTPS_PROXY", "http://me:s3cret@proxy:3128")
	if err := ensure(t, "new"); err == nil {
		t.Fatal("there is a container")
	}
	if got := strings.TrimSpace(record(t, dir, "pulled")); got != "http://me:s3cret@proxy:3128" {
		t.Errorf("the image was pulled by %q", got)
	}
}

func TestNodesGetTheLoginOfAProxyInAFile(t *testing.T) {
	for name, title := range map[string]string{"made": "a new node", "old": "a node that was made earlier"} {
		t.Run(title, func(t *testing.T) {
			dir := install(t, "")
			t.Setenv("HTTPS_PROXY", `http://me:s3cret%40"@proxy:3128`)
			t.Setenv("HTTP_PROXY", "http://other:3128")
			if err := ensure(t, name); err != nil {
				t.Fatal(err)
			}
			want := "[Service]\nEnvironment=\"HTTPS_PROXY=http://me:s3cret%%40\\\"@proxy:3128\"\n"
			if diff := cmp.Diff(want, record(t, dir, "file")); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if calls := record(t, dir, "calls"); !strings.Contains(calls, "systemctl daemon-reload\nsystemctl restart containerd") || strings.Contains(calls, "s3cret") {
				t.Errorf("calls are %s", calls)
			}
		})
	}
	t.Run("a node behind a proxy without a login is left alone", func(t *testing.T) {
		dir := install(t, "")
		t.Setenv("HTTPS_PROXY", "http://proxy:3128")
		if err := ensure(t, "made"); err != nil {
			t.Fatal(err)
		}
		if calls := record(t, dir, "calls"); strings.Contains(calls, "exec --interactive") {
			t.Errorf("calls are %s", calls)
		}
	})
}
