// Command runtime is the OCI runtime of the Docker daemon that hack/kind/docker.sh starts: runc, for hosts that lack
// capabilities. runc refuses to start a container that requests a capability outside the bounding set of the host
// ("unable to apply caps: operation not permitted"), and every privileged container does. This program removes such
// capabilities from config.json of the bundle and from the process file of an exec. It also removes limits that only
// CAP_SYS_RESOURCE could raise. Then it executes runc. On a host that has all capabilities it changes nothing.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// procStatus is the file with the bounding set of this process.
const procStatus = "/proc/self/status"

func main() {
	if err := run(os.Args[1:], os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, "runtime:", err)
		os.Exit(1)
	}
}

// run edits the files that the arguments name and replaces this process by runc; it returns only on failure.
func run(args, env []string) error {
	status, err := os.ReadFile(procStatus)
	if err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	missing, err := missingCapabilities(string(status))
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := restrictFiles(args, missing); err != nil {
			return err
		}
	}
	runc, err := lookupRunc()
	if err != nil {
		return err
	}
	return fmt.Errorf("execute %s: %w", runc, syscall.Exec(runc, append([]string{"runc"}, args...), env))
}

// restrictFiles edits the files of a create, run or exec; other commands have none.
func restrictFiles(args []string, missing map[string]bool) error {
	switch command(args) {
	case "create", "run", "restore":
		if bundle := option(args, "--bundle", "-b"); bundle != "" {
			return restrictFile(bundle+"/config.json", missing)
		}
	case "exec":
		if process := option(args, "--process", "-p"); process != "" {
			return restrictFile(process, missing)
		}
	}
	return nil
}

// command returns the subcommand of runc: the first argument that is one of those with files to edit.
func command(args []string) string {
	for _, arg := range args {
		switch arg {
		case "create", "run", "restore", "exec":
			return arg
		case "--": // what follows belongs to the container
			return ""
		}
	}
	return ""
}

// option returns the value of a flag given as "--name value" or "--name=value", or "".
func option(args []string, names ...string) string {
	for i, arg := range args {
		for _, name := range names {
			if arg == name && i+1 < len(args) {
				return args[i+1]
			}
			if value, ok := strings.CutPrefix(arg, name+"="); ok {
				return value
			}
		}
	}
	return ""
}

// lookupRunc also finds runc if the PATH of the daemon leaves out the sbin directories.
func lookupRunc() (string, error) {
	if path, err := exec.LookPath("runc"); err == nil {
		return path, nil
	}
	for _, path := range []string{"/usr/sbin/runc", "/usr/local/sbin/runc", "/usr/bin/runc", "/usr/local/bin/runc"} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("find runc: %w", exec.ErrNotFound)
}
