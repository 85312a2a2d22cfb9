//go:build !linux

package runtime

import (
	"context"
	"io"
	"os/exec"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

func runInTerminal(context.Context, *exec.Cmd, io.Reader, io.Writer, <-chan remotecommand.TerminalSize) error {
	return errLinux
}
