package groups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Group is a control group with the controllers that this process may use. Its zero value limits nothing.
type Group struct {
	// Version is that of the control groups: 1 or 2.
	Version int `json:"version"`
	// Memory, CPU and Processes are the directories of the group by controller, empty for a controller that cannot be used. In version 2 they are one
	// directory.
	Memory    string `json:"memory,omitempty"`
	CPU       string `json:"cpu,omitempty"`
	Processes string `json:"processes,omitempty"`
}

// Exists reports whether this is a group: one that limits memory at least.
func (g Group) Exists() bool { return g.Memory != "" }

// Unlimited names what the group cannot limit.
func (g Group) Unlimited() (what []string) {
	for name, dir := range map[string]string{"memory": g.Memory, "processor": g.CPU, "processes": g.Processes} {
		if dir == "" {
			what = append(what, name)
		}
	}
	slices.Sort(what)
	return what
}

// dirs are the directories of the group.
func (g Group) dirs() []string {
	all := slices.DeleteFunc([]string{g.Memory, g.CPU, g.Processes}, func(dir string) bool { return dir == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

// child is a group in this one, which may not exist.
func (g Group) child(name string) Group {
	in := func(dir string) string {
		if dir == "" {
			return ""
		}
		return filepath.Join(dir, name)
	}
	return Group{Version: g.Version, Memory: in(g.Memory), CPU: in(g.CPU), Processes: in(g.Processes)}
}

// Make makes a group in this one, unless it exists, and limits it. The name must be that of a file. The zero value makes its zero value.
func (g Group) Make(name string, limits Limits) (Group, error) {
	if !g.Exists() {
		return g, nil
	}
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return Group{}, fmt.Errorf("make control group: %q is no name of a file", name)
	}
	if err := g.passOn(); err != nil {
		return Group{}, err
	}
	made := g.child(name)
	for _, dir := range made.dirs() {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return Group{}, errors.Join(fmt.Errorf("make control group: %w", err), made.Remove())
		}
	}
	if err := made.Limit(limits); err != nil {
		return Group{}, errors.Join(err, made.Remove())
	}
	return made, nil
}

// passOn lets groups in this one have its controllers, which version 2 needs. A group that passes on controllers has no processes of its own.
func (g Group) passOn() error {
	if g.Version != 2 {
		return nil
	}
	for controller, dir := range map[string]string{"memory": g.Memory, "cpu": g.CPU, "pids": g.Processes} {
		if dir == "" {
			continue
		}
		if err := write(dir, file{"cgroup.subtree_control", "+" + controller}); err != nil {
			return err
		}
	}
	return nil
}

// Limit replaces the limits of the group.
func (g Group) Limit(limits Limits) error {
	if g.Memory != "" {
		needed, optional := limits.memoryFiles(g.Version)
		all := append(slices.Clone(needed), optional...)
		for range 2 { // the first time fails if the other limit has to change first
			for _, f := range all {
				_ = write(g.Memory, f)
			}
		}
		for _, f := range needed {
			if err := write(g.Memory, f); err != nil {
				return err
			}
		}
	}
	if g.CPU != "" {
		for _, f := range limits.cpuFiles(g.Version) {
			if err := write(g.CPU, f); err != nil {
				return err
			}
		}
	}
	if g.Processes != "" {
		for _, f := range limits.processFiles() {
			if err := write(g.Processes, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// EndTogether makes the kernel end all processes of the group if it ends one for want of memory, in version 2. The group must have the
// processes of one pod only. In version 1 the caller has to end the others.
func (g Group) EndTogether() error {
	if g.Version != 2 || !g.Exists() {
		return nil
	}
	return write(g.Memory, file{"memory.oom.group", "1"})
}

// write sets a file that the kernel has made. It makes none.
func write(dir string, f file) error {
	opened, err := os.OpenFile(filepath.Join(dir, f.name), os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = opened.WriteString(f.value)
		err = errors.Join(err, opened.Close())
	}
	if err != nil {
		return fmt.Errorf("limit control group to %s: %w", f.value, err)
	}
	return nil
}

// Doors are files by which a process enters the group: one that writes 0 to each of them. They belong to the caller.
func (g Group) Doors() ([]*os.File, error) {
	var doors []*os.File
	for _, dir := range g.dirs() {
		door, err := os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			for _, opened := range doors {
				_ = opened.Close()
			}
			return nil, fmt.Errorf("open control group: %w", err)
		}
		doors = append(doors, door)
	}
	return doors, nil
}

// Killed returns how many processes of this very group, without those in groups in it, the kernel has ended for want of memory.
func (g Group) Killed() int {
	if !g.Exists() {
		return 0
	}
	name := "memory.events.local"
	if g.Version == 1 {
		name = "memory.oom_control"
	}
	text, err := os.ReadFile(filepath.Join(g.Memory, name))
	if errors.Is(err, fs.ErrNotExist) && g.Version == 2 { // before Linux 5.2
		text, _ = os.ReadFile(filepath.Join(g.Memory, "memory.events"))
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key == "oom_kill" {
			n, _ := strconv.Atoi(value)
			return n
		}
	}
	return 0
}

// Times to wait until the kernel has noticed that all processes of a group have ended.
const (
	removePeriod  = 5 * time.Millisecond
	removeTimeout = 2 * time.Second
)

// Remove removes the group and all groups in it. Their processes must be ending. It is no error if the group does not exist.
func (g Group) Remove() error {
	deadline := time.Now().Add(removeTimeout)
	for {
		var errs []error
		for _, dir := range g.dirs() {
			errs = append(errs, removeTree(dir))
		}
		err := errors.Join(errs...)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(removePeriod)
	}
}

// Tidy removes the groups in this one that have no processes.
func (g Group) Tidy() {
	for _, dir := range g.dirs() {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if entry.IsDir() {
				_ = removeTree(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// RemoveIfEmpty removes the group unless there are groups or processes in it.
func (g Group) RemoveIfEmpty() {
	for _, dir := range g.dirs() {
		_ = os.Remove(dir)
	}
}

// removeTree removes directories only: the files of a group go with it.
func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove control group: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		if entry.IsDir() {
			errs = append(errs, removeTree(filepath.Join(dir, entry.Name())))
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, fmt.Errorf("remove control group: %w", err))
	}
	return errors.Join(errs...)
}
