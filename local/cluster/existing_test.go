package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// docker stands for an engine with one container.
const docker = `#!/bin/sh
case "$1 $2" in
info*) echo 28.1.0;;
"container inspect")
	case $3 in
	theirs-control-plane) label='"io.x-k8s.kind.cluster":"theirs"';;
	database) label='"a":"b"';;
	*) echo "Error: No such container: $3" >&2; exit 1;;
	esac
	echo '[{"Id":"1","Name":"/'$3'","State":{"Running":true},"Config":{"Image":"kindest/node:v1","Labels":{'$label'}},"NetworkSettings":{"Networks":{"kind":{"IPAddress":"172.18.0.9"}}}}]';;
exec*) echo 0123;;
context*) exit 1;;
*) echo "unexpected: $*" >&2; exit 1;;
esac
`

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv(containers.ProviderVariable, containers.Docker)
	engine, err := containers.Detect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		node, machine string
		found         bool
	}{
		"a node whose container has the same system":          {"theirs-control-plane", "0123", true},
		"not one of the same name on another machine":         {"theirs-control-plane", "4567", false},
		"not one that does not tell its system":               {"theirs-control-plane", "", false},
		"not a container that only happens to have that name": {"database", "0123", false},
		"not a node without a container":                      {"other-control-plane", "0123", false},
	} {
		t.Run("API-11 "+name, func(t *testing.T) {
			found, err := cluster.Find(t.Context(), engine, tc.node, tc.machine, logr.Discard())
			if !tc.found {
				if !errors.Is(err, containers.ErrNotFound) {
					t.Errorf("found %v, %v", found, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			image, errImage := found.NodeImage(t.Context())
			entry, errEntry := found.FromHost(t.Context(), []int{443})
			if err := errors.Join(errImage, errEntry); err != nil || found.Name() != "theirs" || image != "kindest/node:v1" || entry[443] != "172.18.0.9:443" {
				t.Errorf("cluster %s of %s at %v, %v", found.Name(), image, entry, err)
			}
		})
	}
}
