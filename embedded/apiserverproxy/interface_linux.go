package apiserverproxy

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/vishvananda/netlink"
)

// interfaceName is the name of the interface with the address.
const interfaceName = "apiserver-proxy"

// takeAddress adds the address to the interface, and creates the interface if needed. It removes other addresses
// from an interface that it created. It may run any number of times.
func takeAddress(address netip.Addr) error {
	link, err := netlink.LinkByName(interfaceName)
	if notFound := (netlink.LinkNotFoundError{}); errors.As(err, &notFound) {
		link, err = makeInterface()
	}
	if err != nil {
		return fmt.Errorf("make interface %s: %w", interfaceName, err)
	}
	wanted := &netlink.Addr{IPNet: &net.IPNet{IP: address.AsSlice(), Mask: net.CIDRMask(address.BitLen(), address.BitLen())}}
	present, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("list addresses of %s: %w", interfaceName, err)
	}
	for i := range present {
		if link.Attrs().Name == interfaceName && !present[i].IP.Equal(wanted.IP) && !present[i].IP.IsLinkLocalUnicast() {
			_ = netlink.AddrDel(link, &present[i])
		}
	}
	if err := netlink.AddrAdd(link, wanted); err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, syscall.EEXIST) {
		return fmt.Errorf("add %s to %s: %w", address, interfaceName, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up %s: %w", interfaceName, err)
	}
	return nil
}

func makeInterface() (netlink.Link, error) {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = interfaceName
	if err := netlink.LinkAdd(&netlink.Dummy{LinkAttrs: attributes}); err != nil && !errors.Is(err, syscall.EEXIST) {
		// A kernel without dummy interfaces uses the loopback interface for the address.
		return netlink.LinkByName("lo")
	}
	return netlink.LinkByName(interfaceName)
}
