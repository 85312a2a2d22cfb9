package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// suite is the compiled tests, and the runner that starts several of them.
type suite struct {
	tests, runner string
	kubectl       string
	work          string
}

// compile makes the programs of the tests.
func compile(ctx context.Context, module, work string) (suite, error) {
	s := suite{filepath.Join(work, "e2e.test"), filepath.Join(work, "ginkgo"), filepath.Join(work, "kubectl"), work}
	for _, args := range [][]string{
		{"test", "-trimpath", "-c", "-o", s.tests, "."},
		{"build", "-trimpath", "-o", s.runner, "github.com/onsi/ginkgo/v2/ginkgo"},
		{"build", "-trimpath", "-o", s.kubectl, "k8s.io/kubernetes/cmd/kubectl"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env, cmd.Stderr = module, append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
		if err := cmd.Run(); err != nil {
			return s, fmt.Errorf("go %s in %s: %w", strings.Join(args, " "), module, err)
		}
	}
	return s, nil
}

// run is one group of tests.
type run struct {
	name       string
	kubeconfig string
	focus      string
	skip       string
	procs      int
	nodes      int
	limit      time.Duration
}

// start runs the group until its end or its limit. Tests that fail are no error. It writes a report to the directory of reports and a log beside it.
func (s suite) start(ctx context.Context, r run, reports string) error {
	stamp := r.name + "-" + time.Now().UTC().Format("20060102-150405")
	log, err := os.Create(filepath.Join(reports, stamp+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{
		"--procs=" + strconv.Itoa(r.procs), "--grace-period=1m", "--no-color", "--output-dir=" + reports,
		"--json-report=" + stamp + ".json", "--focus=" + r.focus, "--silence-skips", "--keep-going", "--timeout=" + r.limit.String(),
	}
	if r.skip != "" {
		args = append(args, "--skip="+r.skip)
	}
	args = append(args, s.tests, "--", "--kubeconfig="+r.kubeconfig, "--provider=skeleton", "--kubectl-path="+s.kubectl,
		"--num-nodes="+strconv.Itoa(r.nodes), "--dump-logs-on-failure=false", "--allowed-not-ready-nodes=0")
	// The runner gets some time to write its report after the limit.
	ctx, cancel := context.WithTimeout(ctx, r.limit+5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.runner, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.work, log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 2 * time.Minute
	err = cmd.Run()
	if _, missing := os.Stat(filepath.Join(reports, stamp+".json")); missing != nil {
		return fmt.Errorf("the group %s wrote no report (%w), see %s", r.name, err, log.Name())
	}
	return nil
}
