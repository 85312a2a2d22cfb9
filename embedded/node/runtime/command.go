package runtime

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// binaryName is the name of this binary in the appliance image.
const binaryName = "gardener"

func isBinary(name string) bool { return name == "/"+binaryName || name == binaryName }

// commandLine is the command line of a container. The image contains one file, so a command can only name that file.
func commandLine(command, args []string) ([]string, error) {
	if len(command) == 0 {
		return slices.Concat([]string{binaryName}, args), nil
	}
	if !isBinary(command[0]) {
		return nil, fmt.Errorf("exec %q: the appliance image holds only /%s", command[0], binaryName)
	}
	return slices.Concat([]string{binaryName}, command[1:], args), nil
}

// placed replaces the values of flags that are paths in volumes of the container. The process has the file system of the machine,
// where these paths would be others. Relative paths need no change, since the process works in the container's directory.
func placed(argv []string, rootfs string, mounts []volumeMount) []string {
	out := slices.Clone(argv)
	for i, arg := range out {
		flag, path, found := strings.Cut(arg, "=")
		inVolume := func(mount volumeMount) bool {
			at := strings.TrimSuffix(mount.ContainerPath, "/")
			return path == at || strings.HasPrefix(path, at+"/")
		}
		if found && strings.HasPrefix(flag, "--") && filepath.IsAbs(path) && slices.ContainsFunc(mounts, inVolume) {
			out[i] = flag + "=" + filepath.Join(rootfs, filepath.Clean(path))
		}
	}
	return out
}

// command prepares a process of the binary of the container's image, in the container's directory and environment.
func (c *Config) command(of *container, argv []string) (*exec.Cmd, error) {
	dir := filepath.Join(of.rootfs(), filepath.Clean("/"+of.record.WorkingDir))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create working directory: %w", err)
	}
	file, kept := c.Kept(of.record.Image)
	if !kept {
		file = c.Executable
	}
	return &exec.Cmd{Path: file, Args: argv, Dir: dir, Env: c.environment(of)}, nil
}

// environment joins the variables, later ones winning: folders in the container, variables passed on from this
// process, the container's variables, and the node's variables.
func (c *Config) environment(of *container) []string {
	values := map[string]string{
		"PATH":   filepath.Join(of.rootfs(), "bin"),
		"HOME":   filepath.Join(of.rootfs(), "root"),
		"TMPDIR": filepath.Join(of.rootfs(), "tmp"),
	}
	for _, name := range c.PassEnv {
		if value, ok := os.LookupEnv(name); ok {
			values[name] = value
		}
	}
	for _, env := range of.record.Env {
		values[env.Name] = env.Value
	}
	for name, value := range c.Env {
		values[name] = value
	}
	environment := make([]string, 0, len(values))
	for name, value := range values {
		environment = append(environment, name+"="+value)
	}
	slices.SortFunc(environment, strings.Compare)
	return environment
}
