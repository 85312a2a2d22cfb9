// Package pods changes pods between the API server and the kubelet of an embedded node, so that the kubelet asks only
// for what processes can give. The objects in the API stay as they are. It imports no kubelet, so that its tests are fast.
package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Adapt returns a copy of the pod for the kubelet. Processes run as the node's own user, so nothing changes users or
// owners of files. Of containers that are simulated remain name and image: no probe asks what does not run, and
// nothing waits for their volumes, secrets and variables.
//
// Readiness is asked for from the start, without the delay that images need. In a young node also at short intervals,
// because a kubelet that has just started lets up to one interval pass before the first probe of each container.
func Adapt(pod *corev1.Pod, isAppliance func(image string) bool, young bool) *corev1.Pod {
	pod = pod.DeepCopy()
	spec := &pod.Spec
	spec.SecurityContext = &corev1.PodSecurityContext{}
	spec.HostUsers, spec.RuntimeClassName, spec.Overhead = nil, nil, nil
	spec.ResourceClaims, spec.ImagePullSecrets = nil, nil
	spec.DNSPolicy, spec.DNSConfig = corev1.DNSDefault, nil // processes ask GARDENER_DNS, whatever resolv.conf says
	mounted := map[string]bool{}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			c := &containers[i]
			c.SecurityContext = nil
			c.Resources.Claims = nil
			c.ImagePullPolicy = corev1.PullIfNotPresent // every image is present
			if !isAppliance(c.Image) {
				simulate(c)
			}
			hasten(c.ReadinessProbe, young, 0)
			if c.StartupProbe != nil {
				hasten(c.StartupProbe, young, c.StartupProbe.InitialDelaySeconds)
			}
			for _, mount := range c.VolumeMounts {
				mounted[mount.Name] = true
			}
		}
	}
	for i := range spec.EphemeralContainers {
		spec.EphemeralContainers[i].SecurityContext = nil
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return !mounted[v.Name] })
	return pod
}

func simulate(c *corev1.Container) {
	c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle = nil, nil, nil, nil
	c.Env, c.EnvFrom, c.VolumeMounts, c.VolumeDevices = nil, nil, nil, nil
}

// youngPeriod is the longest interval, in seconds, of probes in a young node.
const youngPeriod = 2

// hasten makes a probe begin at once. It counts as failed after as many seconds as before, and extra.
func hasten(probe *corev1.Probe, young bool, extra int32) {
	if probe == nil {
		return
	}
	period := max(probe.PeriodSeconds, 1)
	total := extra + period*max(probe.FailureThreshold, 1)
	if young {
		period = min(period, youngPeriod)
	}
	probe.InitialDelaySeconds, probe.PeriodSeconds = 0, period
	probe.FailureThreshold = (total + period - 1) / period
}
