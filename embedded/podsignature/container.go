package podsignature

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// fields are those of a pod that variables may have. Its user does not choose them freely, unlike labels.
var fields = []string{"metadata.name", "metadata.namespace", "metadata.uid", "status.podIP", "status.podIPs", "status.hostIP", "spec.nodeName", "spec.serviceAccountName"}

// normaliseContainer clears what has no effect on the process and what the API server fills in.
func normaliseContainer(c *corev1.Container) error {
	c.Resources, c.ResizePolicy, c.SecurityContext = corev1.ResourceRequirements{}, nil, nil
	c.ImagePullPolicy, c.TerminationMessagePolicy = "", ""
	if c.TerminationMessagePath == corev1.TerminationMessagePathDefault {
		c.TerminationMessagePath = ""
	}
	for i := range c.Ports {
		c.Ports[i] = corev1.ContainerPort{ContainerPort: c.Ports[i].ContainerPort}
	}
	for i := range c.VolumeMounts {
		c.VolumeMounts[i].RecursiveReadOnly, c.VolumeMounts[i].MountPropagation = nil, nil
	}
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		normaliseProbe(probe)
	}
	return normaliseVariables(c.Env)
}

// normaliseProbe leaves what the probe does, without its times.
func normaliseProbe(probe *corev1.Probe) {
	if probe == nil {
		return
	}
	*probe = corev1.Probe{ProbeHandler: probe.ProbeHandler}
	get := probe.HTTPGet
	if get == nil {
		return
	}
	if get.Scheme == "" {
		get.Scheme = corev1.URISchemeHTTP
	}
	if get.Path == "" {
		get.Path = "/"
	}
}

// normaliseVariables refuses variables with values that users of pods choose.
func normaliseVariables(variables []corev1.EnvVar) error {
	for i := range variables {
		from := variables[i].ValueFrom
		if from == nil {
			continue
		}
		if from.ResourceFieldRef != nil || from.FieldRef != nil && !slices.Contains(fields, from.FieldRef.FieldPath) {
			return fmt.Errorf("variable %s has a value that whoever makes the pod chooses", variables[i].Name)
		}
		if from.FieldRef != nil {
			from.FieldRef.APIVersion = ""
		}
	}
	return nil
}
