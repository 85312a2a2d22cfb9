package lowdisk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/utils/clock"
)

const (
	// lifetime is how long the key of a member that has ended stays, renewal how long one of a member that runs stays without being renewed.
	lifetime = time.Minute
	renewal  = lifetime / 4
)

// Teller tells about the disk of one member. It may be used by one goroutine.
type Teller struct {
	// Member is the name of the member, which no other one of the etcd has.
	Member string
	// Low is nil while the disk has room for users or, if essential, for components and operators, as that of diskspace.Watch.
	Low   func(essential bool) error
	Clock clock.PassiveClock

	begun   bool // what a former process told is gone
	lease   clientv3.LeaseID
	told    notice
	renewed time.Time
}

// Idle reports whether there is nothing to tell, and nothing that was told.
func (t *Teller) Idle() bool { return t.begun && t.lease == clientv3.NoLease && t.Low(false) == nil }

// Tell makes what the etcd has about the member what it is now.
func (t *Teller) Tell(ctx context.Context, client *clientv3.Client) error {
	everybody, users := t.Low(true), t.Low(false)
	switch {
	case everybody != nil:
		return t.tell(ctx, client, notice{everybody: true, text: everybody.Error()})
	case users != nil:
		return t.tell(ctx, client, notice{text: users.Error()})
	case t.lease == clientv3.NoLease && t.begun:
		return nil
	case t.lease == clientv3.NoLease: // restored data may have the key without its lease
		if _, err := client.Delete(ctx, Prefix+t.Member); err != nil {
			return fmt.Errorf("take back what a former process told API servers about the disk: %w", err)
		}
		t.begun = true
		return nil
	}
	if _, err := client.Revoke(ctx, t.lease); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return fmt.Errorf("tell API servers that the disk has room again: %w", err)
	}
	t.lease = clientv3.NoLease
	return nil
}

func (t *Teller) tell(ctx context.Context, client *clientv3.Client, now notice) error {
	err := t.renew(ctx, client)
	if err == nil && t.told != now {
		if _, err = client.Put(ctx, Prefix+t.Member, now.String(), clientv3.WithLease(t.lease)); err == nil {
			t.told, t.begun = now, true
		}
	}
	if err != nil {
		return fmt.Errorf("tell API servers that the disk is short of room: %w", err)
	}
	return nil
}

// renew makes sure that there is a lease, which may be gone with data that were restored.
func (t *Teller) renew(ctx context.Context, client *clientv3.Client) error {
	if t.lease != clientv3.NoLease {
		if t.Clock.Since(t.renewed) < renewal {
			return nil
		}
		_, err := client.KeepAliveOnce(ctx, t.lease)
		if err == nil {
			t.renewed = t.Clock.Now()
		}
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return err
		}
	}
	granted, err := client.Grant(ctx, int64(lifetime/time.Second))
	if err != nil {
		return err
	}
	t.lease, t.told, t.renewed = granted.ID, notice{}, t.Clock.Now()
	return nil
}
