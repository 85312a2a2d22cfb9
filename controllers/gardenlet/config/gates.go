package config

import (
	"maps"
	"slices"
)

// Feature gates with an effect. All other gates of Gardener are known and accepted, but have no effect: their feature is either
// always on in this gardenlet or not part of it.
const (
	// GateAPIServerSNI stands for the single front door of all API servers; default true. There is no other way to
	// reach API servers, so switching it off only switches off the overrides that need it.
	GateAPIServerSNI = "APIServerSNI"
	// GateReversedVPN makes the tunnel into shoots a reversed VPN; default true. It needs GateAPIServerSNI. Without it
	// the tunnel is the API server network proxy.
	GateReversedVPN = "ReversedVPN"
	// GateKonnectivity makes the tunnel into shoots the API server network proxy; default false.
	GateKonnectivity = "KonnectivityTunnel"
	// GateShootCARotation allows the rotation of certificate authorities of shoots; default true. GateCARotation is its
	// former name: both must be on. The Gardener API server has the same gates.
	GateShootCARotation = "ShootCARotation"
	GateCARotation      = "CARotation"
	// GateHVPA scales the requests of the etcds of shoots by the recommendations of a vertical pod autoscaler in the seed; default
	// false.
	GateHVPA = "HVPA"
	// GateDNSRecords lets a DNSRecord name the seed that is responsible for a shoot, if the Seed checks owners; default true. All other
	// records of shoots are DNSRecords in any case. Switching it off switches off the owner checks of the Seed.
	GateDNSRecords = "UseDNSRecords"
)

// actingGates are those above with their defaults.
var actingGates = map[string]bool{
	GateAPIServerSNI: true, GateReversedVPN: true, GateKonnectivity: false, GateShootCARotation: true, GateCARotation: true,
	GateHVPA: false, GateDNSRecords: true,
}

// Gate reports whether one of the gates above is on.
func (c *GardenletConfiguration) Gate(name string) bool {
	if on, set := c.FeatureGates[name]; set {
		return on
	}
	return actingGates[name]
}

// ValidateGates lists all mistakes in the feature gates. It does not need the rest of the configuration.
func (c *GardenletConfiguration) ValidateGates() error {
	v := &mistakes{}
	v.gates(c)
	return v.Err()
}

// gatesWithoutEffect lists the keys of gates that are set and have no effect.
func (c *GardenletConfiguration) gatesWithoutEffect() []string {
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		if _, acting := actingGates[name]; !acting {
			keys = append(keys, "featureGates."+name)
		}
	}
	return keys
}

func (v *mistakes) gates(cfg *GardenletConfiguration) {
	for _, name := range slices.Sorted(maps.Keys(cfg.FeatureGates)) {
		_, acting := actingGates[name]
		v.Add(!acting && !slices.Contains(knownGates, name), "featureGates.%s is not known", name)
	}
	v.Add(cfg.Gate(GateReversedVPN) && !cfg.Gate(GateAPIServerSNI),
		"featureGates.ReversedVPN needs APIServerSNI, which is off: switch APIServerSNI on, or ReversedVPN off as well")
}

// knownGates are the other feature gates that gardenlets have had.
var knownGates = []string{
	// until 1.62
	"CachedRuntimeClients", "CopyEtcdBackupsDuringControlPlaneMigration", "CoreDNSQueryRewriting",
	"DefaultSeccompProfile", "DenyInvalidExtensionResources", "ForceRestore", "HAControlPlanes", "HVPAForShootedSeed",
	"Logging", "ManagedIstio", "SeedKubeScheduler",
	// until 1.85
	"APIServerFastRollout", "ContainerdRegistryHostsDir", "IPv6SingleStack", "MachineControllerManagerDeployment", "UseGardenerNodeAgent",
	// later
	"BackupEntryForGarden", "CloudProfileCapabilities", "CustomDNSServerInNodeLocalDNS", "DisableNginxIngressInGarden",
	"DisableNginxIngressInSeed", "DisableNginxIngressInShoot", "DoNotCopyBackupCredentials", "InPlaceNodeUpdates",
	"IstioTLSTermination", "LiveControlPlaneMigration", "OpenTelemetryCollector", "PrometheusHealthChecks",
	"RemoveHTTPProxyLegacyPort", "RemoveVali", "VPNBondingModeRoundRobin", "VersionClassificationLifecycle", "VictoriaLogsBackend",
}
