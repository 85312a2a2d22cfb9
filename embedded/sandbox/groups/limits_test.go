package groups

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOfSandbox(t *testing.T) {
	for name, tc := range map[string]struct{ of, want Limits }{
		"no limit stays none": {},
		"memory has the sandbox's in addition": {
			Limits{Memory: 100 << 20, Containers: 2}, Limits{Memory: 164 << 20, Containers: 2},
		},
		"a sandbox takes several tasks for a thread": {Limits{Processes: 100}, Limits{Processes: 800}},
		"no sum overflows": {
			Limits{Memory: math.MaxInt64, Processes: math.MaxInt64}, Limits{Memory: math.MaxInt64, Processes: mostProcesses},
		},
		"a third of the most processes is more than all with the overhead": {
			Limits{Processes: mostProcesses / tasksOfThread}, Limits{Processes: mostProcesses},
		},
		"a negative number of processes is no limit, as for the kubelet": {Limits{Processes: -1}, Limits{}},
		"the processor has no overhead":                                  {Limits{CPUQuota: 5, CPUPeriod: 10, CPUShares: 2}, Limits{CPUQuota: 5, CPUPeriod: 10, CPUShares: 2}},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.of.OfSandbox()); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	some := Limits{Memory: 1000, CPUQuota: 50000, CPUPeriod: 100000, CPUShares: 1024, Processes: 10}
	for name, tc := range map[string]struct {
		version int
		limits  Limits
		want    map[string]string
	}{
		"version 1": {1, some, map[string]string{
			"memory.limit_in_bytes": "1000", "memory.memsw.limit_in_bytes": "1000", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000", "cpu.shares": "1024", "pids.max": "10",
		}},
		"version 1 without limits": {1, Limits{}, map[string]string{
			"memory.limit_in_bytes": "-1", "memory.memsw.limit_in_bytes": "-1", "cpu.cfs_quota_us": "-1", "pids.max": "max",
		}},
		"version 2": {2, some, map[string]string{
			"memory.max": "1000", "memory.swap.max": "0", "cpu.max": "50000 100000", "cpu.weight": "39", "pids.max": "10",
		}},
		"version 2 without limits": {2, Limits{}, map[string]string{
			"memory.max": "max", "memory.swap.max": "max", "cpu.max": "max", "pids.max": "max",
		}},
		"more processes than the kernel takes": {2, Limits{Processes: math.MaxInt64}, map[string]string{
			"memory.max": "max", "memory.swap.max": "max", "cpu.max": "max", "pids.max": "max",
		}},
		"the least shares": {2, Limits{CPUShares: 2}, map[string]string{
			"memory.max": "max", "memory.swap.max": "max", "cpu.max": "max", "cpu.weight": "1", "pids.max": "max",
		}},
	} {
		t.Run("APP-11 "+name, func(t *testing.T) {
			needed, optional := tc.limits.memoryFiles(tc.version)
			got := map[string]string{}
			for _, files := range [][]file{needed, optional, tc.limits.cpuFiles(tc.version), tc.limits.processFiles()} {
				for _, f := range files {
					got[f.name] = f.value
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
