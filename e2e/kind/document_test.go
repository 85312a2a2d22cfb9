package kind

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// Sections of docs/kind.md, whose commands the steps of the test run.
const (
	begins     = "Real nodes on kind"
	requires   = "Requirements"
	engines    = "Container engines"
	exposes    = "Exposure classes"
	registries = "Image sources and container runtimes"
	forTests   = "For tests"
	removes    = "Stop and remove"
)

var documents = []step{
	{"APP-36 what the landscape requires, as documented", doctor, true},
	{"APP-36 how a developer gets Docker and the node image, as documented", preparedAsDocumented, true},
	{"APP-36 Docker loads the image of the binary, as documented", imageAsDocumented, true},
}

// newReader returns a reader of docs/kind.md for whom its names are those of the test. The shoot has two nodes and an older version, and
// no registry has images.
func newReader(t *testing.T, f *fixture) *follow.Reader {
	reader := follow.New(t, f.Landscape)
	reader.Names = []string{
		`landscape "local"`, `landscape "` + f.name + `"`, "name=local", "name=" + f.name, "local-shoot--", f.name + "-shoot--", "local-local-z1-", "local-pool-z1-", "gardener-local-", "gardener-" + f.name + "-",
		"gardener shoot example", "cat '" + testdata(t, "shoot.yaml") + "'", "v" + newVersion, "v" + oldVersion,
		"--image=busybox", "--image=" + echo, "-- echo ", "-- print ",
	}
	return reader
}

// steps are those of a section of docs/kind.md.
func (f *fixture) steps(t *testing.T, section string) []console.Step {
	return follow.Steps(t, "docs/kind.md", "e2e/kind", section)
}

// twice repeats the line of the output of a command that is about a node.
func twice(t *testing.T, steps []console.Step, command string, line int) {
	t.Helper()
	for i := range steps {
		if out := steps[i].Output; strings.HasPrefix(steps[i].Command, command) && len(out) > line {
			steps[i].Output = slices.Insert(slices.Clone(out), line, out[line])
			return
		}
	}
	t.Errorf("docs/kind.md has no command %q", command)
}

// doctor prints what depends on the machine.
func doctor(t *testing.T, f *fixture) {
	steps := f.steps(t, requires)
	for i := range steps {
		steps[i].Output = nil
	}
	f.reader.Follow(t, "requirements of kind", steps)
}

func gatewaysAsDocumented(t *testing.T, f *fixture) {
	var status struct {
		FrontDoor         string
		HandlerFrontDoors map[string]string
	}
	f.Status(&status)
	reader := *f.reader
	reader.Names = append([]string{
		"handler-internet", "handler-edge", "front door internet", "front door edge", "127.0.0.1:8443", status.FrontDoor, "127.0.0.2:8443", status.HandlerFrontDoors["edge"],
	}, reader.Names...)
	reader.Follow(t, "gateways of exposure classes", f.steps(t, exposes))
}

// preparedAsDocumented does in a shell what TestMain did. It starts and builds nothing, since all is there.
func preparedAsDocumented(t *testing.T, f *fixture) {
	reader := *f.reader
	reader.Checkout, reader.Env, reader.Names = true, os.Environ(), nil
	steps := f.steps(t, forTests)
	reader.Follow(t, "preparations for tests", append(steps, console.Step{File: "e2e/kind", Command: `echo "$image"`, Output: []string{prepared.newImage}}))
}

// imageAsDocumented leaves no image at the engine that was not there before.
func imageAsDocumented(t *testing.T, f *fixture) {
	list := func() []string { return docker(t, "images", "--format", "{{.Repository}}:{{.Tag}}") }
	before := list()
	f.reader.Follow(t, "the image of the binary", follow.Example(t, "gardener image save gardener.tar && docker load -i gardener.tar"))
	after := list()
	if !slices.ContainsFunc(after, func(name string) bool { return strings.HasPrefix(name, image.Repository+":") }) {
		t.Errorf("Docker has no image of the binary: %v", after)
	}
	for _, name := range after {
		if !slices.Contains(before, name) {
			docker(t, "rmi", name)
		}
	}
}

// forgetEngine makes the reader say no longer where Docker is.
func (f *fixture) forgetEngine() {
	f.reader.Env = slices.DeleteFunc(f.reader.Env, func(line string) bool { return strings.HasPrefix(line, "DOCKER_HOST=") })
}

func purgeAsDocumented(t *testing.T, f *fixture) {
	f.reader.Follow(t, "the end of a landscape on kind", f.steps(t, engines))
}

// removeByHand removes containers of a landscape that is gone. Then all commands of the document have been run, if all steps were taken.
func removeByHand(t *testing.T, f *fixture) {
	docker(t, "create", "--name", f.name+"-left", "--label", "gardener.cloud/landscape="+f.name, prepared.newImage)
	docker(t, "create", "--name", f.seedContainer(), prepared.newImage)
	reader := *f.reader
	reader.Names = append([]string{"landscape=local", "landscape=" + f.name}, reader.Names...)
	reader.Env = append(slices.Clone(reader.Env), prepared.dockerHost)
	reader.Follow(t, "the removal of containers by hand", f.steps(t, removes))
	if left := f.containers(t); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
	if left := f.reader.Left(follow.Steps(t, "docs/kind.md", "e2e/kind")); framework.Long() && len(left) > 0 {
		t.Errorf("nobody has run the commands at %v", left)
	}
}
