package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

const etcdMain = "etcd-main"

// TakeFinalSnapshot stores all data of etcd main in its bucket, marked as final. It takes none if there is one and nothing was written
// after it. No client may write to the etcd any more.
func (e Etcd) TakeFinalSnapshot(ctx context.Context) error {
	server, err := e.backupServer(ctx)
	if err != nil {
		return fmt.Errorf("take final snapshot of etcd main: %w", err)
	}
	defer server.Close()
	latest, err := server.Latest(ctx)
	if err == nil && !latest.Final() {
		_, err = server.Take(ctx, backupserver.Full, true)
	}
	if err != nil {
		return fmt.Errorf("take final snapshot of etcd main: %w", err)
	}
	return nil
}

// checkTimeout bounds one attempt to ask a member.
const checkTimeout = 10 * time.Second

// AwaitFinalSnapshot waits until etcd main, which has lost its owner, has stored all its data in its bucket, marked as final. It makes the
// members check their owner at once. No client may write to the etcd any more.
func (e Etcd) AwaitFinalSnapshot(ctx context.Context) error {
	return await.Poll(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		if err := e.givenUp(limited); err != nil {
			return fmt.Errorf("wait for the final snapshot of etcd main: %w", err)
		}
		return nil
	})
}

// givenUp returns an error until a member has made sure that the final snapshot has all data. It asks all members, so that all of them stop.
func (e Etcd) givenUp(ctx context.Context) error {
	servers, err := backupserver.ConnectAll(ctx, e.Space.Client, e.SeedConfig, client.ObjectKeyFromObject(object(component.Main, e.Space.Name)))
	if err != nil {
		return err
	}
	var missing []error
	for _, server := range servers {
		defer server.Close()
		if err := given(ctx, server); err != nil {
			missing = append(missing, err)
		}
	}
	if len(missing) < len(servers) {
		return nil
	}
	return errors.Join(missing...)
}

func given(ctx context.Context, server *backupserver.Connection) error {
	is, err := server.CheckOwner(ctx)
	if err != nil {
		return err
	}
	if !is.Given() {
		return fmt.Errorf("the owner is %q, and the snapshot is not there yet", is.Owner)
	}
	latest, err := server.Latest(ctx)
	if err == nil && !latest.Final() {
		err = errors.New("the latest snapshot is not final")
	}
	return err
}

// CheckBackedUp returns an error unless etcd main backs itself up. Without a final snapshot its data could not move.
func (e Etcd) CheckBackedUp(ctx context.Context) error {
	server, err := e.backupServer(ctx)
	if errors.Is(err, backupserver.ErrNoBackups) {
		return errors.New("etcd main of the shoot is not backed up on this seed, so the control plane cannot move")
	}
	if err == nil {
		defer server.Close()
		_, err = server.Latest(ctx)
	}
	if err != nil {
		return fmt.Errorf("this gardenlet cannot reach the backups of etcd main, so the control plane cannot move: %w", err)
	}
	return nil
}

func (e Etcd) backupServer(ctx context.Context) (*backupserver.Connection, error) {
	return backupserver.Connect(ctx, e.Space.Client, e.SeedConfig, client.ObjectKeyFromObject(object(component.Main, e.Space.Name)))
}
