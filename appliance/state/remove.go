package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EndAndRemove ends the processes that still run in a directory and removes the directory.
func EndAndRemove(dir string) error {
	if err := killBelow(dir); err != nil {
		return err
	}
	return RemoveAll(dir)
}

// RemoveAll removes a directory even if directories below it lack the permissions for that, as volumes of pods may.
func RemoveAll(root string) error {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(root)
}

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
