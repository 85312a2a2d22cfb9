package runtime

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// runInTerminal runs cmd in its own pseudo terminal until cmd or ctx ends.
func runInTerminal(ctx context.Context, cmd *exec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	return inTerminal(ctx, in, out, resize, func(device *os.File) error {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = device, device, device
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		cmd.Env = append(cmd.Env, "TERM=xterm")
		p, err := startProcess(cmd)
		_ = device.Close()
		if err != nil {
			return err
		}
		return p.result(ctx, cmd.Args)
	})
}

// inTerminal connects the streams with a new pseudo terminal while run runs. run gets the device, and may close it.
func inTerminal(ctx context.Context, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize, run func(device *os.File) error) error {
	terminal, device, err := openTerminal()
	if err != nil {
		return fmt.Errorf("open terminal: %w", err)
	}
	defer terminal.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go followSize(ctx, terminal, resize)
	if in != nil {
		go func() { _, _ = io.Copy(terminal, in) }()
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		if out != nil {
			_, _ = io.Copy(out, terminal) // ends with an error when the last process closes the device
		}
	}()
	err = run(device)
	_ = device.Close()
	<-shown
	return err
}

func openTerminal() (terminal, device *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	terminal = os.NewFile(uintptr(fd), "/dev/ptmx")
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		device, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		_ = terminal.Close()
		return nil, nil, err
	}
	return terminal, device, nil
}

func followSize(ctx context.Context, terminal *os.File, resize <-chan remotecommand.TerminalSize) {
	for {
		select {
		case <-ctx.Done():
			return
		case size, ok := <-resize:
			if !ok {
				return
			}
			conn, err := terminal.SyscallConn()
			if err != nil {
				return
			}
			_ = conn.Control(func(fd uintptr) { // fails once closed
				_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Height, Col: size.Width})
			})
		}
	}
}
