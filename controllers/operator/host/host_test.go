package host_test

import (
	"context"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestValidate(t *testing.T) {
	serves := func(context.Context) error { return nil }
	good := host.Component{Name: "one", Group: host.Virtual, Stage: host.ETCD, Serves: serves}
	if err := (host.Host{Components: []host.Component{good, {Name: "two", Stage: host.Monitoring, Absent: "no room"}}}).Validate(); err != nil {
		t.Error(err)
	}
	t.Run("OPR-39 a host that deploys what it cannot destroy is refused", func(t *testing.T) {
		deploys := func(context.Context, *operatorv1alpha1.Garden, host.Stage) error { return nil }
		if err := (host.Host{Deploy: deploys}).Validate(); err == nil {
			t.Error("no error")
		}
		if err := (host.Host{Deploy: deploys, Destroy: deploys}).Validate(); err != nil {
			t.Error(err)
		}
	})
	for name, bad := range map[string]host.Component{
		"a name twice":                   good,
		"an unknown stage":               {Name: "two", Stage: "soon", Serves: serves},
		"neither run nor a reason":       {Name: "two", Stage: host.ETCD},
		"both run and a reason":          {Name: "two", Stage: host.ETCD, Serves: serves, Absent: "no room"},
		"a component without a name":     {Stage: host.ETCD, Serves: serves},
		"a component without everything": {},
	} {
		t.Run(name, func(t *testing.T) {
			if err := (host.Host{Components: []host.Component{good, bad}}).Validate(); err == nil {
				t.Error("no error")
			}
		})
	}
}
