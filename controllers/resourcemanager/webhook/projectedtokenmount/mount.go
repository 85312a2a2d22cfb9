// Package projectedtokenmount gives pods an expiring token of their service account, if the account disables automatic
// mounts: volume kube-api-access-gardener, mounted where Kubernetes would mount its own.
package projectedtokenmount

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	volumePrefix = "kube-api-access-"
	volumeName   = volumePrefix + "gardener"
	mountPath    = "/var/run/secrets/kubernetes.io/serviceaccount"
	// shortest is the shortest validity that API servers accept for a projected token.
	shortest = 600
)

// Mutator injects the volume.
type Mutator struct {
	Target            client.Reader // reads ServiceAccounts
	ExpirationSeconds int64         // unless a pod specifies its own
}

// Mutate changes the pod if it qualifies.
func (m *Mutator) Mutate(ctx context.Context, pod *corev1.Pod) error {
	if !candidate(pod) {
		return nil
	}
	account := &corev1.ServiceAccount{}
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Spec.ServiceAccountName}
	if err := m.Target.Get(ctx, key, account); err != nil {
		return fmt.Errorf("read service account %q: %w", key, err)
	}
	if ptr.Deref(account.AutomountServiceAccountToken, true) {
		return nil
	}
	seconds, err := m.expiration(pod)
	if err != nil {
		return err
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, volume(seconds))
	mount(pod.Spec.InitContainers)
	mount(pod.Spec.Containers)
	return nil
}

// candidate checks everything that can be decided from the pod alone.
func candidate(pod *corev1.Pod) bool {
	if pod.Labels[resourcesv1alpha1.ProjectedTokenSkip] == "true" || pod.Spec.ServiceAccountName == "" || pod.Spec.ServiceAccountName == "default" {
		return false
	}
	for _, volume := range pod.Spec.Volumes {
		if strings.HasPrefix(volume.Name, volumePrefix) {
			return false
		}
	}
	return true
}

func (m *Mutator) expiration(pod *corev1.Pod) (int64, error) {
	value, found := pod.Annotations[resourcesv1alpha1.ProjectedTokenExpirationSeconds]
	if !found {
		return m.ExpirationSeconds, nil
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds < shortest {
		return 0, fmt.Errorf("annotation %s is %q, not a number of at least %d", resourcesv1alpha1.ProjectedTokenExpirationSeconds, value, shortest)
	}
	return seconds, nil
}

func volume(seconds int64) corev1.Volume {
	return corev1.Volume{Name: volumeName, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: ptr.To[int32](420),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
				{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
			}}},
		},
	}}}
}

func mount(containers []corev1.Container) {
	for i := range containers {
		containers[i].VolumeMounts = append(containers[i].VolumeMounts, corev1.VolumeMount{Name: volumeName, MountPath: mountPath, ReadOnly: true})
	}
}
