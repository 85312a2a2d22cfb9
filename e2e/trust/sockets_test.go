package trust

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
)

// inodes are the sockets of the landscape's processes, each with its process.
func (f *fixture) inodes() map[string]int {
	found := map[string]int{}
	for pid := range f.Processes() {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, link := range open {
			if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, "socket:[") {
				found[strings.Trim(target, "socket:[]")] = pid
			}
		}
	}
	return found
}

// listeners are the TCP addresses that the landscape's processes listen on, each with the process.
func (f *fixture) listeners() map[string]int {
	f.t.Helper()
	found := map[string]int{}
	own := f.inodes()
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // a machine without IPv6
		}
		const listening = "0A"
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != listening || own[fields[9]] == 0 {
				continue
			}
			address := parseAddress(fields[1])
			if address == "" {
				f.t.Errorf("a process listens on %s in %s", fields[1], table)
				continue
			}
			found[address] = own[fields[9]]
		}
	}
	return found
}

// parseAddress parses an IPv4 address and port as the kernel prints them; empty if it is none.
func parseAddress(text string) string {
	var ip [4]byte
	var port uint16
	if _, err := fmt.Sscanf(text, "%02X%02X%02X%02X:%04X", &ip[3], &ip[2], &ip[1], &ip[0], &port); err != nil || len(text) != len("00000000:0000") {
		return ""
	}
	return netip.AddrPortFrom(netip.AddrFrom4(ip), port).String()
}
