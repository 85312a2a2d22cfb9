package rows

import (
	"strings"
	"testing"
	"time"
)

const bastionManifest = `apiVersion: operations.gardener.cloud/v1alpha1
kind: Bastion
metadata: {name: alice, namespace: garden-local}
spec:
  shootRef: {name: rows}
  sshPublicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice
  ingress: [{ipBlock: {cidr: 127.0.0.0/8}}]
`

// bastion creates a Bastion, checks both objects and deletes it.
func bastion(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "create", "-f", f.File("bastion.yaml", bastionManifest))
	f.Eventually(time.Minute, "the bastion is ready", func() (bool, string) {
		got := f.garden("bastion/alice", `{.status.conditions[?(@.type=="BastionReady")].status} {.status.ingress.ip} {.spec.seedName} {.spec.providerType}`)
		return got == "True 127.0.0.1 local local", got
	})
	got := f.seed("bastions.extensions.gardener.cloud/alice", "{.spec.type} {.spec.ingress[0].ipBlock.cidr} {.status.lastOperation.state} {.status.ingress.ip}")
	if got != "local 127.0.0.0/8 Succeeded 127.0.0.1" {
		t.Errorf("the bastion in the seed has %q", got)
	}
	before := parseTime(t, f.garden("bastion/alice", "{.status.expirationTimestamp}"))
	f.Eventually(time.Minute, "BST-4 keepalive is taken up and prolongs the life", func() (bool, string) { // timestamps are seconds
		f.Kubectl(f.Garden(), "-n", project, "annotate", "bastion", "alice", "gardener.cloud/operation=keepalive")
		got := f.garden("bastion/alice", `{.metadata.annotations.gardener\.cloud/operation}`)
		life := parseTime(t, f.garden("bastion/alice", "{.status.expirationTimestamp}")).Sub(parseTime(t, f.garden("bastion/alice", "{.status.lastHeartbeatTimestamp}")))
		after := parseTime(t, f.garden("bastion/alice", "{.status.expirationTimestamp}"))
		return got == "" && life == time.Hour && after.After(before), got + " " + after.String()
	})
	f.Kubectl(f.Garden(), "-n", project, "delete", "bastion", "alice", "--timeout=10m")
	if r := f.TryKubectl(f.Seed(), "-n", technical, "get", "bastions.extensions.gardener.cloud", "alice"); r.Code == 0 || !strings.Contains(r.Stderr, "NotFound") {
		t.Errorf("the bastion in the seed is left: %s%s", r.Stdout, r.Stderr)
	}
}

// forgottenBastion tests a Bastion whose owner does not renew it.
func forgottenBastion(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "create", "-f", f.File("forgotten.yaml", strings.ReplaceAll(bastionManifest, "alice", "bob")))
	f.Eventually(time.Minute, "the bastion is ready", func() (bool, string) {
		got := f.garden("bastion/bob", `{.status.conditions[?(@.type=="BastionReady")].status}`)
		return got == "True", got
	})
	f.Kubectl(f.Garden(), "-n", project, "patch", "bastion", "bob", "--subresource=status", "--type=merge", "-p", `{"status":{"expirationTimestamp":"2026-01-01T00:00:00Z"}}`)
	f.Kubectl(f.Garden(), "-n", project, "wait", "--for=delete", "bastion/bob", "--timeout=10m")
	if r := f.TryKubectl(f.Seed(), "-n", technical, "get", "bastions.extensions.gardener.cloud", "bob"); r.Code == 0 || !strings.Contains(r.Stderr, "NotFound") {
		t.Errorf("the bastion in the seed is left: %s%s", r.Stdout, r.Stderr)
	}
}
