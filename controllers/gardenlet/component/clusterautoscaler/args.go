package clusterautoscaler

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// criticalComponentsTaint is on new nodes until their critical components run.
const criticalComponentsTaint = "node.gardener.cloud/critical-components-not-ready"

// args returns the flags of the autoscaler. Settings that the shoot leaves open have the defaults of the API.
func (v Values) args() []string {
	c := gardencorev1beta1.ClusterAutoscaler{}
	if v.Config != nil {
		c = *v.Config.DeepCopy()
	}
	gardencorev1beta1.SetDefaults_ClusterAutoscaler(&c)
	args := []string{
		fmt.Sprintf("--address=$(POD_IP):%d", port),
		"--kubeconfig=" + access.Kubeconfig(),
		"--namespace=" + v.Namespace,
		"--cloud-provider=mcm",
		"--skip-nodes-with-system-pods=false",
		"--skip-nodes-with-local-storage=false",
		"--expendable-pods-priority-cutoff=-10",
		"--balance-similar-node-groups=true",
		"--startup-taint=" + criticalComponentsTaint,
		"--v=" + number(c.Verbosity),
		"--expander=" + string(*c.Expander),
		"--scan-interval=" + duration(c.ScanInterval),
		"--new-pod-scale-up-delay=" + duration(c.NewPodScaleUpDelay),
		"--max-node-provision-time=" + duration(c.MaxNodeProvisionTime),
		"--max-graceful-termination-sec=" + number(c.MaxGracefulTerminationSeconds),
		"--scale-down-utilization-threshold=" + strconv.FormatFloat(*c.ScaleDownUtilizationThreshold, 'f', -1, 64),
		"--scale-down-unneeded-time=" + duration(c.ScaleDownUnneededTime),
		"--scale-down-delay-after-add=" + duration(c.ScaleDownDelayAfterAdd),
		"--scale-down-delay-after-delete=" + duration(c.ScaleDownDelayAfterDelete),
		"--scale-down-delay-after-failure=" + duration(c.ScaleDownDelayAfterFailure),
		"--max-scale-down-parallelism=" + number(c.MaxScaleDownParallelism),
		"--max-drain-parallelism=" + number(c.MaxDrainParallelism),
		"--ignore-daemonsets-utilization=" + strconv.FormatBool(ptr.Deref(c.IgnoreDaemonsetsUtilization, false)),
		"--initial-node-group-backoff-duration=" + duration(c.InitialNodeGroupBackoffDuration),
		"--max-node-group-backoff-duration=" + duration(c.MaxNodeGroupBackoffDuration),
		"--node-group-backoff-reset-timeout=" + duration(c.NodeGroupBackoffResetTimeout),
		"--emit-per-nodegroup-metrics=" + strconv.FormatBool(ptr.Deref(c.EmitPerNodeGroupMetrics, false)),
		"--max-binpacking-time=" + duration(c.MaxBinpackingTime),
	}
	for _, taint := range c.StartupTaints {
		args = append(args, "--startup-taint="+taint)
	}
	for _, taint := range c.StatusTaints {
		args = append(args, "--status-taint="+taint)
	}
	for _, taint := range c.IgnoreTaints {
		args = append(args, "--ignore-taint="+taint)
	}
	for _, deployment := range v.MachineDeployments {
		if deployment.Maximum > deployment.Minimum {
			args = append(args, fmt.Sprintf("--nodes=%d:%d:%s.%s", deployment.Minimum, deployment.Maximum, v.Namespace, deployment.Name))
		}
	}
	return args
}

func number(value *int32) string { return strconv.Itoa(int(*value)) }

func duration(value *metav1.Duration) string { return value.Duration.String() }
