package servers

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/etcd"
)

const (
	titleEtcd       = "etcd"
	etcdStopTimeout = 30 * time.Second
)

// Etcd is the storage of all API servers of this process.
func Etcd(in Inputs) []component.Part {
	return []component.Part{ // need nothing
		{Title: titleEtcd, StopTimeout: etcdStopTimeout, Component: etcd.New(in.etcd(EtcdMain))},
		{Title: titleEtcd, StopTimeout: etcdStopTimeout, Component: etcd.New(in.etcd(EtcdEvents))},
	}
}

// etcd serves on a Unix socket, which needs no encryption. Where the path of the state directory is too long for a socket, it
// serves TLS on loopback.
func (in Inputs) etcd(name string) etcd.Config {
	c := etcd.Config{
		Name: name, DataDir: in.Paths.Etcd(name), ClientPort: int(in.Ports[name]),
		CAFile: in.PKI.Etcd.CA, CertFile: in.PKI.Etcd.Server.Cert, KeyFile: in.PKI.Etcd.Server.Key, Log: in.Log.WithName(name),
	}
	if len(in.Paths.EtcdSocket(EtcdEvents)) <= etcd.MaxSocketPath { // all members or none: API servers know one kind of access
		c.Socket = in.Paths.EtcdSocket(name)
	}
	return c
}

// etcdClient is the access of API servers to the members.
type etcdClient struct{ main, events, ca, cert, key string }

func (in Inputs) etcdClient() etcdClient {
	members := [2]etcd.Config{in.etcd(EtcdMain), in.etcd(EtcdEvents)}
	c := etcdClient{main: members[0].SocketEndpoint(), events: members[1].SocketEndpoint()}
	if members[0].Socket == "" {
		c.ca, c.cert, c.key = in.PKI.Etcd.CA, in.PKI.Etcd.Client.Cert, in.PKI.Etcd.Client.Key
	}
	return c
}
