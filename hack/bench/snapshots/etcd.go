package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

const (
	// quota is the largest that etcd is made for.
	quota = 8 << 30
	// valueSize is that of a large object of Kubernetes. Values are text of random bytes, which a compression makes a quarter shorter.
	valueSize = 16 << 10
	// together is how many values one transaction writes, 1 MiB; etcd takes 1.5 MiB.
	together = 64
	// readyTimeout bounds the start.
	readyTimeout = time.Minute
)

type etcd struct {
	server *embed.Etcd
	client *clientv3.Client
}

func startEtcd(dir string) (*etcd, error) {
	clients, err := free()
	if err != nil {
		return nil, err
	}
	peers, err := free()
	if err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{clients}, []url.URL{clients}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.QuotaBackendBytes = quota
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(readyTimeout):
		server.Close()
		return nil, fmt.Errorf("etcd is not ready after %s", readyTimeout)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{clients.String()}, Logger: zap.NewNop()})
	if err != nil {
		server.Close()
		return nil, err
	}
	return &etcd{server, client}, nil
}

// free is a URL of loopback whose port is free.
func free() (url.URL, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	return url.URL{Scheme: "http", Host: listener.Addr().String()}, listener.Close()
}

func (e *etcd) close() {
	_ = e.client.Close()
	e.server.Close()
}

// fill writes so many MiB of values.
func (e *etcd) fill(ctx context.Context, size int) error {
	for n := range size {
		var puts []clientv3.Op
		for i := range together {
			text, err := value()
			if err != nil {
				return err
			}
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("/registry/configmaps/default/n-%d-%d", n, i), text))
		}
		if _, err := e.client.Txn(ctx).Then(puts...).Commit(); err != nil {
			return err
		}
	}
	return nil
}

func value() (string, error) {
	raw := make([]byte, valueSize*3/4)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}
