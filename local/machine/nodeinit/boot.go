package nodeinit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"time"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// Apply applies an OperatingSystemConfig and its status to this machine. It removes nothing that they do not
// mention.
type Apply func(ctx context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error

// options of a boot.
type options struct {
	userData, applied    string
	nodeName, providerID string
}

// boot does the complete boot. It may run any number of times.
func (o options) boot(ctx context.Context, apply Apply) error {
	machine, err := o.machine(ctx)
	if err != nil {
		return err
	}
	osc := &extensionsv1alpha1.OperatingSystemConfig{Status: machine.adaptation()}
	if _, err := os.Stat(o.applied); errors.Is(err, fs.ErrNotExist) {
		data, err := os.ReadFile(o.userData)
		if err != nil {
			return fmt.Errorf("read user data: %w", err)
		}
		document, err := userdata.Decode(data)
		if err != nil {
			return err
		}
		osc.Spec = document.Spec()
	} else if err != nil {
		return fmt.Errorf("look for what the node agent has applied: %w", err)
	}
	if err := apply(ctx, osc); err != nil {
		return fmt.Errorf("bring about the content of machine %s: %w", o.nodeName, err)
	}
	return nil
}

// machine collects the facts that only the machine knows.
func (o options) machine(ctx context.Context) (Machine, error) {
	ip, err := sourceAddress()
	if err != nil {
		return Machine{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	said, err := exec.CommandContext(ctx, "kubelet", "--version").Output()
	if err != nil {
		return Machine{}, fmt.Errorf("ask the kubelet for its version: %w", err)
	}
	minor, err := kubeletMinor(string(said))
	if err != nil {
		return Machine{}, err
	}
	containerd, err := exec.LookPath("containerd")
	if err != nil {
		return Machine{}, fmt.Errorf("find containerd: %w", err)
	}
	binary, err := os.Executable()
	if err != nil {
		return Machine{}, fmt.Errorf("find this binary: %w", err)
	}
	return Machine{NodeName: o.nodeName, ProviderID: o.providerID, NodeIP: ip, KubeletMinor: minor, Binary: binary, Containerd: containerd}, nil
}

// sourceAddress is the address from which the machine reaches others. Nothing is sent to find it out: the
// destinations are reserved for documentation.
func sourceAddress() (string, error) {
	var failed error
	for _, way := range [][2]string{{"udp4", "192.0.2.1:9"}, {"udp6", "[2001:db8::1]:9"}} {
		conn, err := net.Dial(way[0], way[1])
		if err != nil {
			failed = err
			continue
		}
		defer conn.Close()
		if address, ok := conn.LocalAddr().(*net.UDPAddr); ok {
			return address.IP.String(), nil
		}
	}
	return "", fmt.Errorf("find the address of this machine: %w", failed)
}
