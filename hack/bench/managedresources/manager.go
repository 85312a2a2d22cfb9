package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// manager is a resource manager that runs as a process, as in the control plane of a shoot.
type manager struct {
	cmd  *exec.Cmd
	once sync.Once

	begin time.Time     // start of the measurement of processor time
	spent time.Duration // processor time until then
}

func (b *bench) startManager() (*manager, error) {
	log, err := os.Create(filepath.Join(b.env.Dir, "resource-manager.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(b.binary, "component", "resource-manager", "--source-kubeconfig="+b.env.Kubeconfig, "--bind-address=0")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "GOGC=25") // as in pods
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start resource manager: %w", err)
	}
	return &manager{cmd: cmd}, nil
}

func (m *manager) stop() {
	m.once.Do(func() {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
	})
}

// memory returns the private memory of the process. The program text is shared with all other components.
func (m *manager) memory() string {
	if m.begin.IsZero() {
		m.begin, m.spent = time.Now(), m.processor()
	}
	file, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", m.cmd.Process.Pid))
	if err != nil {
		return "?"
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "Anonymous:"); found {
			var kib int
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return fmt.Sprintf("%d MiB", kib/1024)
			}
		}
	}
	return "?"
}

// usage is the share of one core since memory was called first.
func (m *manager) usage() string {
	return fmt.Sprintf("%.1f %%", 100*float64(m.processor()-m.spent)/float64(time.Since(m.begin)))
}

func (m *manager) processor() time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	var user, system time.Duration
	if len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11], (*int64)(&user))
		_, _ = fmt.Sscan(fields[12], (*int64)(&system))
	}
	return (user + system) * 10 * time.Millisecond // ticks of Linux
}
