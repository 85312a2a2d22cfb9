package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

const minimal = `
apiVersion: gardenlet.config.gardener.cloud/v1alpha1
kind: GardenletConfiguration
seedConfig: {metadata: {name: local}}
`

func TestGates(t *testing.T) {
	for name, tc := range map[string]struct {
		gates                      string
		sni, reversed, alternative bool
	}{
		"VPN-7 the reversed VPN is on by default":            {"{}", true, true, false},
		"VPN-7 without the front door both are switched off": {"{APIServerSNI: false, ReversedVPN: false}", false, false, false},
		"VPN-7 KON-1 the alternative has a gate":             {"{KonnectivityTunnel: true, Logging: true}", true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Decode([]byte(minimal + "featureGates: " + tc.gates))
			if err != nil {
				t.Fatal(err)
			}
			got := []bool{cfg.Gate(config.GateAPIServerSNI), cfg.Gate(config.GateReversedVPN), cfg.Gate(config.GateKonnectivity)}
			if want := []bool{tc.sni, tc.reversed, tc.alternative}; !slices.Equal(got, want) {
				t.Errorf("gates %v, want %v", got, want)
			}
		})
	}
}

func TestGateOfRecords(t *testing.T) {
	for gates, want := range map[string]bool{"{}": true, "{UseDNSRecords: true}": true, "{UseDNSRecords: false}": false} {
		t.Run("MIG-13 records name owners, with the gates "+gates, func(t *testing.T) {
			cfg, err := config.Decode([]byte(minimal + "featureGates: " + gates))
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.Gate(config.GateDNSRecords); got != want {
				t.Errorf("gate: %t", got)
			}
		})
	}
}

func TestGateOfAuthorities(t *testing.T) {
	for gates, want := range map[string]bool{"{}": true, "{ShootCARotation: false}": false, "{CARotation: false}": false} {
		cfg, err := config.Decode([]byte(minimal + "featureGates: " + gates))
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Gate(config.GateShootCARotation) && cfg.Gate(config.GateCARotation); got != want {
			t.Errorf("CAR-1 with %s authorities rotate: %t", gates, got)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Run("GLT-10 a minimal configuration gets its defaults", func(t *testing.T) {
		cfg, err := config.Decode([]byte(minimal))
		if err != nil {
			t.Fatal(err)
		}
		if got := *cfg.Controllers.Seed.LeaseResyncSeconds; got != 2 {
			t.Errorf("leaseResyncSeconds = %d", got)
		}
		if got := cfg.Controllers.Shoot.RetryDuration.Duration; got != 12*time.Hour {
			t.Errorf("retryDuration = %s", got)
		}
		if cfg.GardenClientConnection.QPS != 50 || cfg.LogLevel != "info" || *cfg.Controllers.BackupBucket.ConcurrentSyncs != 20 {
			t.Errorf("configuration = %+v", cfg)
		}
	})
	for name, tc := range map[string]struct{ content, wantErr string }{
		"GLT-10 values that are given are kept": {minimal + "controllers: {shoot: {concurrentSyncs: 3}}", ""},
		"GLT-10 an unknown field is refused":    {minimal + "nonsense: 1", "nonsense"},
		"GLT-10 spelling matters":               {minimal + "LogLevel: info", `unknown field "LogLevel"`},
		"GLT-10 an unknown key is named with its path": {
			minimal + "logging: {vali: {garden: {store: 1Gi}}}", `unknown field "logging.vali.garden.store"`,
		},
		"GLT-10 all unknown keys are named": {minimal + "a: 1\nserver: {b: 1}", `unknown field "server.b"`},
		"GLT-10 an unknown gate is refused": {minimal + "featureGates: {Nonsense: true}", "featureGates.Nonsense is not known"},
		"VPN-7 a reversed VPN goes through the front door": {
			minimal + "featureGates: {ReversedVPN: true, APIServerSNI: false}", "featureGates.ReversedVPN needs APIServerSNI, which is off",
		},
		"VPN-7 also where it is on by default": {minimal + "featureGates: {APIServerSNI: false}", "featureGates.ReversedVPN needs APIServerSNI"},
		"PRT-4 a handler has a name of its own": {
			minimal + "exposureClassHandlers: [{name: a}, {name: a}, {}]", `exposureClassHandlers[1].name "a" is there twice`,
		},
		"PRT-4 a handler's address is one":              {minimal + "exposureClassHandlers: [{name: a, sni: {ingress: {serviceExternalIP: b}}}]", "serviceExternalIP"},
		"ETC-8 time passes between two delta snapshots": {minimal + "etcdConfig: {deltaSnapshotPeriod: 10ms}", "etcdConfig.deltaSnapshotPeriod must be at least 1s"},
		"ETC-10 somebody merges snapshots":              {minimal + "etcdConfig: {backupCompactionController: {workers: 0}}", "backupCompactionController.workers must be at least 1"},
		"ETC-10 merging snapshots takes time":           {minimal + "etcdConfig: {backupCompactionController: {activeDeadlineDuration: 0s}}", "activeDeadlineDuration must be at least 1s"},
		"certificates live for ten minutes":             {minimal + "gardenClientConnection: {kubeconfigValidity: {validity: 9m}}", "validity must be at least 10m"},
		"the jitter has a range":                        {minimal + "gardenClientConnection: {kubeconfigValidity: {autoRotationJitterPercentageMin: 95}}", "must not be more than"},
		"a port is a port":                              {minimal + "server: {https: {port: 70000}}", "server.https.port"},
		"both files of a certificate are needed":        {minimal + "server: {https: {tls: {serverCertPath: a}}}", "server.https.tls.serverKeyPath"},
		"a doubled field is refused":                    {minimal + "logLevel: info\nlogLevel: debug", "logLevel"},
		"another kind is refused":                       {"apiVersion: v1\nkind: Pod", "apiVersion and kind"},
		"a seed is required":                            {"apiVersion: gardenlet.config.gardener.cloud/v1alpha1\nkind: GardenletConfiguration", "seedConfig is required"},
		"all mistakes are named":                        {minimal + "logLevel: loud\nlogFormat: xml", "logFormat \"xml\""},
		"workers are needed":                            {minimal + "controllers: {shoot: {concurrentSyncs: 0}}", "controllers.shoot.concurrentSyncs"},
		"more reserved than there is":                   {minimal + "resources: {capacity: {shoots: 1}, reserved: {shoots: 2}}", "resources.reserved.shoots is more"},
		"reserved without capacity":                     {minimal + "resources: {reserved: {shoots: 2}}", "resources.reserved.shoots has no capacity"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Decode([]byte(tc.content))
			switch {
			case tc.wantErr == "" && (err != nil || *cfg.Controllers.Shoot.ConcurrentSyncs != 3):
				t.Errorf("configuration %+v, %v", cfg, err)
			case tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)):
				t.Errorf("error = %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}
