package gardenapi

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
)

// diskOfEtcd is nil without WatchEtcd. Otherwise it is that of storagelimit.Limit, until stop is called.
func (c Config) diskOfEtcd() (low func(resource schema.GroupResource, essential bool) error, stop func(), err error) {
	if !c.WatchEtcd {
		return nil, func() {}, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	if low, err = storagelimit.Etcds(ctx, c.transport(), nil, c.Log); err != nil {
		stop()
		return nil, nil, fmt.Errorf("watch what the etcd tells about its disk: %w", err)
	}
	return low, stop, nil
}

// transport is the way to etcd.
func (c Config) transport() storagebackend.TransportConfig {
	return storagebackend.TransportConfig{ServerList: c.EtcdServers, TrustedCAFile: c.EtcdCAFile, CertFile: c.EtcdCertFile, KeyFile: c.EtcdKeyFile}
}
