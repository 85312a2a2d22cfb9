package cli

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// listening is the state of listening sockets in /proc/net/tcp.
const listening = "0A"

// ServicePorts returns the listening addresses in the landscape's ranges for pods and Services.
func (l *Landscape) ServicePorts() []string {
	file, err := os.Open("/proc/net/tcp")
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	pods, services := netip.MustParsePrefix(l.ranges.pods), netip.MustParsePrefix(l.ranges.services)
	var found []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		if len(fields) < 4 || fields[3] != listening {
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
