package etcd

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replicas returns the number of members by role. An etcd that is restored begins with one member, and keeps those that have joined.
func (e Etcd) replicas(ctx context.Context) (map[string]int32, error) {
	out := map[string]int32{}
	for _, role := range roles {
		out[role] = e.Replicas
		if !e.Restored || e.Replicas < 2 {
			continue
		}
		found := object(role, e.Space.Name)
		if err := e.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read %s: %w", found.Name, err)
		}
		out[role] = max(found.Spec.Replicas, 1)
	}
	return out, nil
}

// Join lets the other members join the restored one, and waits for them.
func (e Etcd) Join(ctx context.Context) error {
	if err := e.ScaleUp(ctx); err != nil {
		return err
	}
	return e.Await(ctx)
}
