package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
)

func TestDefaults(t *testing.T) {
	cfg, err := config.Decode([]byte("server: {resourceAdmissionConfiguration: {limits: []}, metrics: {}, healthProbes: {}}"))
	if err != nil {
		t.Fatal(err)
	}
	server := cfg.Server
	got := []any{cfg.LogLevel, server.Webhooks.Port, server.HealthProbes.Port, server.Metrics.Port, server.ResourceAdmissionConfiguration.OperationMode, server.EnableDebugHandlers}
	if diff := cmp.Diff([]any{"info", 2721, 2722, 2723, config.ModeBlock, false}, got); diff != "" {
		t.Errorf("GAC-6 values (-want +got):\n%s", diff)
	}
	if keys := append(cfg.WithoutEffect(), cfg.OfProcess()...); len(keys) > 0 {
		t.Errorf("defaults are reported: %q", keys)
	}
}

func TestEveryKey(t *testing.T) {
	raw, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Decode(raw)
	if err != nil {
		t.Fatal("a public key is refused:", err)
	}
	limits := cfg.Server.ResourceAdmissionConfiguration
	got := []any{cfg.GardenClientConnection.Kubeconfig, cfg.Server.Webhooks.Address(), limits.Limits[0].Size.Value(), limits.UnrestrictedSubjects[0].Name, limits.OperationMode}
	if diff := cmp.Diff([]any{"a", "127.0.0.1:3721", int64(102400), "gardener.cloud:system:seeds", config.ModeLog}, got); diff != "" {
		t.Errorf("GAC-4 GAC-5 GAC-6 values (-want +got):\n%s", diff)
	}
	want := []string{
		"gardenClientConnection.acceptContentTypes", "gardenClientConnection.contentType",
		"server.https (use server.webhooks instead)", "debugging",
	}
	if diff := cmp.Diff(want, cfg.WithoutEffect()); diff != "" {
		t.Errorf("keys without effect (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gardenClientConnection.kubeconfig", "logFormat (use log.format of the landscape's configuration instead)", "server.webhooks"}, cfg.OfProcess()); diff != "" {
		t.Errorf("keys of a process (-want +got):\n%s", diff)
	}
}

func TestMistakes(t *testing.T) {
	limits := func(text string) string { return "server: {resourceAdmissionConfiguration: " + text + "}" }
	for name, tc := range map[string]struct{ content, want string }{
		"an unknown key":                     {"server: {webhook: {}}", `unknown field "server.webhook"`},
		"another kind":                       {"kind: Pod", "apiVersion and kind"},
		"an unknown level":                   {"logLevel: loud", `logLevel "loud"`},
		"a port out of range":                {"server: {webhooks: {port: 70000}}", "server.webhooks.port"},
		"GAC-4 a limit without resources":    {limits("{limits: [{size: 1k}]}"), "limits[0].resources"},
		"GAC-4 a limit without a size":       {limits("{limits: [{resources: [a]}]}"), "limits[0].size is required"},
		"GAC-4 a limit of nothing":           {limits("{limits: [{resources: [a], size: 0}]}"), "limits[0].size must be positive"},
		"GAC-5 another kind of subject":      {limits("{limits: [], unrestrictedSubjects: [{kind: Robot, name: a}]}"), `kind "Robot"`},
		"GAC-5 a subject without a name":     {limits("{limits: [], unrestrictedSubjects: [{kind: User}]}"), "name is required"},
		"GAC-5 an account without namespace": {limits("{limits: [], unrestrictedSubjects: [{kind: ServiceAccount, name: a}]}"), "namespace is required"},
		"GAC-5 a user with a namespace":      {limits("{limits: [], unrestrictedSubjects: [{kind: User, name: a, namespace: b}]}"), "namespace is for a ServiceAccount only"},
		"GAC-5 a group of another API":       {limits("{limits: [], unrestrictedSubjects: [{kind: Group, name: a, apiGroup: x}]}"), "apiGroup must be"},
		"GAC-6 another mode":                 {limits("{limits: [], operationMode: warn}"), `operationMode "warn"`},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if _, err := config.Decode([]byte(tc.content)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
