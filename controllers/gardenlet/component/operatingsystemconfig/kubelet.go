package operatingsystemconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// kubeletConfiguration is the file that the kubelet reads.
func kubeletConfiguration(v Values) ([]byte, error) {
	config := baseConfiguration(v)
	if v.Kubelet != nil {
		applySettings(config, v.Kubelet)
		applyEviction(config, v.Kubelet)
	}
	config.FeatureGates = withLogRotation(config.FeatureGates, v.Version)
	raw, err := yaml.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("encode kubelet configuration: %w", err)
	}
	return raw, nil
}

// baseConfiguration holds the settings that users cannot change, and the defaults of the others.
func baseConfiguration(v Values) *kubeletv1beta1.KubeletConfiguration {
	seconds := func(n time.Duration) metav1.Duration { return metav1.Duration{Duration: n * time.Second} }
	config := &kubeletv1beta1.KubeletConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: kubeletv1beta1.SchemeGroupVersion.String(), Kind: "KubeletConfiguration"},
		Authentication: kubeletv1beta1.KubeletAuthentication{
			Anonymous: kubeletv1beta1.KubeletAnonymousAuthentication{Enabled: ptr.To(false)},
			X509:      kubeletv1beta1.KubeletX509Authentication{ClientCAFile: pathCA},
			Webhook:   kubeletv1beta1.KubeletWebhookAuthentication{Enabled: ptr.To(true), CacheTTL: seconds(120)},
		},
		Authorization: kubeletv1beta1.KubeletAuthorization{
			Mode:    kubeletv1beta1.KubeletAuthorizationModeWebhook,
			Webhook: kubeletv1beta1.KubeletWebhookAuthorization{CacheAuthorizedTTL: seconds(300), CacheUnauthorizedTTL: seconds(30)},
		},
		CgroupDriver:                     "systemd",
		ClusterDNS:                       []string{v.ClusterDNS},
		ClusterDomain:                    names.ClusterDomain,
		ContainerRuntimeEndpoint:         containerdSocket,
		ContainerLogMaxSize:              "100Mi",
		CPUManagerReconcilePeriod:        seconds(10),
		EvictionHard:                     map[string]string{"memory.available": "100Mi", "imagefs.available": "5%", "imagefs.inodesFree": "5%", "nodefs.available": "5%", "nodefs.inodesFree": "5%"},
		EvictionSoft:                     map[string]string{"memory.available": "200Mi", "imagefs.available": "10%", "imagefs.inodesFree": "10%", "nodefs.available": "10%", "nodefs.inodesFree": "10%"},
		EvictionSoftGracePeriod:          map[string]string{"memory.available": "1m30s", "imagefs.available": "1m30s", "imagefs.inodesFree": "1m30s", "nodefs.available": "1m30s", "nodefs.inodesFree": "1m30s"},
		EvictionMinimumReclaim:           map[string]string{"memory.available": "0Mi", "imagefs.available": "0Mi", "imagefs.inodesFree": "0Mi", "nodefs.available": "0Mi", "nodefs.inodesFree": "0Mi"},
		EvictionPressureTransitionPeriod: seconds(240),
		EvictionMaxPodGracePeriod:        90,
		FailSwapOn:                       ptr.To(true),
		ImageGCHighThresholdPercent:      ptr.To[int32](50),
		ImageGCLowThresholdPercent:       ptr.To[int32](40),
		KubeReserved:                     map[string]string{"cpu": "80m", "memory": "1Gi"},
		MaxPods:                          110,
		ProtectKernelDefaults:            true,
		RegistryPullQPS:                  ptr.To[int32](5),
		RegistryBurst:                    10,
		RotateCertificates:               true,
		SerializeImagePulls:              ptr.To(true),
		ServerTLSBootstrap:               true,
		StreamingConnectionIdleTimeout:   seconds(300),
		SyncFrequency:                    seconds(60),
		VolumePluginDir:                  pathKubelet + "/volumeplugins",
	}
	return config
}

