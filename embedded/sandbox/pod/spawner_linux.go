package pod

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Spawner starts the agents of pods. It is a process of its own, so that this process can give up the ability to start programs. Its
// methods may be called concurrently.
type Spawner struct {
	programs sandbox.Programs
	process  *exec.Cmd
	runner   *runner
}

// NewSpawner starts the process. It ends when this process does.
func NewSpawner(programs sandbox.Programs) (*Spawner, error) {
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
	return &Spawner{programs: programs, process: cmd, runner: newRunner(conn)}, nil
}

// Ended is closed when the process has ended, asked or not. Pods that run go on.
func (s *Spawner) Ended() <-chan struct{} { return s.runner.ended }

// Stop ends the process and waits for that. It may be called once.
func (s *Spawner) Stop() {
	_ = s.process.Process.Kill()
	<-s.runner.ended
	_ = s.process.Wait()
}
