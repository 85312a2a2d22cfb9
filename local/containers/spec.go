package containers

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
)

// Spec describes a container to be made. Only Name and Image are required.
type Spec struct {
	// Name is unique in the engine; Hostname defaults to it.
	Name, Hostname string
	// Image is taken as it is in the engine, and pulled when it is not there.
	Image string
	// Network by name.
	Network string
	// Labels and Env of the container.
	Labels, Env map[string]string
	// Privileged containers have all capabilities and devices of the engine, and neither seccomp nor AppArmor profiles.
	Privileged bool
	// Tmpfs are paths in memory, Volumes paths that live and die with the container outside of its file system.
	Tmpfs, Volumes []string
	// Mounts are directories of the engine's host.
	Mounts []Mount
	// Hosts are further lines of /etc/hosts: name to address.
	Hosts map[string]string
	// Ports of the engine's host.
	Ports []Port
	// Restart is the engine's restart policy, for instance on-failure:1.
	Restart string
	// TTY gives the first process a terminal, as systemd wants for its messages.
	TTY bool
	// Entrypoint replaces that of the image, Args its command.
	Entrypoint string
	Args       []string
}

// Mount is a directory of the engine's host in a container.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// Port is a port of the engine's host that leads to one of the container.
type Port struct {
	// Address is an address of the host, for instance 127.0.0.1.
	Address         string
	Host, Container int32
	Protocol        string
}

// Run makes a container and starts it. A container of this name that exists already is an error.
func (e *Engine) Run(ctx context.Context, spec Spec) error {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout) // it may pull the image
	defer cancel()
	var extra []string
	if spec.Privileged {
		extra = e.traits(ctx).args()
	}
	if _, err := e.run(ctx, nil, e.runArgs(spec, extra)...); err != nil {
		return fmt.Errorf("run container %s from image %s: %w", spec.Name, spec.Image, err)
	}
	return nil
}

func (e *Engine) runArgs(s Spec, extra []string) []string {
	hostname := s.Hostname
	if hostname == "" {
		hostname = s.Name
	}
	args := []string{"run", "--detach", "--name", s.Name, "--hostname", hostname}
	add := func(flag, value string) { args = append(args, flag, value) }
	if s.TTY {
		args = append(args, "--tty")
	}
	if s.Network != "" {
		add("--net", s.Network)
	}
	if s.Restart != "" && e.name != Podman { // podman has no daemon that would restart anything
		add("--restart", s.Restart)
	}
	if s.Privileged {
		args = append(args, "--privileged", "--cgroupns=private")
		if e.name != Podman { // where privileged implies both
			args = append(args, "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined")
		}
	}
	args = append(args, extra...)
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		add("--label", key+"="+s.Labels[key])
	}
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		add("--env", key+"="+s.Env[key])
	}
	for _, host := range slices.Sorted(maps.Keys(s.Hosts)) {
		add("--add-host", host+":"+s.Hosts[host])
	}
	for _, path := range s.Tmpfs {
		add("--tmpfs", path)
	}
	for i, path := range s.Volumes {
		add("--volume", e.volume(s.Name, i, path))
	}
	for _, m := range s.Mounts {
		value := m.Source + ":" + m.Target
		if m.ReadOnly {
			value += ":ro"
		}
		add("--volume", value)
	}
	for _, p := range s.Ports {
		add("--publish", p.String())
	}
	if s.Entrypoint != "" {
		add("--entrypoint", s.Entrypoint)
	}
	return append(append(args, s.Image), s.Args...)
}

// volume is an anonymous volume, which goes with its container. Podman forbids programs on those, unless told by an option
// that only volumes with a name can have.
func (e *Engine) volume(container string, i int, path string) string {
	if e.name == Podman {
		return volumeName(container, i) + ":" + path + ":suid,exec,dev"
	}
	return path
}

func volumeName(container string, i int) string { return container + "-" + strconv.Itoa(i) }

// String is the port as the engines' clients want it.
func (p Port) String() string {
	protocol := p.Protocol
	if protocol == "" {
		protocol = "tcp"
	}
	return fmt.Sprintf("%s:%d/%s", net.JoinHostPort(p.Address, strconv.Itoa(int(p.Host))), p.Container, protocol)
}

// Try runs a container to its end and removes it. The error has what the engine or the container said.
func (e *Engine) Try(ctx context.Context, spec Spec) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	args := []string{"run", "--rm"}
	if spec.Privileged {
		args = append(args, "--privileged")
	}
	if spec.Entrypoint != "" {
		args = append(args, "--entrypoint", spec.Entrypoint)
	}
	if _, err := e.run(ctx, nil, append(append(args, spec.Image), spec.Args...)...); err != nil {
		return fmt.Errorf("run a container from image %s: %w", spec.Image, err)
	}
	return nil
}