func applySettings(config *kubeletv1beta1.KubeletConfiguration, from *gardencorev1beta1.KubeletConfig) {
	config.FeatureGates = from.FeatureGates
	config.CPUCFSQuota = from.CPUCFSQuota
	config.PodPidsLimit = from.PodPIDsLimit
	config.SeccompDefault = from.SeccompDefault
	config.ContainerLogMaxFiles = from.ContainerLogMaxFiles
	config.MaxParallelImagePulls = from.MaxParallelImagePulls
	config.SingleProcessOOMKill = from.SingleProcessOOMKill
	config.CPUManagerPolicy = ptr.Deref(from.CPUManagerPolicy, config.CPUManagerPolicy)
	config.MaxPods = ptr.Deref(from.MaxPods, config.MaxPods)
	config.RegistryBurst = ptr.Deref(from.RegistryBurst, config.RegistryBurst)
	config.ProtectKernelDefaults = ptr.Deref(from.ProtectKernelDefaults, config.ProtectKernelDefaults)
	config.EvictionMaxPodGracePeriod = ptr.Deref(from.EvictionMaxPodGracePeriod, config.EvictionMaxPodGracePeriod)
	set(&config.FailSwapOn, from.FailSwapOn)
	set(&config.ImageGCHighThresholdPercent, from.ImageGCHighThresholdPercent)
	set(&config.ImageGCLowThresholdPercent, from.ImageGCLowThresholdPercent)
	set(&config.SerializeImagePulls, from.SerializeImagePulls)
	set(&config.RegistryPullQPS, from.RegistryPullQPS)
	config.EvictionPressureTransitionPeriod = ptr.Deref(from.EvictionPressureTransitionPeriod, config.EvictionPressureTransitionPeriod)
	config.StreamingConnectionIdleTimeout = ptr.Deref(from.StreamingConnectionIdleTimeout, config.StreamingConnectionIdleTimeout)
	config.ImageMinimumGCAge = ptr.Deref(from.ImageMinimumGCAge, config.ImageMinimumGCAge)
	config.ImageMaximumGCAge = ptr.Deref(from.ImageMaximumGCAge, config.ImageMaximumGCAge)
	if from.ContainerLogMaxSize != nil {
		config.ContainerLogMaxSize = from.ContainerLogMaxSize.String()
	}
	if from.MemorySwap != nil {
		config.MemorySwap.SwapBehavior = string(ptr.Deref(from.MemorySwap.SwapBehavior, gardencorev1beta1.LimitedSwap))
	}
	if reserved := from.KubeReserved; reserved != nil {
		config.KubeReserved = reservedResources(reserved)
	}
	if reserved := from.SystemReserved; reserved != nil {
		config.SystemReserved = reservedResources(reserved)
	}
}

// logRotationGate makes kubelets rotate the logs of containers of runtimes other than docker. Since 1.21 they always
// do, and later versions refuse the gate as unknown.
const logRotationGate = "CRIContainerLogRotation"

func withLogRotation(gates map[string]bool, kubernetesVersion string) map[string]bool {
	parsed, err := version.ParseGeneric(kubernetesVersion)
	if err != nil || parsed.AtLeast(version.MajorMinor(1, 21)) {
		return gates
	}
	out := map[string]bool{logRotationGate: true}
	maps.Copy(out, gates)
	return out
}

func set[T any](target **T, value *T) {
	if value != nil {
		*target = value
	}
}

func reservedResources(from *gardencorev1beta1.KubeletConfigReserved) map[string]string {
	out := map[string]string{}
	for name, quantity := range map[string]interface{ String() string }{
		"cpu": from.CPU, "memory": from.Memory, "ephemeral-storage": from.EphemeralStorage, "pid": from.PID,
	} {
		if text := quantity.String(); text != "<nil>" && text != "" {
			out[name] = text
		}
	}
	return out
}

