package etcd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapFile unmaps all pages of a file that is mapped without being changed through it. They are mapped again when they are used.
func unmapFile(path string) error {
	file, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer file.Close()
	var errs []error
	lines := bufio.NewScanner(file)
	for lines.Scan() { // <start>-<end> <permissions> <offset> <device> <inode> <path>
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[1] != "r--s" || !strings.HasSuffix(lines.Text(), " "+path) {
			continue
		}
		var start, end uintptr
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end); err != nil {
			return fmt.Errorf("read mappings of this process: %w", err)
		}
		if _, _, code := unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED); code != 0 {
			errs = append(errs, fmt.Errorf("unmap pages of %s: %w", path, code))
		}
	}
	return errors.Join(append(errs, lines.Err())...)
}
