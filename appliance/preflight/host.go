package preflight

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/prometheus/procfs"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/local/doctor"
)

const (
	// minFreeBytes is enough for etcd, logs and certificates of a small landscape.
	minFreeBytes = 512 << 20
	// minOpenFiles is enough for three shoots. Every child process has a limit of its own.
	minOpenFiles = 1024
	// goodMemory is what a landscape and one shoot use, in bytes.
	goodMemory = 1 << 30
)

func openFiles() (string, error) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return "not limited", nil
	}
	return checkOpenFiles(files)
}

// checkOpenFiles compares with the hard limit, to which each process of the landscape raises the soft one.
func checkOpenFiles(files syscall.Rlimit) (string, error) {
	if files.Max < minOpenFiles {
		return "", fmt.Errorf("only %d open files are allowed, %d are needed: raise the limit (ulimit -n)", files.Max, minOpenFiles)
	}
	return fmt.Sprintf("%d are allowed", files.Max), nil
}

func writable(p paths.Paths) error {
	dir := existingParent(p.Root())
	if err := syscall.Access(dir, 2 /* W_OK */); err != nil {
		return fmt.Errorf("%s is not writable: %w", dir, err)
	}
	return nil
}

func disk(p paths.Paths) (string, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(existingParent(p.Root()), &fs); err != nil {
		return "unknown", nil
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if free < minFreeBytes {
		return "", fmt.Errorf("%w %s: only %d MiB of disk are free, %d are needed", state.ErrDirectory, p.Root(), free>>20, minFreeBytes>>20)
	}
	return fmt.Sprintf("%d GiB are free", free>>30), nil
}

// memory only warns, since a landscape starts with less, and some of it can be swapped.
func memory() doctor.Finding {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return doctor.Finding{Check: "memory", State: doctor.OK, Message: "unknown"}
	}
	info, err := proc.Meminfo()
	if err != nil || info.MemAvailableBytes == nil {
		return doctor.Finding{Check: "memory", State: doctor.OK, Message: "unknown"}
	}
	return checkMemory(*info.MemAvailableBytes)
}

func checkMemory(available uint64) doctor.Finding {
	finding := doctor.Finding{Check: "memory", State: doctor.OK, Message: fmt.Sprintf("%.1f GiB are available", float64(available)/(1<<30))}
	if available < goodMemory {
		finding.State = doctor.Warning
		finding.Message = fmt.Sprintf("only %d MiB are available, a landscape and a shoot use %d", available>>20, goodMemory>>20)
		finding.Cure = "end other programs, or create shoots without workers"
	}
	return finding
}

func existingParent(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == "/" {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
