package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const (
	// deltaTimeout bounds what one etcd may take to store its last changes, which are 100 MiB at most.
	deltaTimeout = 30 * time.Second
	// together is how many etcds store at the same time.
	together = 4
)

// StoreChanges asks the etcds of all shoots on a seed to store their last changes. It returns which of them did not: their backups are older
// than the landscape's. A shoot that sleeps has stored everything when it fell asleep.
func StoreChanges(ctx context.Context, seed client.Reader, config *rest.Config) (warnings []string, err error) {
	all := &druidv1alpha1.EtcdList{}
	if err := seed.List(ctx, all); err != nil {
		return nil, fmt.Errorf("list the etcds of shoots: %w", err)
	}
	var (
		mu    sync.Mutex
		work  sync.WaitGroup
		slots = make(chan struct{}, together)
	)
	for _, etcd := range all.Items {
		if etcd.Spec.Backup.Store == nil || etcd.Spec.Replicas == 0 {
			continue
		}
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			if err := storeChanges(ctx, seed, config, &etcd); err != nil {
				mu.Lock()
				defer mu.Unlock()
				warnings = append(warnings, fmt.Sprintf("%s of %s has an older backup: %v", etcd.Name, etcd.Namespace, err))
			}
		})
	}
	work.Wait()
	slices.Sort(warnings)
	return warnings, ctx.Err()
}

func storeChanges(ctx context.Context, seed client.Reader, config *rest.Config, etcd *druidv1alpha1.Etcd) error {
	ctx, cancel := context.WithTimeout(ctx, deltaTimeout)
	defer cancel()
	_, err := backupserver.Take(ctx, seed, config, client.ObjectKeyFromObject(etcd), backupserver.Delta, false)
	if errors.Is(err, backupserver.ErrNotRunning) {
		return errors.New("it does not run")
	}
	return err
}
