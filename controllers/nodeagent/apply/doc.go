// Package apply applies an OperatingSystemConfig to a machine: files, systemd units and the configuration of
// containerd. It talks to no API server and knows nothing about nodes.
package apply
