package runtime

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Annotations of a pod set the usage that each of its simulated containers reports, so that autoscalers have input for their
// decisions. Values are quantities such as 100m and 64Mi.
const (
	cpuAnnotation    = "simulation.gardener.local/cpu"
	memoryAnnotation = "simulation.gardener.local/memory"
)

// simulatedUsage is what a simulated container seems to use.
type simulatedUsage struct {
	MilliCPU int64 `json:"milliCPU,omitempty"`
	Memory   int64 `json:"memory,omitempty"` // bytes
}

// usageFrom reads the annotations of a pod. Those that are no quantities count as zero.
func usageFrom(annotations map[string]string) simulatedUsage {
	read := func(key string) resource.Quantity {
		quantity, err := resource.ParseQuantity(annotations[key])
		if err != nil || quantity.Sign() < 0 {
			return resource.Quantity{}
		}
		return quantity
	}
	cpu, memory := read(cpuAnnotation), read(memoryAnnotation)
	return simulatedUsage{MilliCPU: cpu.MilliValue(), Memory: memory.Value()}
}

// since is the usage of a container that has run for a time.
func (u simulatedUsage) since(start time.Time) usage {
	now := time.Now()
	return usage{at: now, cpu: time.Duration(u.MilliCPU) * now.Sub(start) / 1000, resident: uint64(u.Memory)}
}
