package cli

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listening is the state of listening sockets in /proc/net/tcp.
const listening = "0A"

// inodeField is the number of the field of a socket's inode in /proc/net/tcp.
const inodeField = 9

// ServicePorts returns the addresses in the landscape's ranges for pods and Services at which its processes listen. A
// further seed of another landscape may have a part of these ranges.
func (l *Landscape) ServicePorts() []string {
	return l.portsOf(slices.Collect(maps.Keys(l.Processes())))
}

func (l *Landscape) portsOf(pids []int) []string {
	file, err := os.Open("/proc/net/tcp")
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	pods, services := netip.MustParsePrefix(l.ranges.pods), netip.MustParsePrefix(l.ranges.services)
	sockets := socketsOf(pids)
	var found []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		if len(fields) <= inodeField || fields[3] != listening || !sockets[fields[inodeField]] {
			continue
		}
		address, ok := parseSocket(fields[1])
		if ok && (pods.Contains(address.Addr()) || services.Contains(address.Addr())) {
			found = append(found, address.String())
		}
	}
	slices.Sort(found)
	return found
}

// socketsOf returns the inodes of the sockets that processes have open.
func socketsOf(pids []int) map[string]bool {
	inodes := map[string]bool{}
	for _, pid := range pids {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, file := range files {
			target, _ := os.Readlink(file) // it may be closed meanwhile
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return inodes
}

// parseSocket parses an address as printed by the kernel: four bytes in the machine's byte order, a colon, the port.
func parseSocket(text string) (netip.AddrPort, bool) {
	var port uint16
	ip, rest, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(ip)
	if _, scanErr := fmt.Sscanf(rest, "%04X", &port); err != nil || scanErr != nil || len(raw) != 4 {
		return netip.AddrPort{}, false
	}
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], binary.NativeEndian.Uint32(raw))
	return netip.AddrPortFrom(netip.AddrFrom4(bytes), port), true
}
