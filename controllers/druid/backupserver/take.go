package backupserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// While members elect a leader, none of them makes backups. An election takes a second or two.
const (
	rounds     = 10
	roundPause = 500 * time.Millisecond
)

// Take has the member of an etcd that makes backups take a snapshot, as Connect and Connection.Take do. The Etcd may still name a former leader, so that
// the other members of an etcd with several are asked, too.
func Take(ctx context.Context, seed client.Reader, config *rest.Config, key types.NamespacedName, kind Kind, final bool) (*Snapshot, error) {
	return take(ctx, func(ctx context.Context) (*druidv1alpha1.Etcd, error) { return backedUp(ctx, seed, key) },
		func(ctx context.Context, etcd *druidv1alpha1.Etcd, member string) (*Snapshot, error) {
			connection, err := connect(ctx, seed, config, etcd, member)
			if err != nil {
				return nil, err
			}
			defer connection.Close()
			return connection.Take(ctx, kind, final)
		})
}

func take(
	ctx context.Context, read func(context.Context) (*druidv1alpha1.Etcd, error), ask func(ctx context.Context, etcd *druidv1alpha1.Etcd, member string) (*Snapshot, error),
) (*Snapshot, error) {
	for round := 1; ; round++ {
		etcd, err := read(ctx)
		if err != nil {
			return nil, err
		}
		var first error // of the member that should be the leader
		for _, member := range members(etcd) {
			made, err := ask(ctx, etcd, member)
			if err == nil {
				return made, nil
			}
			if first == nil {
				first = err
			}
		}
		if _, refused := errors.AsType[*refusal](first); !refused || etcd.Spec.Replicas < 2 || round == rounds {
			return nil, first
		}
		timer := time.NewTimer(roundPause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, first
		case <-timer.C:
		}
	}
}

// members are the names of all members, the leader first.
func members(etcd *druidv1alpha1.Etcd) []string {
	all := []string{leader(etcd)}
	for i := range etcd.Spec.Replicas {
		if name := fmt.Sprintf("%s-%d", etcd.Name, i); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
