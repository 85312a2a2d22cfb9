// Package group describes the machines that the autoscaler may add and remove: each group is one MachineDeployment
// with its bounds and a template of its nodes. It does not talk to clusters.
package group

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Bounds are the minimum and the maximum size of a MachineDeployment.
type Bounds struct {
	Name     string
	Min, Max int
}

// ParseBounds parses min:max:namespace.name, the format of the flag --nodes, and refuses other namespaces.
func ParseBounds(text, namespace string) (Bounds, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 {
		return Bounds{}, fmt.Errorf("read --nodes=%s: it must be min:max:namespace.name", text)
	}
	low, err := strconv.Atoi(parts[0])
	if err != nil {
		return Bounds{}, fmt.Errorf("read minimum of --nodes=%s: %w", text, err)
	}
	high, err := strconv.Atoi(parts[1])
	if err != nil {
		return Bounds{}, fmt.Errorf("read maximum of --nodes=%s: %w", text, err)
	}
	name, ok := strings.CutPrefix(parts[2], namespace+".")
	if !ok || name == "" {
		return Bounds{}, fmt.Errorf("read --nodes=%s: it must name a machine deployment of namespace %s", text, namespace)
	}
	if low < 0 || high < low {
		return Bounds{}, fmt.Errorf("read --nodes=%s: the minimum must not be negative, and the maximum not be smaller than the minimum", text)
	}
	return Bounds{Name: name, Min: low, Max: high}, nil
}

// Group is a MachineDeployment in its current state.
type Group struct {
	Bounds
	// Size is the desired number of machines.
	Size int
	// Coming is how many of these are not usable nodes yet.
	Coming int
	// Pool is the worker pool. Groups of one pool grow evenly.
	Pool string
	// Template is a node as the group would make it; nil if unknown.
	Template *corev1.Node
	// Settings override those of the command line.
	Settings Settings
}

// Room is how many machines can still be added.
func (g *Group) Room() int { return max(0, g.Max-g.Size) }

// Settings of a group; nil fields are those of the command line.
type Settings struct {
	UtilizationThreshold                           *float64
	UnneededTime, UnreadyTime, MaxNodeProvisioning *time.Duration
}

// SettingsOf reads the annotations of a MachineDeployment. Unreadable values count as not set.
func SettingsOf(deployment *machinev1alpha1.MachineDeployment) Settings {
	duration := func(key string) *time.Duration {
		if d, err := time.ParseDuration(deployment.Annotations[key]); err == nil {
			return &d
		}
		return nil
	}
	out := Settings{
		UnneededTime:        duration(machinev1alpha1.ScaleDownUnneededTimeAnnotation),
		UnreadyTime:         duration(machinev1alpha1.ScaleDownUnreadyTimeAnnotation),
		MaxNodeProvisioning: duration(machinev1alpha1.MaxNodeProvisionTimeAnnotation),
	}
	if share, err := strconv.ParseFloat(deployment.Annotations[machinev1alpha1.ScaleDownUtilizationThresholdAnnotation], 64); err == nil {
		out.UtilizationThreshold = &share
	}
	return out
}

// ByName compares groups by name.
func ByName(a, b *Group) int { return cmp.Compare(a.Name, b.Name) }
