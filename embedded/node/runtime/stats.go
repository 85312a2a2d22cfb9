package runtime

import (
	"context"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// tick is the unit of CPU time in /proc on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// usage is what a container's process has used so far; simulated containers use what their pod says, and what tasks use is the node's.
type usage struct {
	at       time.Time
	cpu      time.Duration
	resident uint64 // bytes
}

func measure(p *process) usage {
	u := usage{at: time.Now()}
	if p == nil {
		return u
	}
	fields := statFields(p.PID)
	if len(fields) < 22 {
		return u
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	pages, _ := strconv.ParseUint(fields[21], 10, 64)
	u.cpu, u.resident = time.Duration(user+system)*tick, pages*uint64(os.Getpagesize())
	return u
}

func (u usage) cpuStats() *cri.CpuUsage {
	return &cri.CpuUsage{Timestamp: u.at.UnixNano(), UsageCoreNanoSeconds: number(uint64(u.cpu))}
}

func (u usage) memoryStats() *cri.MemoryUsage {
	return &cri.MemoryUsage{Timestamp: u.at.UnixNano(), WorkingSetBytes: number(u.resident), UsageBytes: number(u.resident), RssBytes: number(u.resident)}
}

func number(n uint64) *cri.UInt64Value { return &cri.UInt64Value{Value: n} }

// ContainerStats measures one container.
func (p *pods) ContainerStats(_ context.Context, id string) (*cri.ContainerStats, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.containers[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "container %s does not exist", id)
	}
	stats, _ := c.stats()
	return stats, nil
}

// ListContainerStats measures the running containers that match the filter.
func (p *pods) ListContainerStats(_ context.Context, filter *cri.ContainerStatsFilter) ([]*cri.ContainerStats, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*cri.ContainerStats
	for _, c := range p.containers {
		if c.record.State != stateRunning || filter.GetId() != "" && filter.GetId() != c.record.ID ||
			filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != c.record.SandboxID ||
			!selects(filter.GetLabelSelector(), c.record.Labels) {
			continue
		}
		stats, _ := c.stats()
		all = append(all, stats)
	}
	return all, nil
}

// PodSandboxStats measures the running containers of one pod.
func (p *pods) PodSandboxStats(_ context.Context, id string) (*cri.PodSandboxStats, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sandboxes[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "sandbox %s does not exist", id)
	}
	return p.sandboxStats(s), nil
}

// ListPodSandboxStats measures the pods that match the filter.
func (p *pods) ListPodSandboxStats(_ context.Context, filter *cri.PodSandboxStatsFilter) ([]*cri.PodSandboxStats, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*cri.PodSandboxStats
	for _, s := range p.sandboxes {
		if filter.GetId() != "" && filter.GetId() != s.record.ID || !selects(filter.GetLabelSelector(), s.record.Labels) {
			continue
		}
		all = append(all, p.sandboxStats(s))
	}
	return all, nil
}

func (p *pods) sandboxStats(s *sandbox) *cri.PodSandboxStats {
	sum := usage{at: time.Now()}
	linux := &cri.LinuxPodSandboxStats{}
	var processes uint64
	for _, c := range p.containers {
		if c.record.SandboxID != s.record.ID || c.record.State != stateRunning {
			continue
		}
		stats, used := c.stats()
		linux.Containers = append(linux.Containers, stats)
		sum.cpu += used.cpu
		sum.resident += used.resident
		if p, _ := c.execution.(*process); p != nil {
			processes++
		}
	}
	linux.Cpu, linux.Memory = sum.cpuStats(), sum.memoryStats()
	linux.Process = &cri.ProcessUsage{Timestamp: sum.at.UnixNano(), ProcessCount: number(processes)}
	return &cri.PodSandboxStats{
		Attributes: &cri.PodSandboxAttributes{Id: s.record.ID, Metadata: s.metadata(), Labels: s.record.Labels, Annotations: s.record.Annotations},
		Linux:      linux,
	}
}

func (c *container) stats() (*cri.ContainerStats, usage) {
	p, _ := c.execution.(*process)
	used := measure(p)
	if c.record.Simulated {
		used = c.record.Usage.since(c.record.StartedAt)
	}
	return &cri.ContainerStats{
		Attributes: &cri.ContainerAttributes{Id: c.record.ID, Metadata: c.metadata(), Labels: c.record.Labels, Annotations: c.record.Annotations},
		Cpu:        used.cpuStats(), Memory: used.memoryStats(),
		WritableLayer: &cri.FilesystemUsage{
			Timestamp: used.at.UnixNano(), FsId: &cri.FilesystemIdentifier{Mountpoint: c.dir}, UsedBytes: number(0), InodesUsed: number(0),
		},
	}, used
}
