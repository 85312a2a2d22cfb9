package runtime

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// sandboxRecord is sandbox.json in the sandbox's directory.
type sandboxRecord struct {
	ID             string            `json:"id"`
	PodUID         string            `json:"podUID"`
	Name           string            `json:"name"`
	Namespace      string            `json:"namespace"`
	Attempt        uint32            `json:"attempt"`
	Labels         map[string]string `json:"labels,omitempty"`
	Annotations    map[string]string `json:"annotations,omitempty"`
	LogDir         string            `json:"logDir"`
	RuntimeHandler string            `json:"runtimeHandler,omitempty"`
	HostNetwork    bool              `json:"hostNetwork,omitempty"`
	Ports          []int32           `json:"ports,omitempty"`  // that containers declare
	Address        netip.Addr        `json:"address,omitzero"` // none in the host's network and once stopped
	Ready          bool              `json:"ready"`
	CreatedAt      time.Time         `json:"createdAt"`
}

// containerRecord is container.json in the container's directory. It never holds what a process must not lose:
// whatever is in it after a kill of this process leads to a container that is reported as exited or as created.
type containerRecord struct {
	ID          string            `json:"id"`
	SandboxID   string            `json:"sandboxID"`
	Name        string            `json:"name"`
	Attempt     uint32            `json:"attempt"`
	Image       string            `json:"image"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Command     []string          `json:"command,omitempty"`
	Args        []string          `json:"args,omitempty"`
	WorkingDir  string            `json:"workingDir,omitempty"`
	Env         []variable        `json:"env,omitempty"`
	Mounts      []volumeMount     `json:"mounts,omitempty"`
	LogPath     string            `json:"logPath,omitempty"` // absolute
	Stdin       bool              `json:"stdin,omitempty"`
	StdinOnce   bool              `json:"stdinOnce,omitempty"`
	Simulated   bool              `json:"simulated,omitempty"`
	Sandboxed   bool              `json:"sandboxed,omitempty"`
	Missing     bool              `json:"missing,omitempty"` // simulated because its image could not be pulled
	Usage       simulatedUsage    `json:"usage,omitzero"`
	OOMScore    int64             `json:"oomScore,omitempty"` // that the kubelet asks for
	Acting      acting            `json:"acting,omitzero"`    // if simulated

	SimulatedBecause string `json:"simulatedBecause,omitempty"`

	State      state     `json:"state"`
	CreatedAt  time.Time `json:"createdAt"`
	StartedAt  time.Time `json:"startedAt,omitzero"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
	ExitCode   int       `json:"exitCode,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Message    string    `json:"message,omitempty"`
	Process    identity  `json:"process,omitzero"` // while running
}

type state string

const (
	stateCreated state = "created"
	stateRunning state = "running"
	stateExited  state = "exited"
)

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type volumeMount struct {
	ContainerPath string `json:"containerPath"`
	HostPath      string `json:"hostPath"`
	ReadOnly      bool   `json:"readOnly,omitempty"`
}

const (
	sandboxFile   = "sandbox.json"
	containerFile = "container.json"
)

// writeRecord replaces a file in one step. A record that cannot be read is removed with what it is about.
func writeRecord(path string, record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	return atomicfile.Write(path, data, 0o600)
}

func readRecord(path string, record any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	if err := json.Unmarshal(data, record); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}
