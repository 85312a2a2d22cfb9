package host

import (
	"os"
	"strings"

	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/machine/name"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// Labels of the containers of machines.
const (
	// LabelLandscape is the landscape's name. Everything that belongs to a landscape has it.
	LabelLandscape = "gardener.cloud/landscape"
	// LabelSeed is the name of the seed that made the container.
	LabelSeed = "gardener.cloud/seed"
	// LabelRole is RoleMachine for machines.
	LabelRole, RoleMachine = "gardener.cloud/role", "machine"
	// LabelShoot is the namespace of the shoot in the seed, its technical ID.
	LabelShoot = "gardener.cloud/shoot"
	// LabelMachine is the name of the Machine.
	LabelMachine = "gardener.cloud/machine"
)

// Name is the name of a machine's container, shortened to the limit of host names.
func Name(landscape, namespace, machine string) string {
	full := machine
	if !strings.HasPrefix(machine, namespace+"-") { // as names of machines usually do
		full = namespace + "-" + machine
	}
	return name.Shortened(landscape + "-" + full)
}

// labels are the labels of all machines of a landscape.
func labels(landscape string) map[string]string {
	return map[string]string{LabelLandscape: landscape, LabelRole: RoleMachine}
}

// spec describes the container of a machine. It is like kind's nodes, since the images are kind's.
func (c Config) spec(order container.Order) containers.Spec {
	labels := c.labelsOf(order)
	if c.Seed != "" {
		labels[LabelSeed] = c.Seed
	}
	return containers.Spec{
		Name:       Name(c.Landscape, order.Namespace, order.Machine),
		Hostname:   order.Node,
		Image:      order.Image,
		Network:    c.Network,
		Labels:     labels,
		Privileged: true, // a container engine runs in it
		TTY:        true,
		Tmpfs:      []string{"/tmp", "/run"},
		Volumes:    []string{"/var"}, // the file system of the container is too slow, or of the wrong kind, for images and pods
		Mounts:     []containers.Mount{{Source: "/lib/modules", Target: "/lib/modules", ReadOnly: true}},
		Restart:    "on-failure:1", // in effect: come back with the engine
		Env:        environment(os.LookupEnv, order),
	}
}

// environment passes this process's proxy settings on to the machine, which pulls images, and says how kind's images
// store images. Names of the cluster itself bypass the proxy.
func environment(lookup func(string) (string, bool), order container.Order) map[string]string {
	env := map[string]string{}
	for _, key := range []string{"HTTP_PROXY", "HTTPS_PROXY", "KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER"} {
		if value, ok := lookup(key); ok {
			env[key] = value
		} else if value, ok := lookup(strings.ToLower(key)); ok {
			env[key] = value
		}
	}
	if env["HTTP_PROXY"] == "" && env["HTTPS_PROXY"] == "" {
		return env
	}
	own := []string{".svc", ".svc.cluster.local"}
	if document, err := userdata.Decode(order.UserData); err == nil {
		own = append(own, document.Servers()...)
	}
	if value, ok := lookup("NO_PROXY"); ok {
		own = append(own, value)
	} else if value, ok := lookup("no_proxy"); ok {
		own = append(own, value)
	}
	env["NO_PROXY"] = strings.Join(own, ",")
	return env
}

// labelsOf are the labels of a machine, whichever seed makes it.
func (c Config) labelsOf(order container.Order) map[string]string {
	labels := labels(c.Landscape)
	labels[LabelShoot], labels[LabelMachine] = order.Namespace, order.Machine
	return labels
}

// belongs reports whether a container was made for the machine of an order, by any seed. Someone else may have used the name.
func (c Config) belongs(found containers.Container, order container.Order) bool {
	for key, value := range c.labelsOf(order) {
		if found.Labels[key] != value {
			return false
		}
	}
	return true
}
