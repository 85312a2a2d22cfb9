package member

import (
	"context"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// healthTimeout bounds the questions that one request for the health asks. It is shorter than the timeout of the pod's probes.
const healthTimeout = 4 * time.Second

// Started implements server.State.
func (m *member) Started() bool { return m.running.Load() && !m.withdrawn.Load() }

// Healthy implements server.State. It asks etcd what its own endpoint /readyz asks, because an answer of the last look at the member may be
// half a minute old, and a member without a majority answers that look, too.
func (m *member) Healthy(ctx context.Context) bool {
	serving := m.serving.Load()
	if serving == nil || !m.Started() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, err := serving.client.Status(ctx, serving.endpoint)
	if err != nil || status.IsLearner || damaged(status) {
		return false
	}
	_, err = serving.client.Get(ctx, "health", clientv3.WithCountOnly()) // needs a majority
	return err == nil && m.Started()
}

// damaged reports whether etcd has found that the data of a member differ from those of the others.
func damaged(status *clientv3.StatusResponse) bool {
	for _, alarm := range status.Errors {
		if strings.Contains(alarm, etcdserverpb.AlarmType_CORRUPT.String()) {
			return true
		}
	}
	return false
}
