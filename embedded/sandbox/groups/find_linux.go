package groups

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNone says that this process may make no control group that limits memory.
var ErrNone = errors.New("no control group that limits memory can be made")

// Make makes the group of that name, in the group of this process or in the nearest one above where that is possible. It
// can be repeated. The error wraps ErrNone and says why not.
func Make(name string) (Group, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return Group{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Group{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	made, err := makeIn(hierarchies(string(own), string(mounts)), name)
	if err != nil {
		return Group{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return made, nil
}

// hierarchy is a tree of control groups and the place of this process in it.
type hierarchy struct {
	version     int
	controllers []string // of version 1
	top         string   // where it is mounted
	own         string   // directory of this process's group, top or below
}

// hierarchies joins /proc/self/cgroup and /proc/self/mountinfo. It leaves out hierarchies in which the group of this process is not visible.
func hierarchies(own, mounts string) (all []hierarchy) {
	for line := range strings.Lines(mounts) {
		// ID, parent, device, root, mount point, options, optional fields, "-", type, source, super options
		before, after, found := strings.Cut(strings.TrimSpace(line), " - ")
		fields, last := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(last) < 3 {
			continue
		}
		h := hierarchy{top: unescape(fields[4])}
		switch last[0] {
		case "cgroup2":
			h.version = 2
		case "cgroup":
			h.version, h.controllers = 1, strings.Split(last[2], ",")
		default:
			continue
		}
		path, found := pathOf(own, h)
		if !found {
			continue
		}
		below, err := filepath.Rel(unescape(fields[3]), path)
		if err != nil || below == ".." || strings.HasPrefix(below, "../") {
			continue
		}
		h.own = filepath.Join(h.top, below)
		all = append(all, h)
	}
	return all
}

// pathOf is the path of this process's group in a hierarchy, from lines such as 4:memory:/user and 0::/user.
func pathOf(own string, h hierarchy) (string, bool) {
	for line := range strings.Lines(own) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 {
			continue
		}
		controllers := strings.Split(fields[1], ",")
		if h.version == 2 && fields[0] == "0" || h.version == 1 && fields[1] != "" && slices.ContainsFunc(controllers, func(c string) bool { return slices.Contains(h.controllers, c) }) {
			return fields[2], true
		}
	}
	return "", false
}

// unescape replaces the octal numbers by which mountinfo writes blanks.
func unescape(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// makeIn prefers version 2, where it has the controller for memory.
func makeIn(all []hierarchy, name string) (Group, error) {
	why := errors.New("this machine mounts no control groups")
	for _, h := range all {
		if h.version != 2 || !slices.Contains(words(h.own, "cgroup.controllers"), "memory") && !slices.Contains(words(h.top, "cgroup.controllers"), "memory") {
			continue
		}
		made, err := h.make2(name)
		if err == nil {
			return made, nil
		}
		why = err
	}
	g := Group{Version: 1}
	for controller, dir := range map[string]*string{"memory": &g.Memory, "cpu": &g.CPU, "pids": &g.Processes} {
		for _, h := range all {
			if h.version != 1 || !slices.Contains(h.controllers, controller) {
				continue
			}
			made, err := h.make1(name)
			if err != nil && controller == "memory" {
				why = err
			}
			*dir = made
		}
	}
	if g.Exists() {
		return g, nil
	}
	g.RemoveIfEmpty()
	return Group{}, why
}

// make1 makes a group in that of this process: version 1 lets a group have processes and groups.
func (h hierarchy) make1(name string) (string, error) {
	dir := filepath.Join(h.own, name)
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	_ = write(dir, file{"memory.use_hierarchy", "1"}) // always so since Linux 5.11
	return dir, nil
}

// make2 looks for the nearest group in which it can make one. A group that has processes passes on no controllers, unless it is the first of all.
func (h hierarchy) make2(name string) (Group, error) {
	var why []error
	for dir := h.own; ; dir = filepath.Dir(dir) {
		made, err := makeBelow(dir, name)
		if err == nil {
			return made, nil
		}
		why = append(why, err)
		if dir == h.top || len(dir) <= 1 {
			return Group{}, errors.Join(why...)
		}
	}
}

func makeBelow(dir, name string) (Group, error) {
	// A process that enters a group must be allowed to write to the lists of the group and of the one that holds its former group, too.
	if err := unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK); err != nil {
		return Group{}, &os.PathError{Op: "write", Path: filepath.Join(dir, "cgroup.procs"), Err: err}
	}
	in, has := Group{Version: 2, Memory: dir}, words(dir, "cgroup.controllers")
	if !slices.Contains(has, "memory") {
		return Group{}, fmt.Errorf("%s has no controller for memory", dir)
	}
	if err := in.passOn(); err != nil {
		return Group{}, err
	}
	for controller, field := range map[string]*string{"cpu": &in.CPU, "pids": &in.Processes} {
		if !slices.Contains(has, controller) {
			continue
		}
		*field = dir
		if err := in.passOn(); err != nil {
			*field = ""
		}
	}
	made := in.child(name)
	if err := os.Mkdir(made.Memory, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return Group{}, err
	}
	return made, nil
}

// words are those in a file of a group.
func words(dir, name string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.Fields(string(text))
}
