package config

// knownGates are the feature gates that gardenlets have had. None changes anything here: what they stood for is either
// how this gardenlet works or not a part of it.
var knownGates = []string{
	// until 1.62
	"APIServerSNI", "CachedRuntimeClients", "CopyEtcdBackupsDuringControlPlaneMigration", "CoreDNSQueryRewriting",
	"DefaultSeccompProfile", "DenyInvalidExtensionResources", "ForceRestore", "HAControlPlanes", "HVPA", "HVPAForShootedSeed",
	"Logging", "ManagedIstio", "ReversedVPN", "SeedKubeScheduler", "UseDNSRecords",
	// until 1.85
	"APIServerFastRollout", "ContainerdRegistryHostsDir", "IPv6SingleStack", "MachineControllerManagerDeployment", "UseGardenerNodeAgent",
	// later
	"BackupEntryForGarden", "CloudProfileCapabilities", "CustomDNSServerInNodeLocalDNS", "DisableNginxIngressInGarden",
	"DisableNginxIngressInSeed", "DisableNginxIngressInShoot", "DoNotCopyBackupCredentials", "InPlaceNodeUpdates",
	"IstioTLSTermination", "LiveControlPlaneMigration", "OpenTelemetryCollector", "PrometheusHealthChecks",
	"RemoveHTTPProxyLegacyPort", "RemoveVali", "VPNBondingModeRoundRobin", "VersionClassificationLifecycle", "VictoriaLogsBackend",
}
