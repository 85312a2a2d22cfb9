// Package servicehost gives pods the external name of the API server, so that they do not depend on the network of the
// cluster.
package servicehost

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

const variable = "KUBERNETES_SERVICE_HOST"

// Mutator sets the variable.
type Mutator struct{ Host string }

// Mutate sets the variable in all containers that do not set it themselves.
func (m Mutator) Mutate(_ context.Context, pod *corev1.Pod) error {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			known := slices.ContainsFunc(containers[i].Env, func(env corev1.EnvVar) bool { return env.Name == variable })
			if !known {
				containers[i].Env = append(containers[i].Env, corev1.EnvVar{Name: variable, Value: m.Host})
			}
		}
	}
	return nil
}
