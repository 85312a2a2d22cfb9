package groups

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// MemoryOf returns how many bytes of memory a process and all of its descendants take. It is for sandboxes without a control group. It adds up the memory of
// the processes themselves, and the files in memory that they have open: gVisor keeps the memory of all containers in such a file, and maps parts of
// it only. So what is mapped says little. Memory of programs and other files does not count, since the kernel can read it again.
func MemoryOf(pid int) int64 {
	var sum int64
	seen := map[fileID]bool{}
	for _, pid := range descendants(pid) {
		sum += anonymous(pid) + filesInMemory(pid, seen)
	}
	return sum
}

// descendants are a process and all that it or its children have started. A process whose parent has ended is a child of the first process of the pod.
func descendants(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		files, _ := filepath.Glob("/proc/" + strconv.Itoa(all[i]) + "/task/*/children")
		for _, name := range files {
			text, _ := os.ReadFile(name)
			for _, word := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(word); err == nil {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// anonymous is the memory of a process that belongs to no file, in bytes.
func anonymous(pid int) int64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "RssAnon:" {
			kibibytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}

type fileID struct{ device, inode uint64 }

// blockSize is the unit of the size of files on disk and in memory, in bytes, wherever they are.
const blockSize = 512

// filesInMemory is what the files take, in bytes, that were made by memfd_create and that this process has open. Others may have them open, too, so each
// counts once.
func filesInMemory(pid int, seen map[fileID]bool) (sum int64) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if link, err := os.Readlink(path); err != nil || !strings.HasPrefix(link, "/memfd:") {
			continue
		}
		var file syscall.Stat_t
		if syscall.Stat(path, &file) != nil {
			continue
		}
		id := fileID{uint64(file.Dev), file.Ino}
		if !seen[id] {
			seen[id], sum = true, sum+file.Blocks*blockSize
		}
	}
	return sum
}