// applyEviction changes the given thresholds and keeps the defaults of the others.
func applyEviction(config *kubeletv1beta1.KubeletConfiguration, from *gardencorev1beta1.KubeletConfig) {
	thresholds := func(target map[string]string, e *gardencorev1beta1.KubeletConfigEviction) {
		if e == nil {
			return
		}
		for signal, value := range map[string]*string{
			"memory.available": e.MemoryAvailable, "imagefs.available": e.ImageFSAvailable, "imagefs.inodesFree": e.ImageFSInodesFree,
			"nodefs.available": e.NodeFSAvailable, "nodefs.inodesFree": e.NodeFSInodesFree,
		} {
			if value != nil {
				target[signal] = *value
			}
		}
	}
	thresholds(config.EvictionHard, from.EvictionHard)
	thresholds(config.EvictionSoft, from.EvictionSoft)
	if e := from.EvictionMinimumReclaim; e != nil {
		for signal, value := range map[string]interface{ String() string }{
			"memory.available": e.MemoryAvailable, "imagefs.available": e.ImageFSAvailable, "imagefs.inodesFree": e.ImageFSInodesFree,
			"nodefs.available": e.NodeFSAvailable, "nodefs.inodesFree": e.NodeFSInodesFree,
		} {
			if text := value.String(); text != "<nil>" && text != "" {
				config.EvictionMinimumReclaim[signal] = text
			}
		}
	}
	if e := from.EvictionSoftGracePeriod; e != nil {
		for signal, value := range map[string]*metav1.Duration{
			"memory.available": e.MemoryAvailable, "imagefs.available": e.ImageFSAvailable, "imagefs.inodesFree": e.ImageFSInodesFree,
			"nodefs.available": e.NodeFSAvailable, "nodefs.inodesFree": e.NodeFSInodesFree,
		} {
			if value != nil {
				config.EvictionSoftGracePeriod[signal] = value.Duration.String()
			}
		}
	}
}

// kubeletUnit starts the kubelet. Providers parse the flags, so they are written in full, one per line.
func (v Values) kubeletUnit() string {
	labels := v.bootLabels()
	flags := []string{
		"--bootstrap-kubeconfig=" + pathBootstrap,
		"--config=" + pathConfig,
		"--container-runtime-endpoint=" + containerdSocket,
		"--kubeconfig=" + pathKubeconfig,
		"--node-labels=" + strings.Join(labels, ","),
		"--register-with-taints=" + constants.TaintNodeCriticalComponentsNotReady + ":NoSchedule", // the resource manager removes it
		"--v=2",
	}
	return fmt.Sprintf(`[Unit]
Description=kubelet daemon
Documentation=https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/
After=%s
[Install]
WantedBy=multi-user.target
[Service]
Restart=always
RestartSec=10
EnvironmentFile=-/etc/environment
EnvironmentFile=-/var/lib/kubelet/extra_args
ExecStart=/opt/bin/kubelet \
    %s $KUBELET_EXTRA_ARGS
`, unitContainerd, strings.Join(flags, " \\\n    "))
}

// bootLabels are the labels that a kubelet may set on its own node; the machine controller sets the others.
func (v Values) bootLabels() []string {
	labels := []string{
		constants.LabelWorkerPool + "=" + v.Worker.Name,
		constants.LabelWorkerKubernetesVersion + "=" + v.Version,
	}
	if v.Worker.CRI == nil {
		return labels
	}
	for _, runtime := range v.Worker.CRI.ContainerRuntimes {
		labels = append(labels, constants.LabelPrefixContainerRuntimeWorker+runtime.Type+"=true", constants.LabelPrefixContainerRuntime+runtime.Type+"=true")
	}
	return labels
}

func sysctls(extra map[string]string) []byte {
	values := map[string]string{
		"fs.file-max":                        "20000000",
		"fs.inotify.max_user_instances":      "8192",
		"fs.inotify.max_user_watches":        "1048576",
		"kernel.panic":                       "10",
		"kernel.panic_on_oops":               "1",
		"kernel.softlockup_panic":            "1",
		"net.bridge.bridge-nf-call-iptables": "1",
		"net.core.somaxconn":                 "65535",
		"net.ipv4.ip_forward":                "1",
		"vm.max_map_count":                   "135217728",
		"vm.overcommit_memory":               "1",
	}
	maps.Copy(values, extra)
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&out, "%s = %s\n", key, values[key])
	}
	return []byte(out.String())
}
