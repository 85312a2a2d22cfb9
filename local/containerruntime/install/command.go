package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Name of the component.
const Name = "container-runtime"

// period is the interval between checks of the node. Others change its configuration, too.
const period = 30 * time.Second

// Options of the component.
type Options struct {
	// Root is the directory with the node's files.
	Root string
	// Handler is the name of the runtime in containerd's configuration.
	Handler string
	// BinaryPath is the node's directory for the programs of runtimes.
	BinaryPath string
	// BindAddress is where /healthz serves whether the runtime is installed.
	BindAddress string
}

// Args are the arguments that pass the options to Command.
func (o Options) Args() []string {
	return []string{"--root=" + o.Root, "--handler=" + o.Handler, "--binary-path=" + o.BinaryPath, "--bind-address=" + o.BindAddress}
}

// Command is the component container-runtime.
func Command() *cobra.Command {
	o := Options{}
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Put a container runtime on this node",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Root, "root", "", "directory with the node's files")
	flags.StringVar(&o.Handler, "handler", "", "name of the runtime in containerd's configuration")
	flags.StringVar(&o.BinaryPath, "binary-path", "/var/bin/containerruntimes", "directory of the node for programs of runtimes")
	flags.StringVar(&o.BindAddress, "bind-address", ":8080", "where to tell whether the runtime is there")
	for _, required := range []string{"root", "handler"} {
		if err := cmd.MarkFlagRequired(required); err != nil {
			panic(err) // a flag that was not declared above
		}
	}
	return cmd
}

func (o Options) run(ctx context.Context) error {
	logger := log.Log.WithName(Name)
	var installed atomic.Bool
	listener, err := net.Listen("tcp", o.BindAddress)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !installed.Load() {
			http.Error(w, "not installed yet", http.StatusServiceUnavailable)
		}
	})}
	defer server.Close()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	node := Node{Root: o.Root, Restart: func(ctx context.Context) error { return restart(ctx, o.Root) }}
	for {
		changed, err := node.Install(ctx, o.Handler, o.BinaryPath)
		installed.Store(err == nil)
		if err != nil {
			logger.Error(err, "Could not install the runtime, will try again", "handler", o.Handler)
		} else if changed {
			logger.Info("Installed the runtime", "handler", o.Handler)
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return fmt.Errorf("serve: %w", err)
		case <-time.After(period):
		}
	}
}

// restart asks the node's systemd to restart containerd, through the node's file system. Containers keep running
// meanwhile, also the one of this process.
func restart(ctx context.Context, root string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "/usr/bin/systemctl", "restart", "containerd.service")
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "SYSTEMD_IGNORE_CHROOT=1")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &output, 5*time.Second
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("systemctl: %w", err), errors.New(strings.TrimSpace(output.String())))
	}
	return nil
}
