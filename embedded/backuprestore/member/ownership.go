package member

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/pkg/v3/osutil"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/server"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

const (
	// claimPause is the time between two questions while the owner is unknown and etcd does not run yet.
	claimPause = time.Second
	// finalPause is the pause after a final snapshot could not be taken.
	finalPause = 5 * time.Second
	// showPause is the time for whoever asks for the final snapshot to see it, before the process begins anew. In a pod that may not start
	// programs it ends instead, and its kubelet waits before it starts it again.
	showPause = 2 * time.Second
)

// claim waits until the etcd may run: for its clients, because the record names the expected owner, or only for the final snapshot,
// because it names another one. An etcd that has its final snapshot, or never ran for an owner, waits until it is the owner.
func (m *member) claim(ctx context.Context) (final bool, err error) {
	check := m.config.Owner
	none := time.Time{} // since when a name server says that it knows no owner
	for last := owner.Answer(""); ; {
		answer, reason := m.memory.owner(ctx)
		if answer != owner.Unknown || check.Kept(reason) {
			none = time.Time{}
		} else if none.IsZero() {
			none = check.Clock.Now()
		}
		switch {
		case answer == owner.Self:
			if check.Kept(reason) {
				m.config.Log.Info("The etcd runs for the owner that it had, because no name server answers", "record", check.Name, "reason", reason.Error())
			}
			return false, m.memory.own()
		case answer == owner.Other:
			err = m.memory.remember(lostFile)
		case check.Keep && !none.IsZero() && check.Clock.Since(none) >= check.Timeout:
			err = m.memory.remember(unownedFile)
		}
		if err != nil {
			return false, err
		}
		if answer == owner.Other && m.store != nil {
			if _, err := os.Stat(m.memory.owned()); err == nil {
				return true, nil
			} else if !errors.Is(err, os.ErrNotExist) {
				return false, err
			}
		}
		if answer != last && ctx.Err() == nil {
			m.config.Log.Info("The etcd does not run, because it has no owner here", "record", check.Name, "answer", answer, "reason", reason)
		}
		last = answer
		pause := check.Interval
		if answer == owner.Unknown {
			pause = min(pause, claimPause)
		}
		if !check.Pause(ctx, pause) {
			return false, ctx.Err()
		}
	}
}

// CheckOwner implements server.State.
func (m *member) CheckOwner(ctx context.Context) (server.Ownership, error) {
	check := m.config.Owner
	if !check.On() {
		return server.Ownership{}, errors.New("this member has no owner to check")
	}
	m.asked.Store(true)
	select {
	case m.look <- struct{}{}:
	default: // it has been asked already
	}
	answer, err := check.Ask(ctx)
	if err != nil {
		return server.Ownership{}, err
	}
	_, err = os.Stat(m.memory.owned())
	released := errors.Is(err, os.ErrNotExist)
	if released {
		err = nil
	}
	return server.Ownership{Owner: answer, Released: released}, err
}

// withdraw makes the flags those of an etcd that only this process can reach. Other members still can.
func (m *member) withdraw() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a port for the final snapshot: %w", err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	listens, err := url.Parse(m.flags.Get("listen-client-urls"))
	if err != nil {
		return fmt.Errorf("etcd's flag --listen-client-urls: %w", err)
	}
	flags := m.flags.With("listen-client-urls", listens.Scheme+"://"+address).With("listen-metrics-urls", "")
	m.flags = ownFlags{flags}
	return nil
}

// guard stops etcd when the record does not name the expected owner any longer, so that clients lose their connections. The process
// begins anew then.
func (m *member) guard(ctx context.Context, stopBackups func()) {
	answer, reason := m.config.Owner.Lost(ctx)
	if answer == owner.Self {
		return
	}
	m.withdrawn.Store(true)
	var err error
	switch {
	case answer == owner.Other:
		err = m.memory.remember(lostFile)
	case m.config.Owner.Keep:
		err = m.memory.remember(unownedFile)
	}
	if err != nil { // it is asked for again when the process begins anew
		m.config.Log.Error(err, "It cannot be remembered that the etcd has lost its owner")
	}
	m.config.Log.Info("The etcd stops, because it has lost its owner", "record", m.config.Owner.Name, "answer", answer, "reason", reason)
	stopBackups()
	m.beginAnew()
}

// release takes the final snapshot of an etcd that nobody writes to any longer.
func (m *member) release(ctx context.Context) {
	client, endpoint, err := m.client()
	if err != nil {
		m.config.Log.Error(err, "No final snapshot can be taken")
		return
	}
	defer client.Close()
	watch := &observer{member: m, client: client, endpoint: endpoint}
	watch.untilRunning(ctx)
	osutil.RegisterInterruptHandler(m.stopped)
	if !m.flags.alone() { // others may not know the loss before, and serve clients
		m.config.Owner.Pause(ctx, m.config.Owner.Interval+m.config.Owner.Timeout)
	}
	s := snapshotter.New(m.configure(client, endpoint))
	for {
		if answer, _ := m.memory.owner(ctx); answer == owner.Self {
			m.config.Log.Info("The etcd has its owner again")
			break
		}
		err := m.finish(ctx, watch, s)
		if err == nil {
			if m.asked.Load() {
				m.config.Owner.Wait(ctx, showPause)
			}
			break
		}
		m.config.Log.Error(err, "The final snapshot cannot be taken yet")
		m.config.Owner.Pause(ctx, finalPause)
	}
	m.beginAnew()
}

// finish makes sure that a final snapshot with all data is in the store, and notes it. The leading member takes it.
func (m *member) finish(ctx context.Context, watch *observer, s *snapshotter.Snapshotter) error {
	if err := watch.look(ctx); err != nil {
		return err
	}
	revision := watch.revision
	if m.leads.Load() {
		var err error
		if revision, err = s.Revision(ctx); err != nil {
			return err
		}
	}
	all, err := m.store.List(ctx)
	if err != nil {
		return err
	}
	if !finalAt(all, revision) {
		if !m.leads.Load() {
			return errors.New("the leading member has not taken it")
		}
		if _, err := s.TakeFinal(ctx); err != nil {
			return err
		}
	}
	if err := os.Remove(m.memory.owned()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// finalAt reports whether the newest snapshots end with a final one that contains the revision.
func finalAt(all []snapshot.Snapshot, revision int64) bool {
	chains := snapshot.Chains(all)
	return len(chains) > 0 && chains[0].Latest().Final && chains[0].End() >= revision
}
