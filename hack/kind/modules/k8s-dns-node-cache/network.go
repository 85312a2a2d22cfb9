package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const (
	link     = "nodelocaldns"
	loopback = "lo"
)

// takeAddresses adds the addresses to their own link, or to the loopback link if the kernel supports no others.
func takeAddresses(addresses []string) error {
	device := link
	if err := command("ip", "link", "add", link, "type", "dummy"); err != nil && !strings.Contains(err.Error(), "File exists") {
		fmt.Fprintln(os.Stderr, "k8s-dns-node-cache: no link of its own:", err)
		device = loopback
	}
	for _, address := range addresses {
		if err := command("ip", "addr", "replace", address+"/32", "dev", device); err != nil {
			return err
		}
	}
	for _, rule := range rules(addresses) {
		if command("iptables", rule("--check")...) == nil {
			continue
		}
		if err := command("iptables", rule("--append")...); err != nil { // without the rules, queries bypass the cache and are still answered
			fmt.Fprintln(os.Stderr, "k8s-dns-node-cache:", err)
		}
	}
	return nil
}

// releaseAddresses removes what takeAddresses added, as far as possible.
func releaseAddresses(addresses []string) {
	for _, rule := range rules(addresses) {
		_ = command("iptables", rule("--delete")...)
	}
	if command("ip", "link", "del", link) == nil {
		return
	}
	for _, address := range addresses {
		_ = command("ip", "addr", "del", address+"/32", "dev", loopback)
	}
}

// rules prevent kube-proxy from forwarding queries for an address of the cache, since it handles only tracked
// connections.
func rules(addresses []string) []func(action string) []string {
	var out []func(string) []string
	for _, address := range addresses {
		for _, protocol := range []string{"udp", "tcp"} {
			for _, match := range [][]string{
				{"PREROUTING", "--destination", address, "--protocol", protocol, "--dport", "53"},
				{"OUTPUT", "--destination", address, "--protocol", protocol, "--dport", "53"},
				{"OUTPUT", "--source", address, "--protocol", protocol, "--sport", "53"},
			} {
				out = append(out, func(action string) []string {
					return append(append([]string{"--wait", "--table", "raw", action}, match...), "--jump", "NOTRACK")
				})
			}
		}
	}
	return out
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
