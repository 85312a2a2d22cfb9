package containers

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Spec describes a container to create. Only Name and Image are required.
type Spec struct {
	// Name is unique in the engine; Hostname defaults to it.
	Name, Hostname string
	// Image is used as it is in the engine, and pulled if it is missing.
	Image string
	// Network by name.
	Network string
	// Labels and Env of the container.
	Labels, Env map[string]string
	// Privileged containers have all capabilities and devices of the engine, and neither seccomp nor AppArmor profiles.
	Privileged bool
	// Tmpfs are paths in memory. Volumes are paths outside of the file system of the container that are removed with
	// it.
	Tmpfs, Volumes []string
	// Mounts are directories of the engine's host.
	Mounts []Mount
	// Hosts are additional lines of /etc/hosts: name to address.
	Hosts map[string]string
	// Ports are published on the host of the engine.
	Ports []Port
	// Restart is the restart policy of the engine, for instance on-failure:1.
	Restart string
	// TTY gives the first process a terminal, which systemd needs for its messages.
	TTY bool
	// Entrypoint replaces that of the image, Args its command.
	Entrypoint string
	Args       []string
}

// Mount is a directory of the host of the engine in a container.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// Port is a port of the host of the engine that leads to a port of the container.
type Port struct {
	// Address is an address of the host, for instance 127.0.0.1.
	Address         string
	Host, Container int32
	Protocol        string
}

// Run creates a container and starts it. It is an error if a container with this name already exists.
func (e *Engine) Run(ctx context.Context, spec Spec) error {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout) // it may pull the image
	defer cancel()
	var extra []string
	if spec.Privileged {
		extra = e.traits(ctx).args()
	}
	env, err := variables(spec.Env)
	if err != nil {
		return fmt.Errorf("run container %s: %w", spec.Name, err)
	}
	if _, err := e.run(ctx, env, e.runArgs(spec, extra)...); err != nil {
		return fmt.Errorf("run container %s from image %s: %w", spec.Name, spec.Image, err)
	}
	return nil
}

// variables returns the file of variables that the engine reads. All users of a machine see command lines, and the address
// of a proxy may contain a password.
func variables(env map[string]string) (io.Reader, error) {
	var file strings.Builder
	for _, key := range slices.Sorted(maps.Keys(env)) {
		if strings.ContainsAny(env[key], "\r\n") {
			return nil, fmt.Errorf("variable %s has several lines, which container engines do not take", key)
		}
		file.WriteString(key + "=" + env[key] + "\n")
	}
	return strings.NewReader(file.String()), nil
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
	if s.Restart != "" && e.name != Podman { // podman has no daemon that could restart a container
		add("--restart", s.Restart)
	}
	if s.Privileged {
		args = append(args, "--privileged", "--cgroupns=private")
		if e.name != Podman { // with podman, privileged implies both
			args = append(args, "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined")
		}
	}
	args = append(args, extra...)
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		add("--label", key+"="+s.Labels[key])
	}
	if len(s.Env) > 0 {
		add("--env-file", "/dev/stdin")
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

// volume returns an anonymous volume, which is removed with its container. Podman gets a named volume: it forbids programs
// on anonymous ones, and only named volumes can have the options that allow them.
func (e *Engine) volume(container string, i int, path string) string {
	if e.name == Podman {
		return volumeName(container, i) + ":" + path + ":suid,exec,dev"
	}
	return path
}

func volumeName(container string, i int) string { return container + "-" + strconv.Itoa(i) }

// String returns the port in the syntax of the command lines of the engines.
func (p Port) String() string {
	protocol := p.Protocol
	if protocol == "" {
		protocol = "tcp"
	}
	return fmt.Sprintf("%s:%d/%s", net.JoinHostPort(p.Address, strconv.Itoa(int(p.Host))), p.Container, protocol)
}

// Try runs a container to its end and removes it. The error contains the output of the engine or the container.
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
