package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandbox is a pod: a directory and an address. record is guarded by Runtime.mu.
type sandbox struct {
	dir    string
	record sandboxRecord
}

func (s *sandbox) containerDir(id string) string { return filepath.Join(s.dir, id) }
func (s *sandbox) save() error                   { return writeRecord(filepath.Join(s.dir, sandboxFile), &s.record) }

// newID is short because it is part of paths, and paths of Unix sockets end at 108 bytes.
func newID() string {
	id := make([]byte, 6)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// RunPodSandbox gives the pod a directory and, outside the host's network, an address.
func (r *Runtime) RunPodSandbox(_ context.Context, config *cri.PodSandboxConfig, handler string) (string, error) {
	if r.isStopping() {
		return "", errStopping
	}
	metadata := config.GetMetadata()
	id := newID()
	s := &sandbox{dir: filepath.Join(r.sandboxesDir(), id), record: sandboxRecord{
		ID: id, PodUID: metadata.GetUid(), Name: metadata.GetName(), Namespace: metadata.GetNamespace(), Attempt: metadata.GetAttempt(),
		Labels: config.GetLabels(), Annotations: config.GetAnnotations(), LogDir: config.GetLogDirectory(), RuntimeHandler: handler,
		HostNetwork: config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == cri.NamespaceMode_NODE,
		Ready:       true, CreatedAt: time.Now(),
	}}
	for _, port := range config.GetPortMappings() {
		s.record.Ports = append(s.record.Ports, port.GetContainerPort())
	}
	if !s.record.HostNetwork {
		address, err := r.addresses.allocate()
		if err != nil {
			return "", fmt.Errorf("run sandbox of pod %s/%s: %w", metadata.GetNamespace(), metadata.GetName(), err)
		}
		s.record.Address = address
	}
	if err := s.create(); err != nil {
		r.addresses.release(s.record.Address)
		return "", fmt.Errorf("run sandbox of pod %s/%s: %w", metadata.GetNamespace(), metadata.GetName(), err)
	}
	r.mu.Lock()
	r.sandboxes[id] = s
	r.mu.Unlock()
	return id, nil
}

func (s *sandbox) create() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if s.record.LogDir != "" {
		if err := os.MkdirAll(s.record.LogDir, 0o700); err != nil {
			return err
		}
	}
	return s.save()
}

// StopPodSandbox kills processes that still run in the pod and releases its address. Stopping twice is fine.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	for _, c := range r.containersOf(id) {
		if err := r.StopContainer(ctx, c.record.ID, 0); err != nil {
			return err
		}
	}
	if r.config.Sandboxes != nil {
		r.config.Sandboxes.StopSandbox(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sandboxes[id]
	if !ok || !s.record.Ready {
		return nil
	}
	address := s.record.Address
	s.record.Ready, s.record.Address = false, netip.Addr{}
	if err := s.save(); err != nil {
		return err
	}
	r.addresses.release(address)
	return nil
}

// RemovePodSandbox stops the pod and removes its directory. Removing twice is fine.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	if err := r.StopPodSandbox(ctx, id); err != nil {
		return err
	}
	for _, c := range r.containersOf(id) {
		if err := r.RemoveContainer(ctx, c.record.ID); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(r.sandboxesDir(), filepath.Base(id))); err != nil {
		return fmt.Errorf("remove sandbox %s: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sandboxes, id)
	return nil
}

// PodSandboxStatus answers with the pod's address unless it is in the host's network.
func (p *pods) PodSandboxStatus(_ context.Context, id string, _ bool) (*cri.PodSandboxStatusResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sandboxes[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "sandbox %s does not exist", id)
	}
	network := cri.NamespaceMode_POD
	if s.record.HostNetwork {
		network = cri.NamespaceMode_NODE
	}
	answer := &cri.PodSandboxStatus{
		Id: s.record.ID, Metadata: s.metadata(), State: s.state(), CreatedAt: s.record.CreatedAt.UnixNano(),
		Network: &cri.PodSandboxNetworkStatus{}, Labels: s.record.Labels, Annotations: s.record.Annotations, RuntimeHandler: s.record.RuntimeHandler,
		Linux: &cri.LinuxPodSandboxStatus{Namespaces: &cri.Namespace{Options: &cri.NamespaceOption{Network: network}}},
	}
	if s.record.Address.IsValid() {
		answer.Network.Ip = s.record.Address.String()
	}
	return &cri.PodSandboxStatusResponse{Status: answer}, nil
}

// ListPodSandbox lists the pods that match the filter.
func (p *pods) ListPodSandbox(_ context.Context, filter *cri.PodSandboxFilter) ([]*cri.PodSandbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*cri.PodSandbox
	for _, s := range p.sandboxes {
		if filter.GetId() != "" && filter.GetId() != s.record.ID ||
			filter.GetState() != nil && filter.GetState().GetState() != s.state() ||
			!selects(filter.GetLabelSelector(), s.record.Labels) {
			continue
		}
		found = append(found, &cri.PodSandbox{
			Id: s.record.ID, Metadata: s.metadata(), State: s.state(), CreatedAt: s.record.CreatedAt.UnixNano(),
			Labels: s.record.Labels, Annotations: s.record.Annotations, RuntimeHandler: s.record.RuntimeHandler,
		})
	}
	return found, nil
}

// UpdatePodSandboxResources changes the limits of a pod in a sandbox. Processes are not limited.
func (r *Runtime) UpdatePodSandboxResources(_ context.Context, request *cri.UpdatePodSandboxResourcesRequest) (*cri.UpdatePodSandboxResourcesResponse, error) {
	return &cri.UpdatePodSandboxResourcesResponse{}, r.updateLimits(request.GetPodSandboxId())
}

func (s *sandbox) metadata() *cri.PodSandboxMetadata {
	return &cri.PodSandboxMetadata{Name: s.record.Name, Namespace: s.record.Namespace, Uid: s.record.PodUID, Attempt: s.record.Attempt}
}

func (s *sandbox) state() cri.PodSandboxState {
	if s.record.Ready {
		return cri.PodSandboxState_SANDBOX_READY
	}
	return cri.PodSandboxState_SANDBOX_NOTREADY
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if have, ok := labels[key]; !ok || have != value {
			return false
		}
	}
	return true
}
