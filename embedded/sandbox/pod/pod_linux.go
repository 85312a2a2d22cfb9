package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Config is the input of Start.
type Config struct {
	// ID is unique among all pods of the machine's user.
	ID string
	// Hostname is what the containers see.
	Hostname string
	// Dir is an absolute directory for the state of the sandbox. Nothing in it is of use for another Pod.
	Dir string
	// Network is how the pod is connected.
	Network podnet.Config
	// Scratch are absolute directories of the machine, without symbolic links, that only containers of this pod use. The sandbox keeps what containers write
	// there in files in these directories, with any owner.
	Scratch []string
	// Group is the control group in which the pod gets one of its own. Its zero value makes none.
	Group groups.Group
	// Limits are those of all containers together. The sandbox gets its overhead in addition. Without a group they are no more than a record for the caller.
	Limits groups.Limits
	// OOMScore is the least oom_score_adj of all processes of the pod, from 0 to 1000.
	OOMScore int
}

// Pod is a sandbox that runs. Its methods may be called concurrently.
type Pod struct {
	config   Config
	programs sandbox.Programs
	agent    *runner
	process  *command // of the agent
	network  *podnet.Network
	// files is Config.Dir, which gVisor can write to: no link leads out of it.
	files *os.Root
	end   end
}

// Start makes the sandbox, with no container in it. ctx bounds starting only.
func (s *Spawner) Start(ctx context.Context, config Config) (*Pod, error) {
	for _, dir := range []string{config.state(), config.layers(), config.bundle(config.ID)} { // gVisor does not run yet
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("start sandbox: %w", err)
		}
	}
	var err error
	if config.Dir, err = filepath.EvalSymlinks(config.Dir); err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	pause, err := filepath.EvalSymlinks(s.programs.PauseRoot)
	if err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	group, err := config.makeGroup()
	if err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	p, network, err := s.startAgent(config, group)
	if err != nil {
		return nil, fmt.Errorf("start sandbox: %w", errors.Join(err, group.Remove()))
	}
	go p.noteEnd()
	if p.network, err = podnet.New(ctx, network.UnixConn, config.Network); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start sandbox: %w%s", errors.Join(p.notStarted(), err), p.said())
	}
	scratch, binds := config.scratch()
	binds = append(binds, wire.Bind{Source: pause, Name: pauseMount})
	err = p.create(ctx, config.ID, pauseSpec(config, at(pauseMount), scratch), binds)
	if err == nil {
		err = p.StartContainer(ctx, config.ID, Streams{})
	}
	if err == nil {
		err = p.SetLimits(config.Limits)
	}
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("start sandbox: %w%s", err, p.said())
	}
	return p, nil
}

// startAgent also returns the connection for the network of the pod.
func (s *Spawner) startAgent(config Config, group groups.Group) (_ *Pod, network wire.Conn, err error) {
	conn, other, err := wire.Pair()
	if err != nil {
		return nil, network, err
	}
	defer other.Close()
	network, otherNetwork, err := wire.Pair()
	if err != nil {
		_ = conn.Close()
		return nil, network, err
	}
	defer otherNetwork.Close()
	defer func() {
		if err != nil {
			_, _ = conn.Close(), network.Close()
		}
	}()
	output, err := os.OpenFile(config.output(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, network, err
	}
	defer output.Close()
	doors, err := group.Doors()
	if err != nil {
		return nil, network, err
	}
	defer wire.Close(doors)
	args := []string{"agent", config.Dir, strconv.Itoa(len(doors)), strconv.Itoa(config.OOMScore)}
	process, err := s.now().runner.start(wire.Run{Args: args, Namespaces: true}, Streams{nil, output, output}, append([]*os.File{other, otherNetwork}, doors...)...)
	if err != nil {
		return nil, network, err
	}
	files, err := os.OpenRoot(config.Dir)
	if err != nil {
		process.signal(syscall.SIGKILL)
		return nil, network, err
	}
	return &Pod{
		config: config, programs: s.programs, agent: newRunner(conn), process: process, files: files,
		end: end{group: group, noted: make(chan struct{})},
	}, network, nil
}

func (c Config) state() string           { return filepath.Join(c.Dir, "state") }
func (c Config) layers() string          { return filepath.Join(c.Dir, "layers") }
func (c Config) output() string          { return filepath.Join(c.Dir, outputFile) }
func (c Config) log() string             { return filepath.Join(c.Dir, logFile) }
func (c Config) bundle(id string) string { return filepath.Join(c.Dir, bundle(id)) }

// Paths in Config.Dir.
const (
	outputFile = "agent.log"
	logFile    = "runsc.log"
)

func bundle(id string) string { return filepath.Join("bundles", id) }

// notStarted is the reason why a stopped agent has never run; nil if it has.
func (p *Pod) notStarted() error {
	<-p.end.noted
	if p.end.failure == "" {
		return nil
	}
	return fmt.Errorf("namespaces for a sandbox (user, network, processes, mounts): %s", p.end.failure)
}

// said is what the agent wrote, which explains why it ended.
func (p *Pod) said() string {
	content, _ := os.ReadFile(p.config.output()) // no program of users has run yet
	if len(content) == 0 {
		return ""
	}
	return ": " + strings.TrimSpace(string(content))
}

// Dir is Config.Dir, without symbolic links.
func (p *Pod) Dir() string { return p.config.Dir }

// Ended is closed when the sandbox has ended, asked or not.
func (p *Pod) Ended() <-chan struct{} { return p.agent.ended }

// Network is the network of the pod.
func (p *Pod) Network() *podnet.Network { return p.network }

// Stop ends all processes of the pod and its network, waits for that, and removes the control group of the pod. It may be called twice.
func (p *Pod) Stop() {
	p.process.signal(syscall.SIGKILL)
	_ = p.agent.conn.CloseWrite() // with which the agent ends, also where the spawner that could kill it has ended
	<-p.agent.ended
	if p.network != nil {
		p.network.Close()
	}
	_ = p.files.Close()
	<-p.end.noted
	_ = p.end.group.Remove() // what stays is removed with the group of the node
}

// Create prepares a container.
func (p *Pod) Create(ctx context.Context, c Container) error {
	root := filepath.Join(bundle(c.ID), "root")
	if err := p.files.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("create container %s: %w", c.Name, err)
	}
	var err error
	if c.Image, err = filepath.EvalSymlinks(c.Image); err != nil {
		return fmt.Errorf("create container %s: %w", c.Name, err)
	}
	c, binds := p.config.private(c)
	if err := p.create(ctx, c.ID, containerSpec(c, p.config, filepath.Join(p.config.Dir, root)), binds); err != nil {
		p.agent.unbind(c.ID) // some may have been made
		return fmt.Errorf("create container %s: %w", c.Name, err)
	}
	return nil
}

