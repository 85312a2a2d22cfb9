package machine

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func cores() int { return runtime.NumCPU() }

// Memory returns how many bytes of memory the machine has, 0 if that is unknown.
func Memory() uint64 {
	total, _ := memory()
	return total
}

// memory returns total and available bytes.
func memory() (total, available uint64) {
	values := keyed("/proc/meminfo", ":")
	return kibibytes(values["MemTotal"]), kibibytes(values["MemAvailable"])
}

func kibibytes(text string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
	return n << 10
}

// busy returns the CPU time used since boot by all cores.
func busy() time.Duration {
	const tick = 10 * time.Millisecond // of /proc/stat
	var total int64
	fields := strings.Fields(firstLine("/proc/stat")) // cpu user nice system idle iowait irq softirq steal
	for i, field := range fields {
		if i == 0 || i == 4 || i == 5 || i > 8 {
			continue
		}
		n, _ := strconv.ParseInt(field, 10, 64)
		total += n
	}
	return time.Duration(total) * tick
}

func kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

func osImage() string {
	if name := strings.Trim(keyed("/etc/os-release", "=")["PRETTY_NAME"], `"`); name != "" {
		return name
	}
	return runtime.GOOS
}

// keyed reads a file of lines "key<separator>value".
func keyed(path, separator string) map[string]string {
	values := map[string]string{}
	file, err := os.Open(path)
	if err != nil {
		return values
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), separator); ok {
			values[key] = value
		}
	}
	return values
}

func firstLine(path string) string {
	data, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}
