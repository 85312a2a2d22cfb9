package member

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// settle makes a learner a voter, once it has all data, and gives the others the URL by which they reach this member.
func (o *observer) settle(ctx context.Context) error {
	if o.settled || o.flags.alone() && !o.learns {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if o.learns {
		if err := o.promote(ctx); err != nil {
			return err
		}
		o.config.Log.Info("The member has all data and votes from now on", "member", o.flags.Name())
	}
	if err := o.publish(ctx); err != nil {
		return err
	}
	o.settled = true
	return nil
}

// promote asks the others, because a learner does not answer that.
func (o *observer) promote(ctx context.Context) error {
	config, err := o.config.Client.config(o.flags.others(), "")
	if err != nil {
		return err
	}
	client, err := clientv3.New(config)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := client.MemberPromote(ctx, o.id); err != nil {
		return fmt.Errorf("make the learner a voter: %w", err)
	}
	return nil
}

// publish changes the URL by which others reach the member, if its flags have another one: an etcd that had one member may have
// used no TLS between members.
func (o *observer) publish(ctx context.Context) error {
	list, err := o.client.MemberList(ctx)
	if err != nil {
		return fmt.Errorf("list members: %w", err)
	}
	peers := o.flags.List("initial-advertise-peer-urls")
	for _, known := range list.Members {
		if known.ID != o.id || same(known.PeerURLs, peers) {
			continue
		}
		if _, err := o.client.MemberUpdate(ctx, o.id, peers); err != nil {
			return fmt.Errorf("change the URL of the member: %w", err)
		}
	}
	return nil
}
