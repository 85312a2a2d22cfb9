package integration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestFullDisk runs the server as in a pod of a node that is not embedded, whose disk a neighbour fills.
func TestFullDisk(t *testing.T) {
	if err := syscall.Mount("disk", watched, "tmpfs", 0, fmt.Sprintf("size=%d", 200<<20)); err != nil {
		testskip.OutsideCI(t, "a disk of its own cannot be mounted:", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(watched, syscall.MNT_DETACH), os.Remove(watched)); err != nil {
			t.Error(err)
		}
	})
	asAlice := func(args ...string) (string, error) {
		return kubectl(t, "", append(args, "--as=alice", "--as-group=system:authenticated")...)
	}
	for _, args := range [][]string{
		{"create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice"}, {"create", "configmap", "disk-deleted"},
	} {
		if output, err := kubectl(t, "", args...); err != nil {
			t.Fatal(output)
		}
	}
	filler := filepath.Join(watched, "filler")
	if err := os.WriteFile(filler, make([]byte, 90<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-5 a node whose disk is nearly full refuses writes of users", func(t *testing.T) {
		testwait.For(t, testwait.Patience, "creation is refused", func() error {
			output, err := asAlice("create", "configmap", fmt.Sprintf("disk-%d", time.Now().UnixNano()))
			if err == nil || !strings.Contains(output, "of the node's disk are free, and users may not write until 192 MiB are") {
				return fmt.Errorf("%v: %s", err, output)
			}
			return nil
		})
		if output, err := asAlice("get", "configmap", "disk-deleted"); err != nil {
			t.Error(output)
		}
		if output, err := asAlice("delete", "configmap", "disk-deleted"); err != nil {
			t.Error(output)
		}
		if output, err := kubectl(t, "", "create", "configmap", "disk-of-an-operator"); err != nil {
			t.Error(output)
		}
	})
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-5 it heals by itself when there is room again", func(t *testing.T) {
		testwait.For(t, testwait.Patience, "users write", func() error {
			output, err := asAlice("create", "configmap", "disk-again")
			if err != nil {
				return fmt.Errorf("%v: %s", err, output)
			}
			return nil
		})
	})
}
