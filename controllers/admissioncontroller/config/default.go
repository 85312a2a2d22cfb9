package config

import "cmp"

// Default is the configuration of an empty file.
func Default() *AdmissionControllerConfiguration {
	cfg := &AdmissionControllerConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *AdmissionControllerConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	cfg.Log.SetDefaults()
	cfg.Server.SetDefaults(2722, 2723)
	cfg.Server.Webhooks = cmp.Or(cfg.Server.Webhooks, &Webhooks{})
	cfg.Server.Webhooks.Port = cmp.Or(cfg.Server.Webhooks.Port, 2721)
	if limits := cfg.Server.ResourceAdmissionConfiguration; limits != nil {
		limits.OperationMode = cmp.Or(limits.OperationMode, ModeBlock)
	}
}
