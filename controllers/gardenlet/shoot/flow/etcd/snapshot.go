package etcd

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
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
