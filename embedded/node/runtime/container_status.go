package runtime

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ListContainers lists the containers that match the filter.
func (r *Runtime) ListContainers(_ context.Context, filter *cri.ContainerFilter) ([]*cri.Container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []*cri.Container
	for _, c := range r.containers {
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
		answer.Mounts = append(answer.Mounts, &cri.Mount{ContainerPath: mount.ContainerPath, HostPath: mount.HostPath, Readonly: mount.ReadOnly})
	}
	return &cri.ContainerStatusResponse{Status: answer}, nil
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
