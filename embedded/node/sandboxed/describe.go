package sandboxed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// usualCapabilities are those that container runtimes give to containers, from moby's and containerd's defaults.
var usualCapabilities = []string{
	"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW",
	"SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
}

// allCapabilities are those that a privileged container gets in addition. They are rights over gVisor's kernel, not over the
// machine's.
var allCapabilities = []string{
	"AUDIT_CONTROL", "AUDIT_READ", "BLOCK_SUSPEND", "DAC_READ_SEARCH", "IPC_LOCK", "IPC_OWNER", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE",
	"NET_ADMIN", "NET_BROADCAST", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE",
	"SYS_TIME", "SYS_TTY_CONFIG", "SYSLOG", "WAKE_ALARM",
}

// usualPath is the search path of containers whose image has none.
const usualPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// describe translates the kubelet's request for a container.
func describe(id string, config *cri.ContainerConfig, image imagestore.Image) (pod.Container, error) {
	context := config.GetLinux().GetSecurityContext()
	args, err := commandLine(config, image)
	if err != nil {
		return pod.Container{}, err
	}
	user, err := userOf(context, image)
	if err != nil {
		return pod.Container{}, err
	}
	dir := config.GetWorkingDir()
	if dir == "" {
		dir = image.Config.WorkingDir
	}
	if dir == "" {
		dir = "/"
	}
	c := pod.Container{
		ID: id, Name: config.GetMetadata().GetName(), Image: image.Rootfs, ReadOnly: context.GetReadonlyRootfs(),
		Args: args, Env: variables(config, image), Dir: dir, User: user,
		Capabilities: capabilities(context), NoNewPrivileges: context.GetNoNewPrivs(),
	}
	for _, mount := range config.GetMounts() {
		c.Mounts = append(c.Mounts, pod.Mount{ContainerPath: mount.GetContainerPath(), HostPath: mount.GetHostPath(), ReadOnly: mount.GetReadonly()})
	}
	// A mount must come after those that contain it.
	slices.SortStableFunc(c.Mounts, func(a, b pod.Mount) int {
		return strings.Count(a.ContainerPath, "/") - strings.Count(b.ContainerPath, "/")
	})
	return c, nil
}

// commandLine follows the rule of Kubernetes: a command replaces the image's entry point and its arguments, arguments
// replace its arguments.
func commandLine(config *cri.ContainerConfig, image imagestore.Image) ([]string, error) {
	command, args := config.GetCommand(), config.GetArgs()
	if len(command) == 0 {
		command = image.Config.Entrypoint
		if len(args) == 0 {
			args = image.Config.Cmd
		}
	}
	line := slices.Concat(command, args)
	if len(line) == 0 {
		return nil, errors.New("neither the pod nor the image names a command")
	}
	return line, nil
}

// variables joins those of the image and of the pod, the latter winning.
func variables(config *cri.ContainerConfig, image imagestore.Image) []string {
	all := append([]string{usualPath}, image.Config.Env...)
	for _, env := range config.GetEnvs() {
		all = append(all, env.GetKey()+"="+string(env.GetValue()))
	}
	last := map[string]string{}
	var names []string
	for _, variable := range all {
		name, value, _ := strings.Cut(variable, "=")
		if _, seen := last[name]; !seen {
			names = append(names, name)
		}
		last[name] = value
	}
	list := make([]string, 0, len(names))
	for _, name := range names {
		list = append(list, name+"="+last[name])
	}
	return list
}

// userOf is the user of the pod, or else that of the image.
func userOf(context *cri.LinuxContainerSecurityContext, image imagestore.Image) (specs.User, error) {
	name := image.Config.User
	if context.GetRunAsUsername() != "" {
		name = context.GetRunAsUsername()
	}
	if context.GetRunAsUser() != nil {
		name = fmt.Sprint(context.GetRunAsUser().GetValue())
	}
	found, err := image.User(name)
	if err != nil {
		return specs.User{}, err
	}
	user := specs.User{UID: found.ID, GID: found.Group, AdditionalGids: found.Groups}
	if context.GetRunAsGroup() != nil {
		user.GID = uint32(context.GetRunAsGroup().GetValue())
	}
	if context.GetSupplementalGroupsPolicy() == cri.SupplementalGroupsPolicy_Strict {
		user.AdditionalGids = nil
	}
	for _, group := range context.GetSupplementalGroups() {
		user.AdditionalGids = append(user.AdditionalGids, uint32(group))
	}
	return user, nil
}

// capabilities starts from the usual ones. "ALL" adds or drops all.
func capabilities(context *cri.LinuxContainerSecurityContext) []string {
	everything := slices.Concat(usualCapabilities, allCapabilities)
	chosen := map[string]bool{}
	set := func(names []string, value bool) {
		for _, name := range names {
			chosen[strings.TrimPrefix(strings.ToUpper(name), "CAP_")] = value
		}
	}
	set(usualCapabilities, true)
	if context.GetPrivileged() {
		set(everything, true)
	}
	asked := context.GetCapabilities()
	if slices.Contains(asked.GetAddCapabilities(), "ALL") {
		set(everything, true)
	}
	if slices.Contains(asked.GetDropCapabilities(), "ALL") {
		set(everything, false)
	}
	set(asked.GetDropCapabilities(), false)
	set(asked.GetAddCapabilities(), true)
	var list []string
	for _, name := range everything {
		if chosen[name] {
			list = append(list, "CAP_"+name)
		}
	}
	return list
}

// writeResolvConf writes the resolver's configuration of a pod and returns the file; it is empty if the pod has none.
func writeResolvConf(sandbox Sandbox) (string, error) {
	dns := sandbox.Config.GetDnsConfig()
	if dns == nil {
		return "", nil
	}
	var text strings.Builder
	for _, server := range dns.GetServers() {
		fmt.Fprintf(&text, "nameserver %s\n", server)
	}
	if len(dns.GetSearches()) > 0 {
		fmt.Fprintf(&text, "search %s\n", strings.Join(dns.GetSearches(), " "))
	}
	if len(dns.GetOptions()) > 0 {
		fmt.Fprintf(&text, "options %s\n", strings.Join(dns.GetOptions(), " "))
	}
	file := filepath.Join(sandbox.Dir, "resolv.conf")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return "", fmt.Errorf("write resolv.conf: %w", err)
	}
	return filepath.EvalSymlinks(file)
}
