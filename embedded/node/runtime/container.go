package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/node/sandboxed"
)

var (
	errStopping = errors.New("the node is stopping")
	errStopped  = errors.New("it was stopped before it started")
)

// container is one run of one container of a pod. All but sandbox and dir are guarded by Runtime.mu.
type container struct {
	sandbox *sandbox
	dir     string
	record  containerRecord

	execution execution      // nil unless running and not simulated
	settled   chan struct{}  // closed when the end of execution is recorded
	log       *logFile       // nil unless running
	stdin     io.WriteCloser // nil unless running with an input
	timer     *time.Timer    // of the end; nil unless simulated and running for a time
}

func (c *container) rootfs() string { return filepath.Join(c.dir, "root") }
func (c *container) save() error    { return writeRecord(filepath.Join(c.dir, containerFile), &c.record) }

// CreateContainer lays out the container's directory. Nothing runs yet.
func (r *Runtime) CreateContainer(ctx context.Context, sandboxID string, config *cri.ContainerConfig, pod *cri.PodSandboxConfig) (string, error) {
	r.mu.Lock()
	s, ok := r.sandboxes[sandboxID]
	stopping := r.stopping
	r.mu.Unlock()
	if !ok {
		return "", status.Errorf(codes.NotFound, "sandbox %s does not exist", sandboxID)
	}
	if stopping {
		return "", errStopping
	}
	id := newID()
	record, err := r.newRecord(id, s, config, pod.GetAnnotations())
	if err != nil {
		return "", fmt.Errorf("create container %s of pod %s/%s: %w", record.Name, s.record.Namespace, s.record.Name, err)
	}
	c := &container{sandbox: s, dir: s.containerDir(id), record: record}
	err = c.create()
	if err == nil && c.record.Sandboxed {
		err = r.config.Sandboxes.Create(ctx, sandboxed.Sandbox{ID: s.record.ID, Dir: s.dir, Address: s.record.Address, Config: pod}, id, config)
	}
	if err != nil {
		_ = os.RemoveAll(c.dir)
		return "", fmt.Errorf("create container %s of pod %s/%s: %w", c.record.Name, s.record.Namespace, s.record.Name, err)
	}
	r.mu.Lock()
	r.containers[id] = c
	r.mu.Unlock()
	r.tellMissing(c)
	return id, nil
}

func (r *Runtime) newRecord(id string, s *sandbox, config *cri.ContainerConfig, pod map[string]string) (record containerRecord, err error) {
	image, name := config.GetImage().GetUserSpecifiedImage(), config.GetMetadata().GetName()
	if image == "" {
		image = config.GetImage().GetImage()
	}
	record = containerRecord{
		ID: id, SandboxID: s.record.ID, Name: name, Attempt: config.GetMetadata().GetAttempt(), Image: image,
		Labels: config.GetLabels(), Annotations: config.GetAnnotations(),
		Command: config.GetCommand(), Args: config.GetArgs(), WorkingDir: config.GetWorkingDir(),
		Stdin: config.GetStdin(), StdinOnce: config.GetStdinOnce(),
		Usage: usageFrom(pod), OOMScore: config.GetLinux().GetResources().GetOomScoreAdj(),
		State: stateCreated, CreatedAt: time.Now(),
	}
	runs, reason := r.config.Runs(pod, name)
	record.Sandboxed = !runs && r.config.Sandboxes != nil && r.config.Sandboxed(pod, name)
	if because := missingBecause(config.GetImage()); because != "" && record.Sandboxed {
		record.Sandboxed, record.Missing, reason = false, true, because
	}
	record.Simulated, record.SimulatedBecause = !runs && !record.Sandboxed, reason
	if config.GetLogPath() != "" {
		record.LogPath = filepath.Join(s.record.LogDir, config.GetLogPath())
	}
	for _, env := range config.GetEnvs() {
		record.Env = append(record.Env, variable{Name: env.GetKey(), Value: string(env.GetValue())})
	}
	for _, mount := range config.GetMounts() {
		record.Mounts = append(record.Mounts, volumeMount{ContainerPath: mount.GetContainerPath(), HostPath: mount.GetHostPath(), ReadOnly: mount.GetReadonly()})
	}
	if record.Simulated {
		record.Acting, err = actingOf(pod, name, r.config.Completes(s.record.PodUID, name))
	}
	return record, err
}

func (c *container) create() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	if !c.record.Simulated && !c.record.Sandboxed {
		if err := layOut(c.rootfs(), c.record.Mounts); err != nil {
			return err
		}
	}
	return c.save()
}

// RemoveContainer ends the container if needed and removes its directory. Removing twice is fine.
func (r *Runtime) RemoveContainer(ctx context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return nil // already gone
	}
	if err := r.StopContainer(ctx, id, 0); err != nil {
		return err
	}
	if c.record.Sandboxed {
		if err := r.config.Sandboxes.Remove(ctx, c.sandbox.record.ID, id); err != nil {
			return fmt.Errorf("remove container %s: %w", id, err)
		}
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("remove container %s: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.containers, id)
	return nil
}

// ReopenContainerLog continues in a new file at the log path, after the old one was renamed.
func (r *Runtime) ReopenContainerLog(_ context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	log := c.log
	r.mu.Unlock()
	if log == nil {
		return status.Errorf(codes.FailedPrecondition, "container %s is not running", id)
	}
	return log.reopen()
}

// UpdateContainerResources changes the limits of the pod, if it is in a sandbox: those of its containers together. Processes are not limited by
// requests and limits of containers.
func (r *Runtime) UpdateContainerResources(_ context.Context, id string, _ *cri.ContainerResources) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	return r.updateLimits(c.sandbox.record.ID)
}

func (r *Runtime) updateLimits(sandboxID string) error {
	if r.config.Sandboxes == nil {
		return nil
	}
	return r.config.Sandboxes.UpdateLimits(sandboxID)
}

func (r *Runtime) isStopping() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopping
}
