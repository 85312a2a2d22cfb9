package etcd

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestReplicasOfARestoration(t *testing.T) {
	for name, tc := range map[string]struct {
		etcd  Etcd
		found int32 // members of an etcd that exists; 0 if there is none
		want  int32
	}{
		"members of a new shoot begin together":          {Etcd{Replicas: 3, Members: 3}, 0, 3},
		"MIG-4 one member restores the backups":          {Etcd{Replicas: 3, Members: 3, Restored: true}, 0, 1},
		"MIG-4 members that have joined stay":            {Etcd{Replicas: 3, Members: 3, Restored: true}, 3, 3},
		"MIG-4 a shoot that sleeps has no members":       {Etcd{Members: 3, Restored: true}, 3, 0},
		"MIG-4 an ordinary shoot has one in any case":    {Etcd{Replicas: 1, Members: 1, Restored: true}, 1, 1},
		"MIG-4 one member that has restored stays alone": {Etcd{Replicas: 3, Members: 3, Restored: true}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := druidv1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			builder := fake.NewClientBuilder().WithScheme(scheme)
			if tc.found > 0 {
				for _, role := range roles {
					existing := object(role, "shoot--p--s")
					existing.Spec.Replicas = tc.found
					builder = builder.WithObjects(existing)
				}
			}
			tc.etcd.Space = seed.Space{Name: "shoot--p--s", Client: builder.Build()}
			got, err := tc.etcd.replicas(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, role := range roles {
				if got[role] != tc.want {
					t.Errorf("etcd %s has %d members, want %d", role, got[role], tc.want)
				}
			}
		})
	}
}
