package appliance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killBelow ends all processes whose working directory is below dir: containers of embedded nodes, also of nodes
// within nodes. They die with their parents anyway; this is for what escaped.
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
