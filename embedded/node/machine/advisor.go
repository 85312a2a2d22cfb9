package machine

import (
	"context"
	"fmt"
	"time"

	advisor "github.com/google/cadvisor/info/v1"
	advisor2 "github.com/google/cadvisor/info/v2"
	"golang.org/x/sys/unix"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
)

// Advisor describes the machine to the kubelet. It runs nothing in the background.
type Advisor struct {
	name string
	dir  string
}

var _ cadvisor.Interface = (*Advisor)(nil)

// NewAdvisor returns the machine under the node's name. dir is in the file system whose space is reported.
func NewAdvisor(name, dir string) *Advisor { return &Advisor{name: name, dir: dir} }

// Start has nothing to do.
func (a *Advisor) Start() error { return nil }

// MachineInfo returns cores, memory and identities. System UUID and machine ID are the node's name, since several
// nodes share a machine.
func (a *Advisor) MachineInfo() (*advisor.MachineInfo, error) {
	total, _ := memory()
	return &advisor.MachineInfo{
		NumCores: cores(), NumPhysicalCores: cores(), MemoryCapacity: total,
		MachineID: a.name, SystemUUID: a.name, BootID: firstLine("/proc/sys/kernel/random/boot_id"),
	}, nil
}

// VersionInfo returns kernel and distribution.
func (a *Advisor) VersionInfo() (*advisor.VersionInfo, error) {
	return &advisor.VersionInfo{KernelVersion: kernel(), ContainerOsVersion: osImage()}, nil
}

// ContainerInfoV2 only knows the machine as a whole, "/".
func (a *Advisor) ContainerInfoV2(name string, _ advisor2.RequestOptions) (map[string]advisor2.ContainerInfo, error) {
	if name != "/" {
		return nil, fmt.Errorf("no figures of cgroup %q: cgroups are not used", name)
	}
	total, available := memory()
	cpu := &advisor.CpuStats{}
	cpu.Usage.Total = uint64(busy())
	return map[string]advisor2.ContainerInfo{name: {
		Spec: advisor2.ContainerSpec{HasCpu: true, HasMemory: true, Memory: advisor2.MemorySpec{Limit: total}},
		Stats: []*advisor2.ContainerStats{{
			Timestamp: time.Now(), Cpu: cpu,
			Memory: &advisor.MemoryStats{Usage: total - available, WorkingSet: total - available, RSS: total - available},
		}},
	}}, nil
}

// GetRequestedContainersInfo returns no containers.
func (a *Advisor) GetRequestedContainersInfo(string, advisor2.RequestOptions) (map[string]*advisor.ContainerInfo, error) {
	return nil, nil
}

// RootFsInfo describes the file system of the node's directory.
func (a *Advisor) RootFsInfo() (advisor2.FsInfo, error) { return a.GetDirFsInfo(a.dir) }

// ImagesFsInfo is RootFsInfo.
func (a *Advisor) ImagesFsInfo(context.Context) (advisor2.FsInfo, error) { return a.RootFsInfo() }

// ContainerFsInfo is RootFsInfo.
func (a *Advisor) ContainerFsInfo(context.Context) (advisor2.FsInfo, error) { return a.RootFsInfo() }

// GetDirFsInfo describes the file system that holds path.
func (a *Advisor) GetDirFsInfo(path string) (advisor2.FsInfo, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return advisor2.FsInfo{}, fmt.Errorf("read file system of %s: %w", path, err)
	}
	size := uint64(fs.Bsize)
	return advisor2.FsInfo{
		Timestamp: time.Now(), Mountpoint: path, Capacity: fs.Blocks * size, Available: fs.Bavail * size, Usage: (fs.Blocks - fs.Bfree) * size,
		Inodes: new(fs.Files), InodesFree: new(fs.Ffree),
	}, nil
}
