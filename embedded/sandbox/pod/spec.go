package pod

import (
	"maps"
	"slices"
	"strconv"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// Container is a container to create.
type Container struct {
	// ID is unique among the containers of all pods; Name is that of the container in the pod.
	ID, Name string
	// Image is the absolute path of an EROFS file with the root file system.
	Image string
	// ReadOnly makes the root file system read-only. Otherwise a layer above it, in Config.Dir, takes what is written. The layer is
	// removed with the container.
	ReadOnly bool
	// Args are the program and its arguments; Env contains variables as name=value.
	Args, Env []string
	// Dir is the working directory; it is made if it does not exist.
	Dir string
	// User has numbers only.
	User specs.User
	// Capabilities are those of the container, with the prefix CAP_.
	Capabilities []string
	// NoNewPrivileges makes set-user-ID programs run without the rights of their owner.
	NoNewPrivileges bool
	// Terminal makes the standard input of the container a terminal.
	Terminal bool
	// Mounts are directories and files of the machine that the container sees.
	Mounts []Mount
}

// Mount is a directory or file of the machine in a container.
type Mount struct {
	// ContainerPath and HostPath are absolute. HostPath must not contain symbolic links, which users of pods might have made.
	ContainerPath, HostPath string
	ReadOnly                bool
}

// Annotations by which gVisor knows the containers of a pod, and their root file systems. The first are containerd's, which runsc reads.
const (
	containerType = "io.kubernetes.cri.container-type"
	containerName = "io.kubernetes.cri.container-name"
	sandboxID     = "io.kubernetes.cri.sandbox-id"
	mountPrefix   = "dev.gvisor.spec.mount."
	rootfsSource  = "dev.gvisor.spec.rootfs.source"
	rootfsType    = "dev.gvisor.spec.rootfs.type"
	rootfsOverlay = "dev.gvisor.spec.rootfs.overlay"
)

// pauseSpec describes the first container of a pod.
func pauseSpec(c Config, root string, scratch []string) *specs.Spec {
	return &specs.Spec{
		Version:     specs.Version,
		Hostname:    c.Hostname,
		Process:     &specs.Process{Args: []string{"/pause"}, Cwd: "/", NoNewPrivileges: true},
		Root:        &specs.Root{Path: root, Readonly: true},
		Mounts:      kernelMounts(),
		Linux:       &specs.Linux{Namespaces: namespaces()},
		Annotations: sandboxAnnotations(scratch),
	}
}

// sandboxAnnotations tell gVisor which volumes belong to the pod alone. It then shares them among the containers itself.
func sandboxAnnotations(scratch []string) map[string]string {
	all := map[string]string{containerType: "sandbox"}
	for i, dir := range scratch {
		prefix := mountPrefix + "scratch" + strconv.Itoa(i) + "."
		all[prefix+"source"], all[prefix+"type"], all[prefix+"share"], all[prefix+"options"] = dir, "tmpfs", "pod", "rw,rprivate"
	}
	return all
}

// containerSpec describes any other container. root is an empty directory: gVisor takes the files from the image.
func containerSpec(c Container, config Config, root string) *specs.Spec {
	annotations := map[string]string{
		containerType: "container", containerName: c.Name, sandboxID: config.ID,
		rootfsSource: c.Image, rootfsType: "erofs",
	}
	if !c.ReadOnly {
		annotations[rootfsOverlay] = overlay(c, config)
	}
	return &specs.Spec{
		Version:  specs.Version,
		Hostname: config.Hostname,
		Process: &specs.Process{
			Args: c.Args, Env: c.Env, Cwd: c.Dir, User: c.User, Terminal: c.Terminal, NoNewPrivileges: c.NoNewPrivileges,
			Capabilities: capabilities(c),
		},
		Root:        &specs.Root{Path: root, Readonly: c.ReadOnly},
		Mounts:      slices.Concat(kernelMounts(), volumes(c.Mounts)),
		Linux:       &specs.Linux{Namespaces: namespaces()},
		Annotations: maps.Clone(annotations),
	}
}

// overlay keeps what a container writes to its root file system in files, so that it takes no memory. gVisor needs a process for files of
// the machine, which it does not start for a container without volumes.
func overlay(c Container, config Config) string {
	if len(c.Mounts) == 0 {
		return "memory"
	}
	return "dir=" + config.layers()
}

// namespaces are those of gVisor's kernel. There is none for the network: containers use the one of the pod.
func namespaces() []specs.LinuxNamespace {
	return []specs.LinuxNamespace{{Type: specs.PIDNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace}, {Type: specs.MountNamespace}}
}

// capabilities gives all capabilities to root only, as container runtimes do. For other users they only bound what programs get.
func capabilities(c Container) *specs.LinuxCapabilities {
	all := &specs.LinuxCapabilities{Bounding: c.Capabilities}
	if c.User.UID == 0 {
		all.Effective, all.Permitted = c.Capabilities, c.Capabilities
	}
	return all
}

func kernelMounts() []specs.Mount {
	return []specs.Mount{
		{Destination: "/proc", Type: "proc", Source: "proc"},
		{Destination: "/dev", Type: "tmpfs", Source: "tmpfs"},
		{Destination: "/dev/pts", Type: "devpts", Source: "devpts"},
		{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"mode=1777"}},
		{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"ro"}},
	}
}

// volumes are shared with the machine, which may change them at any time.
func volumes(mounts []Mount) []specs.Mount {
	var all []specs.Mount
	for _, mount := range mounts {
		access := "rw"
		if mount.ReadOnly {
			access = "ro"
		}
		all = append(all, specs.Mount{Destination: mount.ContainerPath, Source: mount.HostPath, Type: "bind", Options: []string{"rbind", access}})
	}
	return all
}
