package backupserver

import (
	"context"
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestTake(t *testing.T) {
	of := func(replicas int32, leader string) *druidv1alpha1.Etcd {
		return &druidv1alpha1.Etcd{
			ObjectMeta: metav1.ObjectMeta{Name: "etcd-main"}, Spec: druidv1alpha1.EtcdSpec{Replicas: replicas},
			Status: druidv1alpha1.EtcdStatus{Members: []druidv1alpha1.EtcdMemberStatus{{Name: leader, Role: ptr.To(druidv1alpha1.EtcdRoleLeader)}}},
		}
	}
	idle := &refusal{status: "500 Internal Server Error", text: "this member makes no backups"}
	errBoom := errors.New("boom")
	for name, tc := range map[string]struct {
		etcd    *druidv1alpha1.Etcd
		answers map[string]error // of members that make no backups
		asked   []string
		want    error
	}{
		"ETC-13 the leader makes the backup":                                {of(3, "etcd-main-1"), nil, []string{"etcd-main-1"}, nil},
		"ETC-13 another member has become the leader":                       {of(3, "etcd-main-1"), map[string]error{"etcd-main-1": idle, "etcd-main-0": errBoom}, []string{"etcd-main-1", "etcd-main-0", "etcd-main-2"}, nil},
		"ETC-13 the error of a single member is told at once":               {of(1, "etcd-main-0"), map[string]error{"etcd-main-0": idle}, []string{"etcd-main-0"}, idle},
		"ETC-13 members that cannot be reached are not asked over and over": {of(2, "etcd-main-0"), map[string]error{"etcd-main-0": errBoom, "etcd-main-1": errBoom}, []string{"etcd-main-0", "etcd-main-1"}, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			_, err := take(t.Context(), func(context.Context) (*druidv1alpha1.Etcd, error) { return tc.etcd, nil },
				func(_ context.Context, _ *druidv1alpha1.Etcd, member string) (*Snapshot, error) {
					asked = append(asked, member)
					return &Snapshot{}, tc.answers[member]
				})
			if !errors.Is(err, tc.want) || !slices.Equal(asked, tc.asked) {
				t.Errorf("asked %v, error %v", asked, err)
			}
		})
	}
	t.Run("ETC-13 while members elect a leader, they are asked again", func(t *testing.T) {
		rounds := 0
		_, err := take(t.Context(), func(context.Context) (*druidv1alpha1.Etcd, error) { rounds++; return of(3, "etcd-main-0"), nil },
			func(_ context.Context, _ *druidv1alpha1.Etcd, member string) (*Snapshot, error) {
				if rounds < 2 || member != "etcd-main-2" {
					return nil, idle
				}
				return &Snapshot{}, nil
			})
		if err != nil || rounds != 2 {
			t.Errorf("after %d rounds: %v", rounds, err)
		}
	})
}
