package servers

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
)

const (
	titleEtcd       = "etcd"
	etcdStopTimeout = 30 * time.Second
)

// Prefixes of keys in etcd.
const (
	gardenPrefix = "/registry-garden"
	seedPrefix   = "/registry-seed"
)

// storage is the etcd of one cluster and how the API servers of the cluster reach it. Each cluster has an etcd of its own, so
// that what fills one of them leaves the others as they are. Events are in it, too.
type storage struct {
	etcd                    *etcd.Server
	endpoint, ca, cert, key string
}

// storage makes the etcd of the name, without keys that belong to others.
func (in Inputs) storage(name string, drop ...string) storage {
	c := in.etcd(name)
	c.Drop = drop
	s := storage{etcd: etcd.New(c), endpoint: c.SocketEndpoint()}
	if c.Socket == "" {
		s.ca, s.cert, s.key = in.PKI.Etcd.CA, in.PKI.Etcd.Client.Cert, in.PKI.Etcd.Client.Key
	}
	return s
}

func (in Inputs) gardenStorage() storage { return in.storage(EtcdGarden, seedPrefix+"/") }

func (in Inputs) seedStorage() storage {
	return in.storage(EtcdSeed, gardenPrefix+"/", gardenapi.DefaultEtcdPrefix+"/")
}

// part is the etcd as a part, which needs nothing.
func (s storage) part() component.Part {
	return component.Part{Title: titleEtcd, StopTimeout: etcdStopTimeout, Component: s.etcd}
}

// etcd serves on a Unix socket, which needs no encryption. Where the path of the state directory is too long for a socket, it
// serves TLS on loopback.
func (in Inputs) etcd(name string) etcd.Config {
	c := etcd.Config{
		Name: name, DataDir: in.Paths.Etcd(name), ClientPort: int(in.Ports[name]), Quota: in.Quota,
		Fatal: in.Fatal, Token: in.ID + "/" + name, Made: func(cluster string) error { return in.NoteEtcd(name, cluster) },
		CAFile: in.PKI.Etcd.CA, CertFile: in.PKI.Etcd.Server.Cert, KeyFile: in.PKI.Etcd.Server.Key, Log: in.Log.WithName(name),
	}
	if len(in.Paths.Run().EtcdSocket(EtcdGarden)) <= etcd.MaxSocketPath { // all members or none: one process has one kind of access
		c.Socket = in.Paths.Run().EtcdSocket(name)
	}
	return c
}
