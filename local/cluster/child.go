package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	kindlog "sigs.k8s.io/kind/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/self"
)

// killDelay is how long the process may take to end after its context has ended.
const killDelay = 5 * time.Second

// order makes the kind library create the cluster, in a process with the given environment. The library takes proxies and the engine
// from the environment of its process only.
func (c *Cluster) order(ctx context.Context, config Config, environment []string) error {
	program := config.Program
	if program == "" {
		var err error
		if program, err = self.Path(); err != nil {
			return err
		}
	}
	_ = os.Remove(config.Kubeconfig + ".lock") // kind's, from a process that was killed; nobody else writes the file
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "component", commandName)
	cmd.Env, cmd.Stderr, cmd.WaitDelay = environment, &stderr, killDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with the commands of the engine that it runs
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", commandName, err)
	}
	sent := json.NewEncoder(in).Encode(order{Engine: c.engine.Name(), Config: config}) // stays open: its end would end the process
	last := logger{c.log}.follow(json.NewDecoder(out))
	err = errors.Join(in.Close(), cmd.Wait())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case last.Created:
		return nil
	case last.Failed != "":
		return errors.New(last.Failed)
	}
	return fmt.Errorf("%s ended: %w: %s", commandName, errors.Join(sent, err), strings.TrimSpace(stderr.String()))
}

// told is what the process tells the landscape: a line of the log, or how it ended.
type told struct {
	Warning, Error, Info string
	Level                kindlog.Level
	// Created or Failed is set at the end.
	Created bool
	Failed  string
}

// follow logs what the process tells until its end, and returns the last of it.
func (l logger) follow(in *json.Decoder) (last told) {
	for {
		last = told{}
		if err := in.Decode(&last); err != nil {
			return told{}
		}
		switch {
		case last.Created || last.Failed != "":
			return last
		case last.Warning != "":
			l.Warn(last.Warning)
		case last.Error != "":
			l.Error(last.Error)
		default:
			l.V(last.Level).Info(last.Info)
		}
	}
}
