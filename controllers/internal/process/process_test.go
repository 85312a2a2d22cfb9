package process

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

func TestOptions(t *testing.T) {
	t.Run("APP-7 a component without configured servers listens nowhere and is elected by nobody", func(t *testing.T) {
		off := false
		for name, election := range map[string]*componentconfig.LeaderElection{"none": nil, "off": {LeaderElect: &off}} {
			got := Inputs{Election: election}.options()
			if got.Metrics.BindAddress != "0" || got.HealthProbeBindAddress != "0" || got.LeaderElection {
				t.Errorf("election %s: metrics %q, probes %q, election %v", name, got.Metrics.BindAddress, got.HealthProbeBindAddress, got.LeaderElection)
			}
		}
	})
	t.Run("APP-7 servers and election are those of the configuration", func(t *testing.T) {
		election := &componentconfig.LeaderElection{ResourceNamespace: "garden", LeaseDuration: metav1.Duration{Duration: time.Minute}}
		election.SetDefaults("the-lease")
		got := Inputs{Election: election, Server: componentconfig.Server{
			HealthProbes: &componentconfig.Listener{BindAddress: "127.0.0.1", Port: 1}, Metrics: &componentconfig.Listener{Port: 2},
		}}.options()
		if got.HealthProbeBindAddress != "127.0.0.1:1" || got.Metrics.BindAddress != ":2" {
			t.Errorf("probes %q, metrics %q", got.HealthProbeBindAddress, got.Metrics.BindAddress)
		}
		if !got.LeaderElection || !got.LeaderElectionReleaseOnCancel || got.LeaderElectionID != "the-lease" || got.LeaderElectionNamespace != "garden" || *got.LeaseDuration != time.Minute {
			t.Errorf("election %v of %s/%s for %v", got.LeaderElection, got.LeaderElectionNamespace, got.LeaderElectionID, got.LeaseDuration)
		}
	})
}
