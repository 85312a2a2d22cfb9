package pods

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probeCommand is the name of the command that stands for a probe or a hook through the network of the pod. A user may write it as a command, too. That reaches
// the user's own pod only, as a probe does.
const probeCommand = "probe-in-the-network-of-the-pod"

// Probe is a probe or a hook of a sandboxed container that is made through the network of its pod.
type Probe struct {
	corev1.ProbeHandler `json:",inline"`
	// Hook is true for hooks of the life cycle.
	Hook bool `json:"hook,omitempty"`
}

// ProbeOf returns the probe that a command stands for. ok is false for the commands of users.
func ProbeOf(argv []string) (p Probe, ok bool, err error) {
	if len(argv) != 2 || argv[0] != probeCommand {
		return Probe{}, false, nil
	}
	if err := json.Unmarshal([]byte(argv[1]), &p); err != nil {
		return Probe{}, true, fmt.Errorf("read the probe %q: %w", argv[1], err)
	}
	return p, true, nil
}

// keepInside turns the probes and hooks of a container that connect into commands. The kubelet makes them as the machine, where a port that the pod
// does not open belongs to any server that listens at all addresses of the machine. It passes commands to the runtime, which connects through the network of the pod.
// The host of probes and hooks is the pod itself.
func keepInside(c *corev1.Container) {
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if probe != nil && (probe.HTTPGet != nil || probe.TCPSocket != nil || probe.GRPC != nil) {
			probe.ProbeHandler = corev1.ProbeHandler{Exec: command(Probe{ProbeHandler: probe.ProbeHandler}, c.Ports)}
		}
	}
	if c.Lifecycle == nil {
		return
	}
	for _, hook := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
		if hook == nil || hook.Exec != nil || hook.HTTPGet == nil {
			continue
		}
		hook.Exec = command(Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: hook.HTTPGet}, Hook: true}, c.Ports)
		hook.HTTPGet = nil
	}
}

// command stands for a probe.
func command(p Probe, ports []corev1.ContainerPort) *corev1.ExecAction {
	p.Exec = nil
	if p.HTTPGet != nil {
		p.HTTPGet.Host, p.HTTPGet.Port = "", numbered(p.HTTPGet.Port, ports)
	}
	if p.TCPSocket != nil {
		p.TCPSocket.Host, p.TCPSocket.Port = "", numbered(p.TCPSocket.Port, ports)
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and texts only
	}
	// The kubelet replaces $(NAME) in commands. A dollar is in texts only, where JSON has another way to write it.
	return &corev1.ExecAction{Command: []string{probeCommand, strings.ReplaceAll(string(text), "$", `\u0024`)}}
}

// numbered replaces the name of a port by its number. A name that no port has stays.
func numbered(port intstr.IntOrString, ports []corev1.ContainerPort) intstr.IntOrString {
	if port.Type != intstr.String {
		return port
	}
	if i := slices.IndexFunc(ports, func(p corev1.ContainerPort) bool { return p.Name == port.StrVal }); i >= 0 {
		return intstr.FromInt32(ports[i].ContainerPort)
	}
	return port
}
