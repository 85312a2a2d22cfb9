package runtime

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// about answers what is the same whatever runs.
type about struct {
	version string // of the runtime
}

// Version names the runtime.
func (a about) Version(context.Context, string) (*cri.VersionResponse, error) {
	version := strings.TrimPrefix(a.version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' { // the kubelet shows "Unknown" for what is no version
		version = strings.TrimSuffix("0.0.0-"+version, "-")
	}
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: Name, RuntimeVersion: version, RuntimeApiVersion: "v1"}, nil
}

// Status is always ready: there is no daemon and no network to wait for.
func (about) Status(context.Context, bool) (*cri.StatusResponse, error) {
	return &cri.StatusResponse{Status: &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{
		{Type: "RuntimeReady", Status: true},
		{Type: "NetworkReady", Status: true},
	}}}, nil
}

// UpdateRuntimeConfig ignores the pod CIDR: addresses come from Config.PodRange.
func (about) UpdateRuntimeConfig(context.Context, *cri.RuntimeConfig) error { return nil }

// RuntimeConfig names a cgroup driver because the kubelet asks; cgroups are not used.
func (about) RuntimeConfig(context.Context) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{Linux: &cri.LinuxRuntimeConfiguration{CgroupDriver: cri.CgroupDriver_CGROUPFS}}, nil
}

// GetContainerEvents is not supported; OnChange serves the same end without a stream.
func (about) GetContainerEvents(context.Context, chan *cri.ContainerEventResponse, func(cri.RuntimeService_GetContainerEventsClient)) error {
	return status.Error(codes.Unimplemented, "no event stream")
}

// ListMetricDescriptors lists none.
func (about) ListMetricDescriptors(context.Context) ([]*cri.MetricDescriptor, error) {
	return nil, nil
}

// ListPodSandboxMetrics lists none.
func (about) ListPodSandboxMetrics(context.Context) ([]*cri.PodSandboxMetrics, error) {
	return nil, nil
}

// CheckpointContainer is not supported.
func (about) CheckpointContainer(context.Context, *cri.CheckpointContainerRequest) error {
	return status.Error(codes.Unimplemented, "processes cannot be checkpointed")
}
