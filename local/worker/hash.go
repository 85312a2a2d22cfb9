package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// hashLength is the length of the hash in the name of a MachineClass.
const hashLength = 5

// poolHash changes exactly when the machines of a pool have to be replaced. It leaves out what can change on a
// running machine: numbers, labels, taints, timeouts, and user data whose name is unchanged. Container machines use
// the programs of their image, so a new image replaces them.
func poolHash(pool *extensionsv1alpha1.WorkerPool, cluster *contract.Cluster, nodeImage string) string {
	h := sha256.New()
	add := func(key string, value any) { fmt.Fprintf(h, "%s=%v\n", key, value) }
	add("kubernetes", minor(kubernetesVersion(pool, cluster)))
	add("machine", pool.MachineType)
	add("image", pool.MachineImage.Name+" "+pool.MachineImage.Version)
	if nodeImage != "" {
		add("nodeImage", nodeImage)
	}
	if pool.NodeAgentSecretName != nil {
		add("content", *pool.NodeAgentSecretName)
	} else {
		add("content", pool.UserDataSecretRef.Name+" "+pool.UserDataSecretRef.Key)
	}
	if v := pool.Volume; v != nil {
		add("volume", fmt.Sprint(deref(v.Name), deref(v.Type), v.Size, deref(v.Encrypted)))
	}
	for _, v := range pool.DataVolumes {
		add("dataVolume", fmt.Sprint(v.Name, deref(v.Type), v.Size, deref(v.Encrypted)))
	}
	add("kubeletDataVolume", deref(pool.KubeletDataVolumeName))
	if pool.ProviderConfig != nil {
		add("providerConfig", string(pool.ProviderConfig.Raw))
	}
	addShoot(h, pool.Name, cluster)
	return hex.EncodeToString(h.Sum(nil))[:hashLength]
}

// addShoot adds what the Shoot decides: the container runtime, and rotations that replace credentials on machines.
func addShoot(h io.Writer, pool string, cluster *contract.Cluster) {
	if cluster == nil || cluster.Shoot == nil {
		return
	}
	for _, worker := range cluster.Shoot.Spec.Provider.Workers {
		if worker.Name == pool && worker.CRI != nil {
			fmt.Fprintf(h, "cri=%s\n", worker.CRI.Name)
		}
	}
	status := &cluster.Shoot.Status
	if record := status.ManualWorkerPoolRollout; record != nil {
		if at, found := rollout(record.PendingWorkersRollouts, pool); found {
			fmt.Fprintf(h, "rollout=%s\n", timestamp(at))
		}
	}
	if status.Credentials == nil || status.Credentials.Rotation == nil {
		return
	}
	add := func(name string, started *metav1.Time, pending []gardencorev1beta1.PendingWorkersRollout) {
		if former, waits := rollout(pending, pool); waits {
			started = former // the machines keep what they have until a user has them replaced
		}
		if started != nil {
			fmt.Fprintf(h, "%s=%s\n", name, timestamp(started))
		}
	}
	if rotation := status.Credentials.Rotation.CertificateAuthorities; rotation != nil {
		add("ca", rotation.LastInitiationTime, rotation.PendingWorkersRollouts)
	}
	if rotation := status.Credentials.Rotation.ServiceAccountKey; rotation != nil {
		add("serviceAccountKey", rotation.LastInitiationTime, rotation.PendingWorkersRollouts)
	}
}

// rollout finds the time of a pool in a list.
func rollout(list []gardencorev1beta1.PendingWorkersRollout, pool string) (*metav1.Time, bool) {
	for _, entry := range list {
		if entry.Name == pool {
			return entry.LastInitiationTime, true
		}
	}
	return nil, false
}

func kubernetesVersion(pool *extensionsv1alpha1.WorkerPool, cluster *contract.Cluster) string {
	if pool.KubernetesVersion != nil {
		return *pool.KubernetesVersion
	}
	if cluster != nil && cluster.Shoot != nil {
		return cluster.Shoot.Spec.Kubernetes.Version
	}
	return ""
}

// minor shortens a version to major.minor, because a patch version does not replace machines.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

func timestamp(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// machineType is a machine type of the CloudProfile; nil if it is unknown.
func machineType(cluster *contract.Cluster, name string) *gardencorev1beta1.MachineType {
	if cluster == nil || cluster.CloudProfile == nil {
		return nil
	}
	for i := range cluster.CloudProfile.Spec.MachineTypes {
		if t := &cluster.CloudProfile.Spec.MachineTypes[i]; t.Name == name {
			return t
		}
	}
	return nil
}
