package runtime

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Version names the runtime.
func (r *Runtime) Version(context.Context, string) (*cri.VersionResponse, error) {
	version := strings.TrimPrefix(r.config.Version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' { // the kubelet shows "Unknown" for what is no version
		version = strings.TrimSuffix("0.0.0-"+version, "-")
	}
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: Name, RuntimeVersion: version, RuntimeApiVersion: "v1"}, nil
}

// Status is always ready: there is no daemon and no network to wait for.
func (r *Runtime) Status(context.Context, bool) (*cri.StatusResponse, error) {
	return &cri.StatusResponse{Status: &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{
		{Type: "RuntimeReady", Status: true},
		{Type: "NetworkReady", Status: true},
	}}}, nil
}

// UpdateRuntimeConfig ignores the pod CIDR: addresses come from Config.PodRange.
func (r *Runtime) UpdateRuntimeConfig(context.Context, *cri.RuntimeConfig) error { return nil }

// RuntimeConfig names a cgroup driver because the kubelet asks; cgroups are not used.
func (r *Runtime) RuntimeConfig(context.Context) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{Linux: &cri.LinuxRuntimeConfiguration{CgroupDriver: cri.CgroupDriver_CGROUPFS}}, nil
}

// GetContainerEvents is not supported; OnChange serves the same end without a stream.
func (r *Runtime) GetContainerEvents(context.Context, chan *cri.ContainerEventResponse, func(cri.RuntimeService_GetContainerEventsClient)) error {
	return status.Error(codes.Unimplemented, "no event stream")
}

// ListMetricDescriptors lists none.
func (r *Runtime) ListMetricDescriptors(context.Context) ([]*cri.MetricDescriptor, error) {
	return nil, nil
}

// ListPodSandboxMetrics lists none.
func (r *Runtime) ListPodSandboxMetrics(context.Context) ([]*cri.PodSandboxMetrics, error) {
	return nil, nil
}
