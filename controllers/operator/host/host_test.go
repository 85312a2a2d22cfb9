package host_test

import (
	"context"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

func TestValidate(t *testing.T) {
	serves := func(context.Context) error { return nil }
	good := host.Component{Name: "one", Group: host.Virtual, Stage: host.ETCD, Serves: serves}
	if err := (host.Host{Components: []host.Component{good, {Name: "two", Stage: host.Monitoring, Absent: "no room"}}}).Validate(); err != nil {
		t.Error(err)
	}
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
