package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Container is a container as reported by the engine.
type Container struct {
	// ID of the container in the engine; Name without a leading slash.
	ID, Name string
	// Running says whether its first process runs. ExitCode is that of the last run.
	Running  bool
	ExitCode int
	// Paused says that its processes exist, but do not run.
	Paused bool
	// StartedAt is the time of the last start, in the engine's notation. It changes with each start.
	StartedAt string
	// IPs are its addresses by the names of its networks.
	IPs map[string]string
	// Published maps the container's TCP ports to the addresses host:port on the host that lead to them.
	Published map[int]string
	// Mounts are the directories of the host that the container can write to, by their places in the container.
	Mounts map[string]string
	// Labels of the container.
	Labels map[string]string
	// Image is the name it was made from. ImageID is the ID of that image at the time.
	Image, ImageID string
}

// IP is the address in a network. If the engine does not report network names, or the container has just one
// network, it is the only address. "" means none.
func (c Container) IP(network string) string {
	if ip, ok := c.IPs[network]; ok {
		return ip
	}
	if len(c.IPs) == 1 {
		for _, ip := range c.IPs {
			return ip
		}
	}
	return ""
}

// Inspect reads a container. The error is an ErrNotFound if no container has this name.
func (e *Engine) Inspect(ctx context.Context, name string) (Container, error) {
	list, err := e.inspect(ctx, name)
	if err != nil {
		return Container{}, fmt.Errorf("inspect container %s: %w", name, err)
	}
	if len(list) == 0 {
		return Container{}, fmt.Errorf("container %s: %w", name, ErrNotFound)
	}
	return list[0], nil
}

// List reads all containers, running or not, that have all these labels. An empty value matches any value.
func (e *Engine) List(ctx context.Context, labels map[string]string) ([]Container, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, append([]string{"ps", "--all", "--quiet", "--no-trunc"}, filters(labels)...)...)
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := e.inspect(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	slices.SortFunc(list, func(a, b Container) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func filters(labels map[string]string) []string {
	var args []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		filter := "label=" + key
		if value := labels[key]; value != "" {
			filter += "=" + value
		}
		args = append(args, "--filter", filter)
	}
	return args
}

// inspect reads the given containers and skips those that do not exist.
func (e *Engine) inspect(ctx context.Context, names ...string) ([]Container, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, append([]string{"container", "inspect"}, names...)...)
	if err != nil && !missing(err) {
		return nil, err
	}
	return parse(out)
}

// parse reads the description of containers. The engines agree in the parts that are read here.
func parse(data []byte) ([]Container, error) {
	var described []struct {
		ID, Name, Image, ImageName string
		State                      struct {
			Running   bool
			Paused    bool
			Status    string
			ExitCode  int
			StartedAt string
		}
		Config struct {
			Image  string
			Labels map[string]string
		}
		Mounts []struct {
			Type, Source, Destination string
			RW                        bool
		}
		NetworkSettings struct {
			Networks map[string]struct{ IPAddress, GlobalIPv6Address string }
			Ports    map[string][]struct{ HostIP, HostPort string }
		}
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(data, &described); err != nil {
		return nil, fmt.Errorf("read the engine's answer: %w", err)
	}
	var list []Container
	for _, d := range described {
		c := Container{
			ID: d.ID, Name: strings.TrimPrefix(d.Name, "/"), Running: d.State.Running || d.State.Status == "running",
			Paused:   d.State.Paused || d.State.Status == "paused",
			ExitCode: d.State.ExitCode, StartedAt: d.State.StartedAt, Labels: d.Config.Labels, Image: d.Config.Image, ImageID: d.Image, IPs: map[string]string{},
		}
		if d.ImageName != "" { // podman
			c.Image = d.ImageName
		}
		if c.Image == "" { // nerdctl
			c.Image = d.Image
		}
		c.Published = published(d.NetworkSettings.Ports)
		for _, mount := range d.Mounts {
			if mount.Type == "bind" && mount.RW {
				if c.Mounts == nil {
					c.Mounts = map[string]string{}
				}
				c.Mounts[mount.Destination] = mount.Source
			}
		}
		for network, n := range d.NetworkSettings.Networks {
			if ip := n.IPAddress; ip != "" {
				c.IPs[network] = ip
			} else if n.GlobalIPv6Address != "" {
				c.IPs[network] = n.GlobalIPv6Address
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// published reads the engines' map of ports, whose keys are like 443/tcp.
func published(ports map[string][]struct{ HostIP, HostPort string }) map[int]string {
	var out map[int]string
	for key, bindings := range ports {
		text, isTCP := strings.CutSuffix(key, "/tcp")
		port, err := strconv.Atoi(text)
		if isTCP && err == nil && len(bindings) > 0 && bindings[0].HostPort != "" {
			host := bindings[0].HostIP
			if host == "" || host == "0.0.0.0" { // any
				host = "127.0.0.1"
			}
			if out == nil {
				out = map[int]string{}
			}
			out[port] = net.JoinHostPort(host, bindings[0].HostPort)
		}
	}
	return out
}

// Start starts a stopped container. It does nothing to a running one.
func (e *Engine) Start(ctx context.Context, name string) error {
	return e.call(ctx, "start container "+name, "start", name)
}

// Stop asks a container to end and kills it after five seconds. The container's system asks all its programs to end at once.
// Programs that store data end within that time. Only programs with clients take longer, such as name servers and API servers: they
// wait for their clients, which are being stopped as well.
func (e *Engine) Stop(ctx context.Context, name string) error {
	return e.call(ctx, "stop container "+name, "stop", "--time", "5", name)
}

// Remove removes a container and its volumes, even if it runs. A container that does not exist is not an error.
func (e *Engine) Remove(ctx context.Context, name string) error {
	err := e.call(ctx, "remove container "+name, "rm", "--force", "--volumes", name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if e.name != Podman {
		return nil
	}
	for i := range maxVolumes {
		if err := e.call(ctx, "remove volume", "volume", "rm", "--force", volumeName(name, i)); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// maxVolumes is how many volumes of a container are looked for on removal, where they have names.
const maxVolumes = 2
