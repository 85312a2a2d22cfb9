// Package trial decides whether the containers of a landscape run in sandboxes, by starting one. It does not know how a sandbox is started, and where the
// decision is kept.
package trial

import (
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
)

// Decision is what embedded nodes of shoots do with containers: config.ContainersSandbox or config.ContainersSimulate. It is empty where there are no such
// nodes to decide about.
type Decision struct {
	Containers string
	// Reason says why containers are simulated although nobody asked for that. It is empty otherwise.
	Reason string
}

// Cure is what users can do about a Reason.
const Cure = `allow what the message names, see "Where it does not work" in docs/containers.md, and run "gardener up" again; containers: simulate ends this warning`

// Question is the input of Decide.
type Question struct {
	// Setting is that of the configuration.
	Setting string
	// Ran is whether containers of the landscape have run in sandboxes.
	Ran bool
	// Try starts a sandbox and ends it.
	Try func() error
}

// Decide answers. A landscape whose containers ran in sandboxes does not simulate them without being told to: it tries twice, and then fails.
func Decide(q Question) (Decision, error) {
	if q.Setting == config.ContainersSimulate {
		return Decision{Containers: config.ContainersSimulate}, nil
	}
	err := q.Try()
	if err != nil && q.Ran && q.Setting == config.ContainersAuto {
		err = q.Try()
	}
	switch {
	case err == nil:
		return Decision{Containers: config.ContainersSandbox}, nil
	case q.Setting == config.ContainersSandbox:
		return Decision{}, fault.New(fault.Sandbox, fmt.Errorf("containers: sandbox: no gVisor sandbox starts on this machine; set containers: simulate, or see docs/containers.md: %w", err))
	case q.Ran:
		return Decision{}, fault.New(fault.Fallback, fmt.Errorf("the containers of this landscape ran in gVisor sandboxes, and none starts on this machine now, tried twice; "+
			"allow what the message names, see docs/containers.md, or set containers: simulate, with which their programs do not run: %w", err))
	}
	return Decision{Containers: config.ContainersSimulate, Reason: fmt.Sprintf("no gVisor sandbox starts on this machine: %v", err)}, nil
}

// OneUser says what does not work where root is the only user that exists in containers, and why.
func OneUser(reason string) string {
	return "containers that are not root's cannot write to PersistentVolumes: " + reason
}

// OneUserCure is what users can do about it.
const OneUserCure = `see "Users" in docs/containers.md: install the package uidmap, give this user 65536 subordinate IDs in /etc/subuid and /etc/subgid, and start the landscape again`
