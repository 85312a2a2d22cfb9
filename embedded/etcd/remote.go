package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

const (
	// remoteInterval is the time between two looks at a member by its clients' port. Every shoot has two of them.
	remoteInterval = 10 * time.Second
	dialTimeout    = 10 * time.Second
)

// remote is a member that is reached by the port of its clients.
type remote struct {
	client   *clientv3.Client
	endpoint string
}

var _ member = remote{}

// Tend keeps room in the etcd of this process, and for its database on the disk, and tells API servers when that is short of room. Its own flags are given. It
// never returns.
func Tend(flags []string, log logr.Logger) {
	go tellDisk(flags, log)
	tendOwn(flags, remoteInterval, log)
}

// tendOwn keeps room in the etcd of this process, whose flags are given. The etcd's own certificate is that of the client, so it
// has to be one for clients, too. It never returns.
func tendOwn(flags []string, interval time.Duration, log logr.Logger) {
	room := &reserve{dir: ownflags.Flags(flags).DataDir()}
	for failing, short := false, false; ; time.Sleep(interval) {
		own, err := connect(flags)
		if err == nil {
			for dog := (&watchdog{member: own, log: log}); err == nil; time.Sleep(interval) {
				if err = dog.look(context.Background()); err == nil {
					failing = false
				}
				kept := room.keep()
				if kept != nil && !short {
					log.Error(kept, "The database has no room to grow; will try again")
				}
				short = kept != nil
			}
			_ = own.client.Close() // its certificate may be an old one
		}
		if !failing { // one line for each time that it does not answer
			log.Info("The etcd cannot be looked after; will try again", "reason", err.Error())
		}
		failing = true
	}
}

// connect makes a client of the etcd with these flags. It does not wait for a connection.
func connect(args []string) (remote, error) {
	flags := ownflags.Flags(args)
	endpoint, err := flags.Endpoint()
	if err != nil {
		return remote{}, err
	}
	config := clientv3.Config{Endpoints: []string{endpoint.String()}, DialTimeout: dialTimeout, Logger: zap.NewNop()}
	if endpoint.Scheme == "https" {
		tls := transport.TLSInfo{CertFile: flags.Get("cert-file"), KeyFile: flags.Get("key-file"), TrustedCAFile: flags.Get("trusted-ca-file")}
		if config.TLS, err = tls.ClientConfig(); err != nil {
			return remote{}, err
		}
		host, err := flags.Host()
		if err != nil {
			return remote{}, err
		}
		config.DialOptions = []grpc.DialOption{grpc.WithAuthority(host)} // which gRPC verifies
	}
	client, err := clientv3.New(config)
	return remote{client: client, endpoint: endpoint.String()}, err
}

func (r remote) observe(ctx context.Context) (observation, error) {
	status, err := r.client.Status(ctx, r.endpoint)
	if err != nil {
		return observation{}, fmt.Errorf("ask for the status: %w", err)
	}
	quota := cmp.Or(status.DbSizeQuota, DefaultQuota)
	now := observation{
		Usage: Usage{InUse: status.DbSizeInUse, Size: status.DbSize, Quota: quota}, revision: status.Header.Revision, limit: quota,
	}
	for _, text := range status.Errors { // a request for the alarms would be written to the log of the members
		now.armed = now.armed || strings.Contains(text, "alarm:"+etcdserverpb.AlarmType_NOSPACE.String())
	}
	return now, nil
}

func (r remote) compact(ctx context.Context, revision int64) error {
	_, err := r.client.Compact(ctx, revision, clientv3.WithCompactPhysical())
	if errors.Is(err, rpctypes.ErrCompacted) { // an API server may have been faster
		return nil
	}
	return err
}

func (r remote) defragment(ctx context.Context) error {
	_, err := r.client.Defragment(context.WithoutCancel(ctx), r.endpoint) // a large database takes its time
	return err
}

func (r remote) disarm(ctx context.Context) error {
	status, err := r.client.Status(ctx, r.endpoint)
	if err != nil {
		return err
	}
	_, err = r.client.AlarmDisarm(ctx, &clientv3.AlarmMember{MemberID: status.Header.MemberId, Alarm: etcdserverpb.AlarmType_NOSPACE})
	return err
}
