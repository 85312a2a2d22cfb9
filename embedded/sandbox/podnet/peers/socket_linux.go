package peers

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
)

// network is that of the sockets: packets in order, with an end.
const network = "unixpacket"

// fileOf is the name of the socket of the node whose pods have addresses in the range.
func fileOf(pods netip.Prefix) string { return strings.ReplaceAll(pods.Masked().String(), "/", "_") }

// rangeOf is the inverse of fileOf.
func rangeOf(file string) (netip.Prefix, bool) {
	pods, err := netip.ParsePrefix(strings.ReplaceAll(file, "_", "/"))
	return pods, err == nil
}

// through gives use a path of the file that is short enough for the address of a socket, whatever the directory is called.
func through(dir, file string, use func(address *net.UnixAddr) error) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	return use(&net.UnixAddr{Net: network, Name: filepath.Join("/proc/self/fd", fmt.Sprint(opened.Fd()), file)})
}
