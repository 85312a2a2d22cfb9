package nodeinit

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	unitKubelet    = "kubelet.service"
	unitSysctl     = "systemd-sysctl.service"
	unitContainerd = "containerd.service"

	pathExtraArgs    = "/var/lib/kubelet/extra_args" // the kubelet's unit reads it
	pathKubeletDir   = "/var/lib/kubelet/config.d"
	pathKubeletExtra = pathKubeletDir + "/50-container.conf"
	pathSysctlDropIn = "/etc/systemd/system/" + unitSysctl + ".d/50-container.conf"
)

// Machine holds the facts that only the machine knows.
type Machine struct {
	// NodeName, ProviderID and NodeIP are the values that the kubelet registers.
	NodeName, ProviderID, NodeIP string
	// KubeletMinor is the minor version of the image's kubelet.
	KubeletMinor int
	// Binary is the path of this program, Containerd the path of containerd.
	Binary, Containerd string
}

// adaptation is added to the content of every machine that is a container.
func (m Machine) adaptation() extensionsv1alpha1.OperatingSystemConfigStatus {
	return extensionsv1alpha1.OperatingSystemConfigStatus{
		ExtensionFiles: []extensionsv1alpha1.File{
			file(pathExtraArgs, m.extraArgs()),
			file(pathKubeletExtra, m.kubeletConfiguration()),
			// Most kernel settings belong to the host. systemd would change them there.
			file(pathSysctlDropIn, "[Service]\nExecStart=\nExecStart="+m.Binary+" component node-init sysctl\n"),
		},
		ExtensionUnits: []extensionsv1alpha1.Unit{{
			Name: unitKubelet, Enable: ptr.To(true), FilePaths: []string{pathExtraArgs, pathKubeletExtra},
			DropIns: []extensionsv1alpha1.DropIn{
				{Name: "10-kubeadm.conf", Content: "# The image's own: this kubelet is not kubeadm's.\n"},
				{Name: "50-container.conf", Content: kubeletDropIn},
			},
		}, {
			// Programs are where the node image has them, whatever operating system the machine has.
			Name: unitContainerd, Enable: ptr.To(true),
			DropIns: []extensionsv1alpha1.DropIn{{Name: "50-container.conf", Content: "[Service]\nExecStart=\nExecStart=" + m.Containerd + "\n"}},
		}},
	}
}

// kubeletDropIn runs the kubelet in the cgroups that the image prepares for it. The variable makes kubelets before
// 1.30 read the directory.
const kubeletDropIn = `[Unit]
ConditionPathExists=
[Service]
Environment=KUBELET_CONFIG_DROPIN_DIR_ALPHA=1
Slice=kubelet.slice
CPUAccounting=true
MemoryAccounting=true
KillMode=process
`

func (m Machine) extraArgs() string {
	return "KUBELET_EXTRA_ARGS=" + strings.Join([]string{
		"--hostname-override=" + m.NodeName,
		"--provider-id=" + m.ProviderID,
		"--node-ip=" + m.NodeIP,
		"--config-dir=" + pathKubeletDir,
		"--runtime-cgroups=/system.slice/containerd.service",
	}, " ") + "\n"
}

// kubeletConfiguration overrides settings that make no sense in a container. Disk, swap and kernel belong to the
// host. A kubelet that treated them as its own would evict pods, remove images or refuse to start.
func (m Machine) kubeletConfiguration() string {
	out := `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupRoot: /kubelet
failSwapOn: false
protectKernelDefaults: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard:
  imagefs.available: "0%"
  imagefs.inodesFree: "0%"
  nodefs.available: "0%"
  nodefs.inodesFree: "0%"
evictionSoft:
  imagefs.available: "0%"
  imagefs.inodesFree: "0%"
  nodefs.available: "0%"
  nodefs.inodesFree: "0%"
`
	if m.KubeletMinor >= 31 { // older ones refuse a field they do not know
		out += "failCgroupV1: false\n"
	}
	return out
}

// kubeletMinor reads the minor version from the kubelet's version output, "Kubernetes v1.36.3".
func kubeletMinor(said string) (int, error) {
	_, version, _ := strings.Cut(strings.TrimSpace(said), "v")
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, fmt.Errorf("the kubelet says it is %q", said)
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0, fmt.Errorf("the kubelet says it is %q", said)
	}
	return minor, nil
}

func file(path, content string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{Path: path, Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
}
