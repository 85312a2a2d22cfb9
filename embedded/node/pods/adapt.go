// Package pods changes pods on their way from the API server to the kubelet of an embedded node, so that the kubelet requests only
// what processes can do. The objects in the API do not change. The package does not import the kubelet, so its tests are fast.
package pods

import (
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Adapt returns a copy of the pod for the kubelet. Pods with sandboxed containers keep what they ask for, but for directories of the
// machine, which are in the directory hostPaths instead, and for probes and hooks that connect, which become commands for the runtime. Processes run as the node's own user, so nothing changes users or
// owners of files. Simulated containers only keep name and image: no probe checks them, nothing waits for their volumes,
// secrets and variables, and volumes of directories of the machine are never looked at.
//
// Readiness probes start at once, without the delay that images need. In a young node they also have short
// intervals, because a kubelet that has just started lets up to one interval pass before the first probe of each
// container.
func Adapt(pod *corev1.Pod, judgement Judgement, hostPaths string, young bool) *corev1.Pod {
	pod = pod.DeepCopy()
	tell(pod, judgement)
	spec := &pod.Spec
	spec.HostUsers, spec.RuntimeClassName, spec.Overhead, spec.ResourceClaims = nil, nil, nil, nil
	if len(judgement.Sandboxed) == 0 {
		spec.SecurityContext, spec.ImagePullSecrets = &corev1.PodSecurityContext{}, nil
		spec.DNSPolicy, spec.DNSConfig = corev1.DNSDefault, nil // processes ask GARDENER_DNS, whatever resolv.conf says
	} else {
		confine(spec.Volumes, hostPaths)
	}
	mounted := map[string]bool{}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			c := &containers[i]
			c.Resources.Claims = nil
			if slices.Contains(judgement.Sandboxed, c.Name) {
				for _, mount := range c.VolumeMounts {
					mounted[mount.Name] = true
				}
				keepInside(c)
				withoutFiles(c)
				continue
			}
			c.SecurityContext = nil
			c.ImagePullPolicy = corev1.PullIfNotPresent // every image is present
			if !slices.Contains(judgement.Processes, c.Name) {
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
		c := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		c.SecurityContext = nil
		simulate(&c)
		spec.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(c)
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return !mounted[v.Name] })
	return pod
}

// confine moves volumes that are directories of the machine below dir, where they are made if they do not exist: a pod of a user must
// not see the machine.
func confine(volumes []corev1.Volume, dir string) {
	for i := range volumes {
		host := volumes[i].HostPath
		if host == nil {
			continue
		}
		kind := corev1.HostPathDirectoryOrCreate
		if host.Type != nil && (*host.Type == corev1.HostPathFile || *host.Type == corev1.HostPathFileOrCreate) {
			kind = corev1.HostPathFileOrCreate
		}
		volumes[i].HostPath = &corev1.HostPathVolumeSource{Path: filepath.Join(dir, filepath.Clean("/"+host.Path)), Type: &kind}
	}
}

// noFileKeys is the name of a ConfigMap that does not exist. The kubelet tells users that it does not find it.
const noFileKeys = "filekeyref-is-not-supported-on-embedded-nodes"

// withoutFiles keeps the kubelet from reading variables from files in volumes, where users may have made links to the machine. A container
// that needs such a variable does not start.
func withoutFiles(c *corev1.Container) {
	c.Env = slices.DeleteFunc(c.Env, func(v corev1.EnvVar) bool {
		return v.ValueFrom != nil && v.ValueFrom.FileKeyRef != nil && ptr.Deref(v.ValueFrom.FileKeyRef.Optional, false)
	})
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil && from.FileKeyRef != nil {
			c.Env[i].ValueFrom = &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: noFileKeys}, Key: from.FileKeyRef.Key,
			}}
		}
	}
}

func simulate(c *corev1.Container) {
	c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle = nil, nil, nil, nil
	c.Env, c.EnvFrom, c.VolumeMounts, c.VolumeDevices = nil, nil, nil, nil
	c.TerminationMessagePath = "" // the kubelet would show any file that it mounts at this path
}

// youngPeriod is the longest interval, in seconds, of probes in a young node.
const youngPeriod = 2

// hasten makes a probe start at once. It fails after the same number of seconds as before, plus extra.
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
