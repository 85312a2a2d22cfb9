package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// routeProtocol marks the routes of this program; see rtnetlink(7): values from 5 on are free for daemons.
const routeProtocol = "97"

// writeConfig writes the CNI configuration atomically, since containerd reads it as soon as it appears.
func writeConfig(dir, podRange string) error {
	data, err := json.MarshalIndent(map[string]any{
		"cniVersion": "0.4.0",
		"name":       "podnet",
		"plugins": []any{
			map[string]any{
				"type": "ptp", "ipMasq": false,
				"ipam": map[string]any{
					"type": "host-local", "dataDir": "/run/cni-ipam-state",
					"routes": []any{map[string]any{"dst": "0.0.0.0/0"}},
					"ranges": []any{[]any{map[string]any{"subnet": podRange}}},
				},
			},
			map[string]any{"type": "portmap", "capabilities": map[string]any{"portMappings": true}},
		},
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	if err := atomicfile.Update(filepath.Join(dir, configFile), data, 0o644, 0o755); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}

// masquerade gives packets that leave the cluster the address of the node.
func masquerade(ctx context.Context, own, podRange string) error {
	rule := []string{"POSTROUTING", "--source", own, "!", "--destination", podRange, "--jump", "MASQUERADE"}
	base := []string{"--wait", "--table", "nat"}
	if _, err := command(ctx, "iptables", append(append(base, "--check"), rule...)...); err == nil {
		return nil
	}
	_, err := command(ctx, "iptables", append(append(base, "--append"), rule...)...)
	return err
}

// setRoutes makes the routes with our protocol exactly those given: pod range to address of its node.
func setRoutes(ctx context.Context, routes map[string]string) error {
	out, err := command(ctx, "ip", "-4", "route", "show", "proto", routeProtocol)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(out, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || routes[fields[0]] != "" {
			continue
		}
		if _, err := command(ctx, "ip", "route", "del", fields[0], "proto", routeProtocol); err != nil {
			return err
		}
	}
	for target, gateway := range routes {
		if _, err := command(ctx, "ip", "route", "replace", target, "via", gateway, "proto", routeProtocol); err != nil {
			return err
		}
	}
	return nil
}

func command(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}
