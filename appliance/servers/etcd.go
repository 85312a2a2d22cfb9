package servers

import (
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
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
	snapshots               *snapshots.Keeper
	endpoint, ca, cert, key string
}

// Etcds are what the etcds of a process need.
type Etcds struct {
	Access
	ID      string // of the landscape
	Storage Storage
	Paths   paths.Paths
	Log     logr.Logger
}

// storage makes the etcd of the name, without keys that belong to others.
func (in Etcds) storage(name string, drop ...string) storage {
	c := in.etcd(name)
	s := storage{endpoint: c.SocketEndpoint()}
	if c.Socket == "" {
		s.ca, s.cert, s.key = in.PKI.Etcd.CA, in.PKI.Etcd.Client.Cert, in.PKI.Etcd.Client.Key
	}
	s.snapshots = &snapshots.Keeper{
		Access: snapshots.Access{Endpoint: s.endpoint, CA: s.ca, Cert: s.cert, Key: s.key},
		Paths:  in.Paths, Name: name, Quota: in.Storage.Quota, Room: in.Storage.Disk, Log: in.Log.WithName(name),
	}
	c.Drop, c.Beside = drop, s.snapshots.Run
	s.etcd = etcd.New(c)
	return s
}

func (in Etcds) gardenStorage() storage { return in.storage(EtcdGarden, seedPrefix+"/") }

func (in Etcds) seedStorage() storage {
	return in.storage(EtcdSeed, gardenPrefix+"/", gardenapi.DefaultEtcdPrefix+"/")
}

// part is the etcd as a part, which needs nothing.
func (s storage) part() component.Part {
	return component.Part{Title: titleEtcd, StopTimeout: etcdStopTimeout, Component: backedUp{s.etcd, s.snapshots}}
}

// backedUp is an etcd that warns when it fills, and when it is not backed up.
type backedUp struct {
	*etcd.Server
	snapshots *snapshots.Keeper
}

func (b backedUp) Warning() (text string, refuses bool) {
	if text, refuses = b.Server.Warning(); text == "" {
		text = b.snapshots.Warning()
	}
	return text, refuses
}

// StoredEtcd is the configuration of the etcd of that name as far as its data depend on it. id is that of the landscape.
func StoredEtcd(p paths.Paths, id, name string) etcd.Config {
	return etcd.Config{Name: name, DataDir: p.Etcd(name), Token: id + "/" + name}
}

// StoredAccess is how other processes reach the etcd of that name in a running process. The port is that in the store.
func StoredAccess(p paths.Paths, name string, port int32) snapshots.Access {
	if hasSockets(p) {
		return snapshots.Access{Endpoint: etcd.Config{Socket: p.Run().EtcdSocket(name)}.SocketEndpoint()}
	}
	files := pki.EtcdClient(p.PKI())
	return snapshots.Access{Endpoint: etcd.Config{ClientPort: int(port)}.Endpoint(), CA: files.CA, Cert: files.Client.Cert, Key: files.Client.Key}
}

// hasSockets tells whether the path of the state directory is short enough for sockets. It is so for all members or none: one process has one
// kind of access.
func hasSockets(p paths.Paths) bool { return len(p.Run().EtcdSocket(EtcdGarden)) <= etcd.MaxSocketPath }

// etcd serves on a Unix socket, which needs no encryption. Where the path of the state directory is too long for a socket, it
// serves TLS on loopback.
func (in Etcds) etcd(name string) etcd.Config {
	c := StoredEtcd(in.Paths, in.ID, name)
	c.ClientPort, c.Quota, c.Fatal, c.Log = int(in.Ports[name]), in.Storage.Quota, in.Storage.Fatal, in.Log.WithName(name)
	c.Made = func(cluster string) error { return in.Storage.Note(name, cluster) }
	c.CAFile, c.CertFile, c.KeyFile = in.PKI.Etcd.CA, in.PKI.Etcd.Server.Cert, in.PKI.Etcd.Server.Key
	if hasSockets(in.Paths) {
		c.Socket = in.Paths.Run().EtcdSocket(name)
	}
	return c
}
