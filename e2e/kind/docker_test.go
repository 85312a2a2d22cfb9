package kind

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// dockerCommandTimeout bounds each command of Docker.
const dockerCommandTimeout = 2 * time.Minute

// docker runs a command that must succeed and returns the lines it prints, sorted.
func docker(t testing.TB, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), dockerCommandTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", args...).Output()
	if err != nil {
		stderr := ""
		if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // of Output itself
			stderr = string(exit.Stderr)
		}
		t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, stderr)
	}
	lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return lines
}

// machines are the names of the running containers that are nodes of the shoot.
func (f *fixture) machines(t testing.TB) []string {
	return docker(t, "ps", "--filter", "label=gardener.cloud/landscape="+f.name, "--filter", "label=gardener.cloud/machine", "--filter", "label=gardener.cloud/shoot="+technical, "--format", "{{.Names}}")
}

// containers are all containers of the landscape, running or not.
func (f *fixture) containers(t testing.TB) []string {
	return append(docker(t, "ps", "-a", "--filter", "label=gardener.cloud/landscape="+f.name, "--format", "{{.Names}}"),
		docker(t, "ps", "-a", "--filter", "name="+f.name, "--format", "{{.Names}}")...)
}

// noteVolumes records the volumes of the landscape's containers, so that leftovers can be told from the volumes of
// others.
func (f *fixture) noteVolumes(t testing.TB) {
	for _, container := range f.containers(t) {
		for _, volume := range docker(t, "inspect", "--format", `{{range .Mounts}}{{if eq .Type "volume"}}{{println .Name}}{{end}}{{end}}`, container) {
			f.volumes[volume] = true
		}
	}
}

// seedContainer is the name of the seed's node.
func (f *fixture) seedContainer() string { return "gardener-" + f.name + "-control-plane" }

// seedAddress is the address of the seed's node in Docker's network.
func (f *fixture) seedAddress(t testing.TB) string { return addressOf(t, f.seedContainer()) }
