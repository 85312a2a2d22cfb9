package doctor

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/local/containers"
)

// containerd runs the containers of nerdctl.
const containerd = "containerd"

// oldest are the minimum versions of container engines with which nodes are known to run. Older versions of containerd
// cannot restart failed containers.
var oldest = map[string]string{containers.Docker: "20.10.0", containers.Podman: "4.0.0", containers.Nerdctl: "1.7.0", containerd: "1.7.0"}

func checkContainerd(have string) Finding {
	f := checkVersion(containers.Endpoint{Name: containerd}, have)
	f.Check = containerd
	return f
}

func checkVersion(endpoint containers.Endpoint, have string) Finding {
	name := endpoint.Name
	f := Finding{Check: "container engine", State: OK, Message: strings.Replace(endpoint.String(), name, name+" "+have, 1)}
	need, err := version.ParseGeneric(oldest[name])
	if err != nil {
		return f
	}
	parsed, err := version.ParseGeneric(have)
	switch {
	case err != nil:
		f.State, f.Message = Warning, fmt.Sprintf("%s has the version %q, which cannot be compared", name, have)
		f.Cure = "make sure it is " + oldest[name] + " or newer"
	case parsed.LessThan(need):
		f.State, f.Message = Problem, fmt.Sprintf("%s %s is too old", name, have)
		f.Cure = "install " + oldest[name] + " or newer"
	}
	return f
}

func checkImage(ctx context.Context, engine *containers.Engine, image string) Finding {
	f := Finding{Check: "node image", State: OK, Message: image}
	there, err := engine.Images.Exists(ctx, image)
	if err == nil && !there {
		err = engine.Images.Pull(ctx, image)
	}
	if err != nil {
		f.State, f.Message = Problem, fmt.Sprintf("%s is not there and cannot be pulled: %v", image, err)
		f.Cure = fmt.Sprintf("load it from a file (%s load -i FILE), make the registry reachable, or name another image with --node-image or seed.nodeImage", engine.Name())
	}
	return f
}

// checkPrivileged runs a privileged container, such as a node, for a moment.
func checkPrivileged(ctx context.Context, engine *containers.Engine, image string) Finding {
	f := Finding{Check: "privileged containers", State: OK, Message: "allowed"}
	err := engine.Try(ctx, containers.Spec{Image: image, Privileged: true, Entrypoint: "/bin/true"})
	if err == nil {
		return f
	}
	f.State, f.Message = Problem, err.Error()
	f.Cure = "let the engine run privileged containers; rootless engines need cgroup v2 with delegation"
	if lacksSysResource(err) {
		f.Message = "the host lacks CAP_SYS_RESOURCE, so no privileged container can be made (" + lastLine(err.Error()) + ")"
		f.Cure = "run on a machine that has it, or give the engine a runtime which leaves this capability and rlimits out"
	}
	return f
}

// lacksSysResource recognises the error message of runc if the capability is missing.
func lacksSysResource(err error) bool {
	return strings.Contains(err.Error(), "unable to apply caps") && !hostHas(capSysResource)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
