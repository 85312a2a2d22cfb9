package pod

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// respawnPause is the time between two processes of a spawner, so that one that ends at once costs little.
const respawnPause = time.Second

// Spawner starts the agents of pods. It is a process of its own, so that this process can give up the ability to start programs. A process
// that ends is replaced, as long as this one may start programs. Its methods may be called concurrently.
type Spawner struct {
	programs sandbox.Programs
	stop     chan struct{}
	ended    chan struct{}

	mu      sync.Mutex
	current *spawning
}

// spawning is one process of a spawner.
type spawning struct {
	process *exec.Cmd
	runner  *runner
}

// NewSpawner starts the process. It ends when this process does.
func NewSpawner(programs sandbox.Programs) (*Spawner, error) {
	first, err := spawn(programs)
	if err != nil {
		return nil, err
	}
	s := &Spawner{programs: programs, stop: make(chan struct{}), ended: make(chan struct{}), current: first}
	go s.keep()
	return s, nil
}

func spawn(programs sandbox.Programs) (*spawning, error) {
	conn, other, err := wire.Pair()
	if err != nil {
		return nil, err
	}
	defer other.Close()
	cmd := exec.Command(programs.Runsc, "spawner")
	cmd.Env = []string{"PATH=/"}
	cmd.ExtraFiles = []*os.File{other}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("start the spawner of sandboxes: %w", err)
	}
	return &spawning{process: cmd, runner: newRunner(conn)}, nil
}

// keep replaces the process when it ends, until Stop, or until that is impossible.
func (s *Spawner) keep() {
	defer close(s.ended)
	for {
		current := s.now()
		select {
		case <-current.runner.ended:
		case <-s.stop:
			_ = current.process.Process.Kill()
			<-current.runner.ended
		}
		_ = current.process.Wait()
		select {
		case <-s.stop:
			return
		case <-time.After(respawnPause):
		}
		next, err := spawn(s.programs)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.current = next
		s.mu.Unlock()
	}
}

func (s *Spawner) now() *spawning {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Ended is closed when no pod can be started any more, asked or not. Pods that run go on.
func (s *Spawner) Ended() <-chan struct{} { return s.ended }

// Stop ends the process and waits for that. It may be called once.
func (s *Spawner) Stop() {
	close(s.stop)
	<-s.ended
}
