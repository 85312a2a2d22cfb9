package config

import (
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Load reads, defaults and validates the configuration file. The error names all mistakes.
func Load(path string) (*GardenletConfiguration, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration of the gardenlet: %w", err)
	}
	cfg, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("configuration of the gardenlet %s: %w", path, err)
	}
	return cfg, nil
}

// Decode is Load for content. Unknown and doubled fields are mistakes.
func Decode(raw []byte) (*GardenletConfiguration, error) {
	cfg := &GardenletConfiguration{}
	if err := yaml.UnmarshalStrict(raw, cfg); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if cfg.APIVersion != APIVersion || cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q instead of %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// Validate reports all mistakes of a defaulted configuration.
func Validate(cfg *GardenletConfiguration) error {
	var errs []error
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	add(cfg.SeedConfig == nil, "seedConfig is required")
	add(cfg.SeedConfig != nil && cfg.SeedConfig.Name == "", "seedConfig.metadata.name is required")
	add(!oneOf(cfg.LogLevel, "debug", "info", "error"), "logLevel %q is none of debug, info, error", cfg.LogLevel)
	add(!oneOf(cfg.LogFormat, "json", "text"), "logFormat %q is none of json, text", cfg.LogFormat)
	add(*cfg.Controllers.Seed.LeaseResyncSeconds < 1, "controllers.seed.leaseResyncSeconds must be at least 1")
	add(cfg.Controllers.Seed.SyncPeriod.Duration <= 0, "controllers.seed.syncPeriod must be positive")
	add(*cfg.Controllers.BackupEntry.DeletionGracePeriodHours < 0, "controllers.backupEntry.deletionGracePeriodHours must not be negative")
	for name, syncs := range map[string]*int{
		"backupBucket": cfg.Controllers.BackupBucket.ConcurrentSyncs, "backupEntry": cfg.Controllers.BackupEntry.ConcurrentSyncs,
		"controllerInstallation": cfg.Controllers.ControllerInstallation.ConcurrentSyncs,
		"shoot":                  cfg.Controllers.Shoot.ConcurrentSyncs, "shootCare": cfg.Controllers.ShootCare.ConcurrentSyncs,
	} {
		add(*syncs < 1, "controllers.%s.concurrentSyncs must be at least 1", name)
	}
	if cfg.Resources != nil {
		for name, reserved := range cfg.Resources.Reserved {
			capacity, found := cfg.Resources.Capacity[name]
			add(!found, "resources.reserved.%s has no capacity", name)
			add(found && reserved.Cmp(capacity) > 0, "resources.reserved.%s is more than the capacity", name)
		}
	}
	return errors.Join(errs...)
}

func oneOf(value string, allowed ...string) bool {
	for _, candidate := range allowed {
		if value == candidate {
			return true
		}
	}
	return false
}
