package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
)

// scratch returns the emptyDir volumes of a pod whose files gVisor keeps in its memory: those that ask for it. An ordinary user
// cannot give files to the users of containers, so there it keeps all of them. What is in them is lost with the sandbox. The
// kubelet makes the directories before the first container. pod is nil if it is gone.
func (c Config) scratch(podUID string, pod *corev1.Pod) ([]string, error) {
	dir := filepath.Join(c.RootDir, "pods", podUID, "volumes", "kubernetes.io~empty-dir")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list volumes of pod: %w", err)
	}
	var all []string
	for _, entry := range entries {
		if !ids.All() || pod != nil && inMemory(&pod.Spec, entry.Name()) {
			all = append(all, filepath.Join(dir, entry.Name()))
			continue
		}
		if err := forget(filepath.Join(dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// filestore begins the names of files in which gVisor keeps the content of a volume.
const filestore = ".gvisor.filestore."

// forget removes what gVisor has left in a volume when no users existed, and what nothing can read. Containers cannot replace the directory of a volume.
func forget(volume string) error {
	entries, err := os.ReadDir(volume)
	if err != nil {
		return fmt.Errorf("list volume of pod: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filestore) && entry.Type().IsRegular() {
			if err := os.Remove(filepath.Join(volume, entry.Name())); err != nil {
				return fmt.Errorf("remove the file of a former sandbox: %w", err)
			}
		}
	}
	return nil
}

// inMemory reports whether a volume asks for memory. gVisor does not know parts of a volume, so one that is mounted by a sub path stays in
// files.
func inMemory(pod *corev1.PodSpec, volume string) bool {
	asks := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
		return v.Name == volume && v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory
	})
	part := func(c corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume && (m.SubPath != "" || m.SubPathExpr != "") })
	}
	return asks && !slices.ContainsFunc(pod.InitContainers, part) && !slices.ContainsFunc(pod.Containers, part)
}
