package node

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
)

// mirrorsVariable is the variable with the mirrors of registries, for kubelets that are processes of an embedded node.
const mirrorsVariable = "GARDENER_REGISTRY_MIRRORS"

// EveryRegistry is the key of the mirrors of all registries without mirrors of their own.
const EveryRegistry = "*"

// Mirrors are registries that are asked before another one, by the name of that. They are hosts, optionally with a port.
type Mirrors map[string][]string

// String is the value of the variable.
func (m Mirrors) String() string {
	if len(m) == 0 {
		return ""
	}
	text, _ := json.Marshal(m) // of texts, which cannot fail
	return string(text)
}

// parseMirrors is the inverse of String.
func parseMirrors(text string) (Mirrors, error) {
	var m Mirrors
	if text == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("read $%s: %w", mirrorsVariable, err)
	}
	return m, nil
}

// of returns the mirrors of a registry. Users know Docker's registry by another name than its address.
func (m Mirrors) of(registry string) []string {
	if registry == name.DefaultRegistry {
		registry = "docker.io"
	}
	if own, found := m[registry]; found {
		return own
	}
	return m[EveryRegistry]
}

// hosts are the mirrors with their ports. An operator named them, so that they may be in a private network or on this machine.
func (m Mirrors) hosts() []string {
	var hosts []string
	for _, mirrors := range m {
		for _, mirror := range mirrors {
			if _, _, err := net.SplitHostPort(mirror); err != nil {
				mirror = net.JoinHostPort(mirror, "443")
			}
			hosts = append(hosts, mirror)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
