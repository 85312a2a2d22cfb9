// Package bootstrap makes a garden on a kind cluster of somebody else that has no registry, uses it and removes it. It needs Docker and the
// node image, as e2e/kind does.
package bootstrap

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// Limits for what TestMain does: the first build of the node image installs Debian and compiles Kubernetes.
const (
	dockerTimeout = 10 * time.Minute
	imageTimeout  = 30 * time.Minute
)

// prepared is what the tests need.
var prepared struct {
	nodeImage string
	err       error // why there is no Docker
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if !framework.Long() { // nobody needs Docker
		return m.Run()
	}
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
	if err := os.Setenv("DOCKER_HOST", host); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv("GOGC", framework.RareCollections); err != nil { // as e2e/kind, which shares the image
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if prepared.nodeImage, err = framework.Script(imageTimeout, "make", "-s", "kind-image"); err != nil {
		fmt.Fprintln(os.Stderr, fmt.Errorf("build the node image: %w", err))
		return 1
	}
	return m.Run()
}
