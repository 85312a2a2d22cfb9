package operatingsystemconfig

import (
	"slices"

	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
)

// Types of OperatingSystemConfigs that are rendered: the provider's own, which adds nothing, and operating systems.
func Types() []string { return []string{api.Type, ubuntu, coreos, suse} }

const (
	ubuntu = "ubuntu"
	coreos = "coreos"
	suse   = "suse-chost"

	unitContainerd = "containerd.service"
	// dropIn is the name of the drop-ins for services of the operating system.
	dropIn = "40-exec_config.conf"
	// runtimes is the directory of further container runtimes on every system.
	runtimes = "/var/bin/containerruntimes"
	config   = "/etc/containerd/config.toml"
)

// system is what an operating system needs for containerd in addition to what all systems need.
type system struct {
	units []extensionsv1alpha1.Unit
	files []extensionsv1alpha1.File
}

// systemOf returns where the programs of an operating system are, and what has to be added or removed.
func systemOf(osType string) system {
	switch osType {
	case ubuntu:
		return system{units: []extensionsv1alpha1.Unit{extended("/usr/bin", "/usr/bin/containerd")}}
	case coreos: // its containerd is wherever the system's extension put it, and only /var is writable
		return system{
			units: []extensionsv1alpha1.Unit{extended("/var/bin", "/usr/bin/env containerd")},
			files: []extensionsv1alpha1.File{{
				// A file rather than a unit, because the socket must not be started.
				Path: "/etc/systemd/system/docker.socket.d/" + dropIn, Permissions: ptr.To[uint32](0o644),
				Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{
					Data: "# Docker would bring a containerd of its own.\n[Unit]\nConditionPathExists=!" + config + "\n",
				}},
			}},
		}
	case suse: // it lacks the service, and ctr, which monitors and extensions call
		return system{units: []extensionsv1alpha1.Unit{{Name: unitContainerd, Content: ptr.To(suseUnit)}}}
	}
	return system{}
}

// extended is the drop-in for systems that already have a containerd service. It runs containerd with Gardener's
// configuration.
func extended(binaries, command string) extensionsv1alpha1.Unit {
	return extensionsv1alpha1.Unit{Name: unitContainerd, DropIns: []extensionsv1alpha1.DropIn{{
		Name:    dropIn,
		Content: "[Service]\n" + search(binaries) + "ExecStart=\nExecStart=" + command + " --config=" + config + "\n",
	}}}
}

// search is the path in which containerd looks for programs.
func search(binaries string) string {
	return `Environment="PATH=` + runtimes + ":" + binaries + `:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"` + "\n"
}

var suseUnit = `[Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target
[Install]
WantedBy=multi-user.target
[Service]
Type=notify
` + search("/usr/sbin") + `ExecStartPre=-/sbin/modprobe overlay
ExecStartPre=-/bin/sh -c "command -v ctr || zypper --non-interactive install containerd-ctr"
ExecStart=/usr/sbin/containerd --config=` + config + `
Restart=always
RestartSec=5
KillMode=process
Delegate=yes
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
`

// complete merges a specification with its extensions, for machines that boot from it.
func complete(spec extensionsv1alpha1.OperatingSystemConfigSpec, units []extensionsv1alpha1.Unit, files []extensionsv1alpha1.File) extensionsv1alpha1.OperatingSystemConfigSpec {
	spec.Files = slices.Concat(spec.Files, files)
	spec.Units = slices.Clone(spec.Units)
	for _, unit := range units {
		i := slices.IndexFunc(spec.Units, func(u extensionsv1alpha1.Unit) bool { return u.Name == unit.Name })
		if i < 0 {
			spec.Units = append(spec.Units, unit)
			continue
		}
		if unit.Content != nil {
			spec.Units[i].Content = unit.Content
		}
		spec.Units[i].DropIns = slices.Concat(spec.Units[i].DropIns, unit.DropIns)
	}
	return spec
}
