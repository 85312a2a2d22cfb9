// Package kind runs through the life of a landscape whose seed is a kind cluster and whose shoots have containers as
// nodes: real pods, real networks, real updates. It starts Docker and builds the node image if they are missing (see
// docs/kind.md, "For tests"). Where Docker cannot run it is skipped, but never in CI.
package kind

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// oldVersion is the Kubernetes of the shoot before its update. Its nodes are of an image that tells this version.
const (
	oldVersion = "1.35.7"
	newVersion = kubeversion.Number
)

// Limits for what TestMain does: the first build of the node image installs Debian and compiles Kubernetes.
const (
	dockerTimeout = 10 * time.Minute
	imageTimeout  = 30 * time.Minute
)

// prepared is what all tests need.
var prepared struct {
	dockerHost         string // how Docker is reached, as a line of the environment
	newImage, oldImage string
	err                error // why there is no Docker
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	host, release, err := framework.HoldDocker(dockerTimeout)
	if err != nil {
		prepared.err = fmt.Errorf("docker does not work on this machine: %w", err)
		return m.Run()
	}
	defer func() {
		if err := release(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := prepare(host); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare builds both images. Programs of their nodes collect garbage as rarely as daemons of tests do, and Docker does not stay because of the
// documents, which start it, too.
func prepare(host string) error {
	for name, value := range map[string]string{"GOGC": framework.RareCollections, "DOCKER_HOST": host, "GARDENER_KIND_HELD": "yes"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	prepared.dockerHost = "DOCKER_HOST=" + host
	var err error
	if prepared.newImage, err = framework.Script(imageTimeout, "make", "-s", "kind-image"); err != nil {
		return fmt.Errorf("build the node image: %w", err)
	}
	prepared.oldImage, err = framework.Script(imageTimeout, "go", "run", "-trimpath", "./hack/kind/nodeimage", "--kubernetes-version-label", "v"+oldVersion)
	if err != nil {
		return fmt.Errorf("build the node image of the older version: %w", err)
	}
	return nil
}

// needDocker ends the test if there is no Docker: skipped on a developer's machine, failed in CI.
func needDocker(t *testing.T) {
	t.Helper()
	if prepared.err != nil {
		testskip.OutsideCI(t, prepared.err)
	}
}
