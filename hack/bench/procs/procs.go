// Package procs measures memory and processor time of groups of processes from /proc. It works on Linux only and does
// not affect the processes.
package procs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Memory of processes, in bytes.
type Memory struct {
	// RSS counts a page once for every process that maps it.
	RSS int64
	// PSS divides a page among all processes that map it, so that sums are right.
	PSS int64
}

// MemoryOf returns the total memory of processes. It ignores those that have ended, but one of them must be running.
func MemoryOf(pids []int) (Memory, error) {
	var sum Memory
	there := 0
	for _, pid := range pids {
		text, err := read(pid, "smaps_rollup")
		if gone(err) {
			continue
		}
		if err != nil {
			return sum, err
		}
		m, err := parseRollup(text)
		if err != nil {
			return sum, fmt.Errorf("process %d: %w", pid, err)
		}
		sum.RSS, sum.PSS = sum.RSS+m.RSS, sum.PSS+m.PSS
		there++
	}
	if there == 0 {
		return sum, errors.New("measure memory: no process is there")
	}
	return sum, nil
}

// CPU observes the processes for a while and returns their share of one core in percent. It calls list at the beginning
// and at the end. A process that starts in between counts with all its processor time, one that ends in between does
// not count.
func CPU(ctx context.Context, window time.Duration, list func() []int) (float64, error) {
	before, err := snapshot(list())
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	select {
	case <-time.After(window):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := snapshot(list())
	if err != nil {
		return 0, err
	}
	return percent(before, after, time.Since(begin)), nil
}

// Used is the total processor time of processes since their start. It ignores those that have ended.
func Used(pids []int) (time.Duration, error) {
	all, err := snapshot(pids)
	var sum time.Duration
	for _, used := range all {
		sum += used
	}
	return sum, err
}

// process identifies a process permanently, since process IDs are reused.
type process struct {
	pid     int
	started uint64
}

func snapshot(pids []int) (map[process]time.Duration, error) {
	used := map[process]time.Duration{}
	for _, pid := range pids {
		text, err := read(pid, "stat")
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t, err := parseStat(text)
		if err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		used[process{pid, t.started}] = t.cpu
	}
	if len(used) == 0 {
		return nil, errors.New("measure processor time: no process is there")
	}
	return used, nil
}

func percent(before, after map[process]time.Duration, window time.Duration) float64 {
	var used time.Duration
	for p, cpu := range after {
		used += cpu - before[p]
	}
	return 100 * used.Seconds() / window.Seconds()
}

func read(pid int, file string) (string, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), file))
	return string(text), err
}

// gone reports whether the process has ended, before or while it was read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }
