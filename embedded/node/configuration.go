package node

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/moby/sys/userns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	internal "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"

	"github.com/gardener-up/gardener-up/embedded/node/runtime"
)

// serverFor returns the kubelet's options and sets the process's feature gates.
func serverFor(c Config) (*options.KubeletServer, error) {
	configuration, err := configurationFor(c)
	if err != nil {
		return nil, err
	}
	flags := options.NewKubeletFlags()
	flags.HostnameOverride = c.Name
	flags.RootDirectory = c.RootDir
	flags.CertDirectory = c.CertDir
	flags.MaxPerPodContainerCount = 1
	server := &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *configuration}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(configuration.FeatureGates); err != nil {
		return nil, fmt.Errorf("set feature gates of kubelet: %w", err)
	}
	if err := validate(*server); err != nil {
		return nil, fmt.Errorf("validate kubelet configuration: %w", err)
	}
	return server, nil
}

// validate validates the options. The kubelet accepts a directory for logs only if its name is ASCII, because metrics of containers would show
// it. This node has no such metrics, and home directories have names in all languages.
func validate(server options.KubeletServer) error {
	server.PodLogsDir = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '_'
		}
		return r
	}, server.PodLogsDir)
	return options.ValidateKubeletServer(&server)
}

func configurationFor(c Config) (*internal.KubeletConfiguration, error) {
	versioned := c.Kubelet.DeepCopy()
	prefer(versioned, c)
	enforce(versioned, c)
	kubeletScheme, _, err := scheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, fmt.Errorf("make scheme of kubelet configuration: %w", err)
	}
	kubeletScheme.Default(versioned)
	versioned.EvictionHard = nil // there is a default to take back
	configuration := &internal.KubeletConfiguration{}
	if err := kubeletScheme.Convert(versioned, configuration, nil); err != nil {
		return nil, fmt.Errorf("convert kubelet configuration: %w", err)
	}
	return configuration, nil
}

// prefer sets our own defaults for fields that the user left empty.
func prefer(k *kubeletconfig.KubeletConfiguration, c Config) {
	preset(&k.Address, c.NodeIP.String())
	preset(&k.PodLogsDir, filepath.Join(c.RootDir, "logs"))
	preset(&k.VolumeStatsAggPeriod, metav1.Duration{Duration: -time.Second}) // measuring walks all volumes
	preset(&k.KubeAPIQPS, new(int32(500)))                                   // many pods start at once when a landscape comes back
	preset(&k.KubeAPIBurst, 1000)
	gates := map[string]bool{
		"ReduceDefaultCrashLoopBackOffDecay": true, // a server that starts before its etcd waits 1 s, not 10
	}
	if c.InUserNamespace || userns.RunningInUserNS() {
		gates["KubeletInUserNamespace"] = true
	}
	for name, value := range k.FeatureGates {
		gates[name] = value
	}
	k.FeatureGates = gates
}

// enforce sets the fields for which a node without containers has no choice.
func enforce(k *kubeletconfig.KubeletConfiguration, c Config) {
	k.ContainerRuntimeEndpoint = runtime.Name // required, never dialled
	k.CgroupsPerQOS = new(false)
	k.CgroupRoot, k.SystemCgroups, k.KubeletCgroups, k.KubeReservedCgroup, k.SystemReservedCgroup = "", "", "", "", ""
	k.EnforceNodeAllocatable = []string{"none"}
	k.FailSwapOn, k.FailCgroupV1 = new(false), new(false)
	k.ProtectKernelDefaults = false
	k.MakeIPTablesUtilChains = new(false)
	k.LocalStorageCapacityIsolation = new(false) // or the eviction manager measures every 10 s
	k.EvictionHard, k.EvictionSoft, k.EvictionSoftGracePeriod, k.EvictionMinimumReclaim = nil, nil, nil, nil
	k.ImageGCHighThresholdPercent, k.ImageGCLowThresholdPercent = new(int32(100)), new(int32(99))
	k.CPUManagerPolicy, k.MemoryManagerPolicy, k.TopologyManagerPolicy = "none", "None", "none"
	k.ReservedSystemCPUs, k.ReservedMemory = "", nil
	k.MemorySwap = kubeletconfig.MemorySwapConfiguration{}
	k.SerializeImagePulls, k.MaxParallelImagePulls = new(false), nil
	k.ResolverConfig = new("")
	k.EnableControllerAttachDetach = new(false)
	k.HealthzPort = new(int32(0))
	k.ReadOnlyPort = 0
	// these would show the machine and the process to administrators of the cluster
	k.EnableSystemLogHandler, k.EnableSystemLogQuery = new(false), new(false)
	k.EnableProfilingHandler, k.EnableDebugFlagsHandler = new(false), new(false)
	if k.FeatureGates == nil {
		k.FeatureGates = map[string]bool{}
	}
	k.FeatureGates["EnvFiles"] = false // the kubelet would follow links that users make in volumes; see pods.Adapt
	k.RegisterWithTaints = append(k.RegisterWithTaints, c.Taints...)
}

func preset[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
