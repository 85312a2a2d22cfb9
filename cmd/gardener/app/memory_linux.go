package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapStart unmaps the pages of this binary's code and constants. Most of them were needed only to start. Pages
// that are still needed are mapped again from the page cache when they are touched. Mappings that may differ from
// the file are left alone.
func unmapStart() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer file.Close()
	for _, m := range unchanged(bufio.NewScanner(file), exe) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.length, unix.MADV_DONTNEED) // best effort
	}
}

type mapping struct{ start, length uintptr }

// unchanged returns the mappings of a file, as listed in /proc/<pid>/smaps, that are not writable and have no
// private pages.
func unchanged(lines *bufio.Scanner, path string) (found []mapping) {
	var current *mapping
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if m, ok := header(fields); ok {
			current = nil
			if len(fields) >= 6 && strings.Join(fields[5:], " ") == path && !strings.Contains(fields[1], "w") {
				current = &m
			}
			continue
		}
		if current != nil && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0" {
			found = append(found, *current)
		}
	}
	return found
}

// header reads the first line of a mapping: "<start>-<end> <permissions> <offset> <device> <inode> [<path>]".
func header(fields []string) (mapping, bool) {
	if len(fields) < 5 {
		return mapping{}, false
	}
	from, to, found := strings.Cut(fields[0], "-")
	start, err := strconv.ParseUint(from, 16, 64)
	if !found || err != nil {
		return mapping{}, false
	}
	end, err := strconv.ParseUint(to, 16, 64)
	if err != nil || end < start {
		return mapping{}, false
	}
	return mapping{uintptr(start), uintptr(end - start)}, true
}
