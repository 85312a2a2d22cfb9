package runtime

import (
	"context"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

// ListContainers lists the containers that match the filter.
func (p *pods) ListContainers(_ context.Context, filter *cri.ContainerFilter) ([]*cri.Container, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*cri.Container
	for _, c := range p.containers {
		if filter.GetId() != "" && filter.GetId() != c.record.ID ||
			filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != c.record.SandboxID ||
			filter.GetState() != nil && filter.GetState().GetState() != c.state() ||
			!selects(filter.GetLabelSelector(), c.record.Labels) {
			continue
		}
		found = append(found, &cri.Container{
			Id: c.record.ID, PodSandboxId: c.record.SandboxID, Metadata: c.metadata(), Image: c.image(), ImageRef: c.record.Image, ImageId: c.record.Image,
			State: c.state(), CreatedAt: c.record.CreatedAt.UnixNano(), Labels: c.record.Labels, Annotations: c.record.Annotations,
		})
	}
	return found, nil
}

// ContainerStatus returns the status of one container.
func (r *Runtime) ContainerStatus(_ context.Context, id string, _ bool) (*cri.ContainerStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.containers[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "container %s does not exist", id)
	}
	answer := &cri.ContainerStatus{
		Id: id, Metadata: c.metadata(), State: c.state(), CreatedAt: nanoseconds(c.record.CreatedAt), StartedAt: nanoseconds(c.record.StartedAt),
		FinishedAt: nanoseconds(c.record.FinishedAt), ExitCode: int32(c.record.ExitCode), Image: c.image(), ImageRef: c.record.Image, ImageId: c.record.Image,
		Reason: c.record.Reason, Message: c.record.Message, Labels: c.record.Labels, Annotations: c.record.Annotations, LogPath: c.record.LogPath,
	}
	for _, mount := range c.record.Mounts {
		if !r.ofKubelet(c, mount.HostPath) {
			continue
		}
		answer.Mounts = append(answer.Mounts, &cri.Mount{ContainerPath: mount.ContainerPath, HostPath: mount.HostPath, Readonly: mount.ReadOnly})
	}
	return &cri.ContainerStatusResponse{Status: answer}, nil
}

// ofKubelet reports whether a mount is a file that the kubelet has made for the container. Of others it must not know the path: it reads
// termination messages from whatever is mounted at their path, and would follow links that users have made.
func (r *Runtime) ofKubelet(c *container, path string) bool {
	uid := c.sandbox.record.PodUID
	return uid != "" && within.Contains(filepath.Join(r.config.KubeletDir, "pods", uid, "containers"), path)
}

func (c *container) metadata() *cri.ContainerMetadata {
	return &cri.ContainerMetadata{Name: c.record.Name, Attempt: c.record.Attempt}
}

func (c *container) image() *cri.ImageSpec {
	return &cri.ImageSpec{Image: c.record.Image, UserSpecifiedImage: c.record.Image}
}

func (c *container) state() cri.ContainerState {
	switch c.record.State {
	case stateCreated:
		return cri.ContainerState_CONTAINER_CREATED
	case stateRunning:
		return cri.ContainerState_CONTAINER_RUNNING
	default:
		return cri.ContainerState_CONTAINER_EXITED
	}
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
