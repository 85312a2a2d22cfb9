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

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
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

// TestDiskOfEtcd lets a member of the etcd tell about its disk, as one on another machine does.
func TestDiskOfEtcd(t *testing.T) {
	tls, err := transport.TLSInfo{
		TrustedCAFile: filepath.Join(garden.Dir, "ca.crt"), CertFile: filepath.Join(garden.Dir, "admin.crt"), KeyFile: filepath.Join(garden.Dir, "admin.key"),
	}.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{garden.Etcd}, TLS: tls, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	short := true
	member := &lowdisk.Teller{Member: "etcd-main-2", Clock: clock.RealClock{}, Low: func(essential bool) error {
		if short && !essential {
			return errors.New("about 90 MiB of the disk of etcd-main-2 are free")
		}
		return nil
	}}
	tell := func() {
		if err := member.Tell(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	if output, err := kubectl(t, "", "create", "clusterrolebinding", "bob", "--clusterrole=cluster-admin", "--user=bob"); err != nil {
		t.Fatal(output)
	}
	creates := func(t *testing.T, refusal string) {
		t.Helper()
		testwait.For(t, testwait.Patience, "a user creates something", func() error {
			output, err := kubectl(t, "", "create", "configmap", fmt.Sprintf("etcd-disk-%d", time.Now().UnixNano()), "--as=bob", "--as-group=system:authenticated")
			if (err == nil) != (refusal == "") || !strings.Contains(output, refusal) {
				return fmt.Errorf("%v: %s", err, output)
			}
			return nil
		})
	}
	t.Run("APP-5 writes of users are refused while a member of the etcd, which may be elsewhere, is short of room on its disk", func(t *testing.T) {
		tell()
		creates(t, "the storage is full: about 90 MiB of the disk of etcd-main-2 are free")
		if output, err := kubectl(t, "", "create", "configmap", "etcd-disk-of-an-operator"); err != nil {
			t.Error(output)
		}
	})
	t.Run("APP-5 users write when it has room again", func(t *testing.T) {
		short = false
		tell()
		creates(t, "")
	})
}
