package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/removetree"
)

// EndAndRemove ends the processes that still run in a directory and removes the directory.
func EndAndRemove(dir string) error {
	if err := killBelow(dir); err != nil {
		return err
	}
	return RemoveAll(dir)
}

// RemoveAll removes a directory even if directories below it lack the permissions for that, or are deeper than any path, as volumes of pods
// may. It goes on until it is done: what is removed by half is of no use.
func RemoveAll(root string) error { return removetree.All(context.Background(), root) }

// killBelow ends all processes whose working directory is below dir, which are containers of embedded nodes and of
// nodes within them. They usually end with their parents. killBelow ends those that did not.
func killBelow(dir string) error {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		pids := processesBelow(dir)
		if len(pids) == 0 {
			return nil
		}
		var errs []error
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				errs = append(errs, fmt.Errorf("kill process %d: %w", pid, err))
			}
		}
		if err := errors.Join(errs...); err != nil || time.Now().After(deadline) {
			return errors.Join(err, fmt.Errorf("processes %v do not end", pids))
		}
	}
}

func processesBelow(dir string) []int {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	var pids []int
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(cwd, dir+"/") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}
