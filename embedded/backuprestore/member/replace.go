package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

const (
	// answerTimeout bounds a question to the other members.
	answerTimeout = 10 * time.Second
	joinPause     = 2 * time.Second
	// existing is the state of a cluster that a member joins, as etcd's flag initial-cluster-state.
	existing = "existing"
)

// errNobody means that no other member answers.
var errNobody = errors.New("no other member answers")

// replace makes a member of several without data join the others. Members of a new etcd, which has no backups, begin together.
// If no other member answers but the etcd exists, the majority may be lost: that is for an operator, since other members may
// have the data. It then goes on asking.
func (p *preparation) replace(ctx context.Context, lost bool) (ownflags.Flags, error) {
	if err := p.setAside(p.flags.dir()); err != nil {
		return nil, err
	}
	for {
		err := p.join(ctx)
		if err == nil {
			return p.flags.With("initial-cluster-state", existing).With("initial-cluster", p.cluster), nil
		}
		if errors.Is(err, errNobody) && lost && p.flags.Get("initial-cluster-state") != existing {
			fresh, err := p.fresh(ctx)
			if err != nil {
				return nil, err
			}
			if fresh {
				return p.flags.Flags, nil
			}
		}
		p.log.Error(err, "The member cannot join the others yet")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(joinPause):
		}
	}
}

// fresh tells whether the etcd never had backups.
func (p *preparation) fresh(ctx context.Context) (bool, error) {
	if p.store == nil {
		return true, nil
	}
	all, err := p.store.List(ctx)
	return len(all) == 0, err
}

// join replaces the member's entry among the others, and notes the members there are then. The member is a learner until it has all
// data: a voter without data could cost the others their majority.
func (p *preparation) join(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	config, err := p.client.config(p.flags.others(), "")
	if err != nil {
		return err
	}
	client, err := clientv3.New(config)
	if err != nil {
		return err
	}
	defer client.Close()
	list, err := client.MemberList(ctx)
	if err != nil {
		if _, stale := client.MemberList(ctx, clientv3.WithSerializable()); stale == nil {
			return fmt.Errorf("the other members have no majority: %w", err)
		}
		return fmt.Errorf("%w: %w", errNobody, err)
	}
	peers := p.flags.List("initial-advertise-peer-urls")
	members := list.Members
	for _, known := range list.Members {
		if known.Name != p.flags.Name() && !same(known.PeerURLs, peers) {
			continue
		}
		if known.Name == "" { // it was added, and has not started
			return p.note(members)
		}
		removed, err := client.MemberRemove(ctx, known.ID)
		if err != nil {
			return fmt.Errorf("remove the former member: %w", err)
		}
		members = removed.Members
	}
	added, err := client.MemberAddAsLearner(ctx, peers)
	if err != nil {
		return fmt.Errorf("add the member: %w", err)
	}
	return p.note(added.Members)
}

func same(a, b []string) bool { return strings.Join(a, ",") == strings.Join(b, ",") }

// note keeps the members as etcd's flag initial-cluster.
func (p *preparation) note(members []*etcdserverpb.Member) error {
	var out []string
	for _, known := range members {
		name := known.Name
		if name == "" {
			if name = p.nameOf(known.PeerURLs); name == "" {
				return fmt.Errorf("another member is joining: %v", known.PeerURLs)
			}
		}
		for _, peer := range known.PeerURLs {
			out = append(out, name+"="+peer)
		}
	}
	p.cluster = strings.Join(out, ",")
	return nil
}

// nameOf finds the name of a member that has not started in the member's own flags.
func (p *preparation) nameOf(peers []string) string {
	for _, member := range p.flags.List("initial-cluster") {
		if name, peer, _ := strings.Cut(member, "="); same(peers, []string{peer}) {
			return name
		}
	}
	return ""
}
