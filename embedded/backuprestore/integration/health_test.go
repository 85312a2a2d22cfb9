package integration

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

func TestHealthOfMembers(t *testing.T) {
	c := newCluster(t)
	c.size = 3
	c.start(0, 1, 2)
	c.voters(0, 3)
	for _, m := range c.members {
		m.serves()
	}
	left := c.members[0]
	t.Run("ETC-13 a member that lacks a majority is not healthy, but started", func(t *testing.T) {
		for _, m := range c.members[1:] {
			m.end(syscall.SIGKILL)
		}
		left.in(t).unhealthy()
		if body, err := left.get("/healthz?serializable=true"); err != nil {
			t.Errorf("alone it is not: %s, %v", body, err)
		}
	})
	t.Run("ETC-13 it is healthy with a majority again", func(t *testing.T) {
		c.start(1)
		left.in(t).serves()
	})
}

func TestHealthOfData(t *testing.T) {
	m := newMember(t)
	m.start()
	m.write("first") // the client connects
	id := m.id()
	alarm := func(action etcdserverpb.AlarmRequest_AlarmAction) {
		m.t.Helper()
		_, err := etcdserverpb.NewMaintenanceClient(m.etcd.ActiveConnection()).Alarm(m.t.Context(),
			&etcdserverpb.AlarmRequest{Action: action, MemberID: id, Alarm: etcdserverpb.AlarmType_CORRUPT})
		must(m.t, err)
	}
	t.Run("ETC-13 a member with damaged data is not healthy", func(t *testing.T) {
		m.in(t)
		alarm(etcdserverpb.AlarmRequest_ACTIVATE)
		m.unhealthy()
	})
	t.Run("ETC-13 it is healthy when somebody has dealt with the damage", func(t *testing.T) {
		m.in(t)
		alarm(etcdserverpb.AlarmRequest_DEACTIVATE)
		m.serves()
	})
}

func (m *member) id() uint64 {
	m.t.Helper()
	status, err := m.etcd.Status(m.t.Context(), "http://"+m.client)
	must(m.t, err)
	return status.Header.MemberId
}

// unhealthy waits until the backup server says that the etcd does not serve.
func (m *member) unhealthy() {
	m.t.Helper()
	m.eventually("the member is not healthy", func() error {
		if _, err := m.get("/healthz"); err == nil || !strings.Contains(err.Error(), `503 Service Unavailable: {"health":false}`) {
			return fmt.Errorf("health is %w", err)
		}
		return nil
	})
}
