package groups

import (
	"math"
	"strconv"
)

// Limits are those of a group. A field of zero is no limit.
type Limits struct {
	// Memory is in bytes.
	Memory int64
	// CPUQuota is how many microseconds of processor time the group gets in each CPUPeriod, also in microseconds.
	CPUQuota, CPUPeriod int64
	// CPUShares is the share of the group where processors are short, from 2 to 262144, relative to its neighbours. 1024 stands for one processor.
	CPUShares uint64
	// Processes is how many processes and threads there may be.
	Processes int64
	// Containers is how many containers share the limits. It only counts for OfSandbox.
	Containers int
}

// Overhead of a sandbox, which its limits get in addition: agents, gVisor's kernel, and a file server and a command for each container. A sandbox takes some 20 MiB,
// and 10 MiB for each container, and 30 and 15 threads on two processors. The constants leave room for a few commands that are executed in containers.
const (
	memoryOverhead, memoryOfContainer = 40 << 20, 12 << 20
	processesOverhead                 = 500
)

// tasksOfThread is how many tasks of the machine stand for a thread of a program at most. For a process with t threads gVisor takes up to 2+t tasks, if there are that many
// processors, and fewer otherwise. So a pod gets as many processes as Kubernetes allows, and up to half as many more.
const tasksOfThread = 3

// mostProcesses is the largest number that the kernel takes as a limit of processes: PID_MAX_LIMIT of 64-bit systems.
const mostProcesses = 4 << 20

// OfSandbox are the limits of a group with a sandbox whose containers together have these limits.
func (l Limits) OfSandbox() Limits {
	if l.Memory > 0 {
		l.Memory = plus(l.Memory, memoryOverhead+memoryOfContainer*int64(l.Containers), math.MaxInt64)
	}
	switch {
	case l.Processes <= 0:
		l.Processes = 0
	case l.Processes > mostProcesses/tasksOfThread:
		l.Processes = mostProcesses
	default:
		l.Processes = plus(l.Processes*tasksOfThread, processesOverhead, mostProcesses)
	}
	return l
}

// plus is the sum, or the most if that is less.
func plus(limit, more, most int64) int64 {
	if limit > most-more {
		return most
	}
	return limit + more
}

// file is a file of a group and what it gets.
type file struct{ name, value string }

// unlimited is how groups of version 2, and limits of processes, name no limit.
const unlimited = "max"

// memory of version 1 limits memory with what is swapped, too, where the kernel counts that. A limit cannot be above the one with swap, so the order depends on
// which way they change.
func (l Limits) memoryFiles(version int) (files, optional []file) {
	if version == 1 {
		value := "-1"
		if l.Memory > 0 {
			value = strconv.FormatInt(l.Memory, 10)
		}
		return []file{{"memory.limit_in_bytes", value}}, []file{{"memory.memsw.limit_in_bytes", value}}
	}
	value, swap := unlimited, unlimited
	if l.Memory > 0 {
		value, swap = strconv.FormatInt(l.Memory, 10), "0"
	}
	return []file{{"memory.max", value}}, []file{{"memory.swap.max", swap}}
}

func (l Limits) cpuFiles(version int) []file {
	limited := l.CPUQuota > 0 && l.CPUPeriod > 0
	var files []file
	if version == 1 {
		quota := "-1"
		if limited {
			quota = strconv.FormatInt(l.CPUQuota, 10)
			files = append(files, file{"cpu.cfs_period_us", strconv.FormatInt(l.CPUPeriod, 10)})
		}
		files = append(files, file{"cpu.cfs_quota_us", quota})
		if l.CPUShares > 0 {
			files = append(files, file{"cpu.shares", strconv.FormatUint(l.CPUShares, 10)})
		}
		return files
	}
	most := unlimited
	if limited {
		most = strconv.FormatInt(l.CPUQuota, 10) + " " + strconv.FormatInt(l.CPUPeriod, 10)
	}
	files = append(files, file{"cpu.max", most})
	if l.CPUShares > 0 {
		files = append(files, file{"cpu.weight", strconv.FormatUint(weight(l.CPUShares), 10)})
	}
	return files
}

// weight turns shares of version 1, from 2 to 262144, into a weight of version 2, from 1 to 10000, as Kubernetes did for years.
func weight(shares uint64) uint64 {
	shares = min(max(shares, 2), 262144)
	return 1 + (shares-2)*9999/262142
}

func (l Limits) processFiles() []file {
	if l.Processes <= 0 || l.Processes >= mostProcesses {
		return []file{{"pids.max", unlimited}}
	}
	return []file{{"pids.max", strconv.FormatInt(l.Processes, 10)}}
}
