package etcd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// The disk of an etcd is filled by a neighbour. etcd itself takes 130 MiB for its log.
func TestComponentTellsAboutItsDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("disk", disk, "tmpfs", 0, fmt.Sprintf("size=%d", 400<<20)); err != nil {
		testskip.OutsideCI(t, "a disk of its own cannot be mounted:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	c := startComponentIn(t, filepath.Join(disk, "etcd"), etcd.WatchdogFlag)
	tells := func(t *testing.T, want string) {
		t.Helper()
		testwait.For(t, testwait.Patience, "the member tells it", func() error {
			found, err := c.client.Get(t.Context(), lowdisk.Prefix+"shoot")
			if err != nil {
				return err
			}
			told := ""
			for _, kv := range found.Kvs {
				told = string(kv.Value)
			}
			if (told == "") != (want == "") || !strings.Contains(told, want) {
				return fmt.Errorf("told is %q, want %q", told, want)
			}
			return nil
		})
	}
	filler := filepath.Join(disk, "filler")
	t.Run("APP-5 the etcd of a shoot tells API servers, which may be elsewhere, that its disk is nearly full", func(t *testing.T) {
		tells(t, "")
		if err := os.WriteFile(filler, make([]byte, 150<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		tells(t, "of the disk of shoot are free, and users may not write until 192 MiB are")
	})
	t.Run("APP-5 it takes that back when there is room again", func(t *testing.T) {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		tells(t, "")
	})
}
