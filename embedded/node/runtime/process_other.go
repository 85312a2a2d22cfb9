//go:build !linux

package runtime

import (
	"errors"
	"os"
	"os/exec"
)

var errLinux = errors.New("embedded nodes run on Linux only")

func inNewGroup(*exec.Cmd) {}

func serveStarts(requests <-chan startRequest) {
	for request := range requests {
		request.result <- errLinux
	}
}

func awaitExit(int) {}

func limit(int, uint64, int64) error { return nil }

func (p *process) terminate() {}
func (p *process) killGroup() {}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
