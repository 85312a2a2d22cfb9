package integration

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
)

// TestDiskOfEtcd lets a member of the etcd tell about its disk, as one on another machine does.
func TestDiskOfEtcd(t *testing.T) {
	_, direct := another(t, func(c *gardenapi.Config) { c.WatchEtcd = true })
	config := garden.ServerConfig
	tls, err := transport.TLSInfo{TrustedCAFile: config.EtcdCAFile, CertFile: config.EtcdCertFile, KeyFile: config.EtcdKeyFile}.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: config.EtcdServers, TLS: tls, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	full := true
	member := &lowdisk.Teller{Member: "etcd-main-2", Clock: clock.RealClock{}, Low: func(bool) error {
		if full {
			return errors.New("the disk of etcd-main-2 is full")
		}
		return nil
	}}
	created := func(t *testing.T, want int, text string) {
		t.Helper()
		eventually(t, func() error {
			object := `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"ExposureClass","metadata":{"generateName":"disk-"},"handler":"disk"}`
			status, body := send(t, direct, http.MethodPost, "/apis/core.gardener.cloud/v1beta1/exposureclasses", "application/json", []byte(object))
			if status != want || !strings.Contains(body, text) {
				return fmt.Errorf("status %d, want %d: %s", status, want, body)
			}
			return nil
		})
	}
	t.Run("APP-5 writes are refused while a member of the etcd, which may be elsewhere, has no room on its disk", func(t *testing.T) {
		if err := member.Tell(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		created(t, http.StatusInsufficientStorage, "the storage is full: the disk of etcd-main-2 is full")
	})
	t.Run("APP-5 they are not when it has room again", func(t *testing.T) {
		full = false
		if err := member.Tell(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		created(t, http.StatusCreated, "disk-")
	})
}
