package etcd

import "context"

// Left are the etcds that a shoot has left behind in a seed to which it returns. A seed that was lost gives them up late, so they may still be there.
type Left struct {
	Etcd   Etcd
	Source Source
}

// Remove deletes them with their data, unless the backups of the shoot are in the bucket of this seed: then these etcds have the data of the shoot. Others must go before
// a record names this seed as the owner again, since they would serve what the shoot had when it left, and back it up as the newest data.
func (l Left) Remove(ctx context.Context) error {
	bucket, err := l.Source.bucket(ctx)
	if err != nil || bucket == string(l.Source.Seed.UID) {
		return err
	}
	if err := l.Etcd.Destroy(ctx); err != nil {
		return err
	}
	return l.Etcd.AwaitGone(ctx)
}
