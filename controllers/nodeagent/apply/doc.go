// Package apply brings about on a machine what an OperatingSystemConfig says: files, systemd units and containerd's
// configuration. It talks to no API server and knows nothing about nodes.
package apply
