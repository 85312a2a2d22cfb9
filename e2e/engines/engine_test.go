package engines

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// testImage is an image in every node that hack/kind/nodeimage makes.
const testImage = "docker.io/e2e/echo:dev"

// Time limits for preparing the engines: Debian packages, a build of the node image, a build of nerdctl.
const (
	prepareTimeout = 40 * time.Minute
	engineTimeout  = 5 * time.Minute
)

// engine is a container engine that e2e/engines/engine.sh has started.
type engine struct {
	name string
	// env are the environment variables that lead to the engine, as lines.
	env []string
}

// nodeImage makes Docker work, which builds the image, and returns the image's name.
func nodeImage(t *testing.T) string {
	t.Setenv("DOCKER_HOST", prepareHost(t))
	return mustScript(t, "make", "-s", "kind-image")
}

// prepareHost makes Docker work until the test ends, and with it what all engines need of the machine. It returns how Docker is reached.
func prepareHost(t *testing.T) string {
	host, release, err := framework.HoldDocker(prepareTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	return host
}

// loaded starts the engine and loads the image.
func loaded(t *testing.T, name, image string) *engine {
	e := start(t, name)
	mustScript(t, "e2e/engines/engine.sh", name, "load", image)
	return e
}

// start starts the engine.
func start(t *testing.T, name string) *engine {
	t.Cleanup(func() { mustScript(t, "e2e/engines/engine.sh", name, "stop") })
	mustScript(t, "e2e/engines/engine.sh", name, "start")
	set := mustScript(t, "bash", "-c", `before=$(mktemp); env | sort >"$before"; eval "$(e2e/engines/engine.sh `+name+` env)"; env | sort | comm -13 "$before" - | grep -v ^_= | tr '\n' '\t'; rm "$before"`)
	return &engine{name: name, env: strings.FieldsFunc(set, func(r rune) bool { return r == '\t' })}
}

// smallImage makes an image in the engine of what the examination of a machine runs, and returns its name.
func smallImage(t *testing.T, e *engine) string {
	const name = "docker.io/e2e/true:dev"
	dir := t.TempDir()
	source, program, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "true"), filepath.Join(dir, "image.tar")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustScript(t, "go", "build", "-trimpath", "-o", program, source)
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	files := tar.NewWriter(&archive)
	err = files.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "bin/true", Mode: 0o755, Size: int64(len(content))})
	_, written := files.Write(content)
	if err := errors.Join(err, written, files.Close(), os.WriteFile(file, archive.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	e.run(t, "import", file, name)
	t.Cleanup(func() { e.run(t, "rmi", name) })
	return name
}

// run runs a command of the engine that must succeed, and returns the lines it prints, sorted.
func (e *engine) run(t testing.TB, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/env", slices.Concat(e.env, []string{e.name}, args)...) // the engine may be in a PATH of its own
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v: %s", e.name, strings.Join(args, " "), err, stderr.String())
	}
	lines := strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return lines
}

// containers are the names of all containers of the landscape, or of the running ones only.
func (f *fixture) containers(t testing.TB, running bool) []string {
	args := []string{"ps", "--format", "{{.Names}}"}
	if !running {
		args = append(args, "--all")
	}
	return slices.DeleteFunc(f.engine.run(t, args...), func(name string) bool { return !strings.Contains(name, f.name) })
}

// kubeconfig is the file that Shoot wrote.
func (f *fixture) kubeconfig() string { return filepath.Join(f.Dir, "shoot-"+shootName+".yaml") }

// mustScript runs a command in the root of the repository and returns the last line it prints.
func mustScript(t testing.TB, name string, args ...string) string {
	t.Helper()
	line, err := framework.Script(prepareTimeout, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return line
}