func (p *Pod) create(ctx context.Context, id string, spec *specs.Spec, binds []wire.Bind) error {
	content, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if err := p.files.WriteFile(filepath.Join(bundle(id), "config.json"), content, 0o600); err != nil {
		return err
	}
	return p.run(ctx, wire.Run{Args: p.args("create", "--bundle", p.config.bundle(id), id), Binds: binds}, Streams{}, "create")
}

// StartContainer runs a container that was created.
func (p *Pod) StartContainer(ctx context.Context, id string, streams Streams) error {
	return p.do(ctx, streams, "start", id)
}

// Wait returns the exit code of a container when it has ended: 128 and the number of the signal that ended it, if one did.
func (p *Pod) Wait(ctx context.Context, id string) (int, error) {
	output, err := p.ask(ctx, "wait", id)
	if err != nil {
		return 0, err
	}
	var result struct {
		Status syscall.WaitStatus `json:"exitStatus"`
	}
	if err := json.Unmarshal([]byte(output), &result); err != nil {
		return 0, fmt.Errorf("runsc wait said %q: %w", output, err)
	}
	return int(result.Status), nil
}

// Signal sends a signal to the first process of a container, or to all of its processes.
func (p *Pod) Signal(ctx context.Context, id string, number syscall.Signal, all bool) error {
	args := []string{"kill"}
	if all {
		args = append(args, "--all")
	}
	return p.do(ctx, Streams{}, append(args, id, strconv.Itoa(int(number)))...)
}

// Exec runs a command in a container until it ends or, after killing it, ctx does. It returns the exit code.
func (p *Pod) Exec(ctx context.Context, id string, command Command, streams Streams) (int, error) {
	args := []string{"exec"}
	if command.Dir != "" {
		args = append(args, "--cwd", command.Dir)
	}
	args = append(append(args, id), command.Args...)
	running, err := p.agent.start(wire.Run{Args: p.args(args...), Terminal: command.Terminal}, streams)
	if err != nil {
		return 0, err
	}
	return running.wait(ctx)
}

// Command is what Exec runs.
type Command struct {
	// Args are the program, which is looked for in the PATH of the container, and its arguments.
	Args []string
	// Dir is the working directory; empty means that of the container.
	Dir string
	// Terminal means that the streams are a terminal.
	Terminal bool
}

// Delete ends a container and removes everything that belongs to it.
func (p *Pod) Delete(ctx context.Context, id string) error {
	if err := p.do(ctx, Streams{}, "delete", "--force", id); err != nil {
		return err
	}
	p.agent.unbind(id)
	return p.files.RemoveAll(bundle(id))
}

// do runs a command of runsc whose output does not matter, until it succeeds or fails.
func (p *Pod) do(ctx context.Context, streams Streams, command ...string) error {
	return p.run(ctx, wire.Run{Args: p.args(command...)}, streams, command[0])
}

func (p *Pod) run(ctx context.Context, run wire.Run, streams Streams, command string) error {
	running, err := p.agent.start(run, streams)
	if err != nil {
		return err
	}
	code, err := running.wait(ctx)
	if err == nil && code != 0 {
		err = p.lastError(command, code)
	}
	return err
}

// ask runs a command of runsc and returns its output.
func (p *Pod) ask(ctx context.Context, command ...string) (string, error) {
	code, output, err := p.agent.ask(ctx, p.args(command...)...)
	if err == nil && code != 0 {
		err = p.lastError(command[0], code)
	}
	return output, err
}

// args precedes a command of runsc with the flags that all commands need. Containers use the sockets of the pod's network.
func (p *Pod) args(command ...string) []string {
	return append([]string{
		"--root", p.config.state(), "--network=host", "--ignore-cgroups", "--host-uds=none",
		"--overlay2", "root:dir=" + p.config.layers(),
		"--log", p.config.log(), "--log-format=json",
	}, command...)
}

// lastError is what runsc logged last. It logs errors only.
func (p *Pod) lastError(command string, code int) error {
	content, _ := p.files.ReadFile(logFile)
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	var said struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal([]byte(lines[len(lines)-1]), &said) != nil || said.Message == "" {
		return fmt.Errorf("runsc %s: exit code %d", command, code)
	}
	return fmt.Errorf("runsc %s: %s", command, said.Message)
}
