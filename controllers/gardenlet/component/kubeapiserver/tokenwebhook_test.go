package kubeapiserver

import (
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
)

func TestTokenWebhook(t *testing.T) {
	const flag = "--authentication-token-webhook-config-file=/etc/webhook/kubeconfig"
	v := values(nil)
	t.Run("OIDC-7 a server without webhook has no flags for one", func(t *testing.T) {
		if args, _, _ := deployed(t, v); slices.Contains(args, flag) {
			t.Errorf("args: %v", args)
		}
	})
	v.TokenWebhook = &TokenWebhook{Service: "webhook", Port: 10443, Kubeconfig: []byte("document")}
	args, files, container := deployed(t, v)
	t.Run("OIDC-6 the server has the flag and the file", func(t *testing.T) {
		if !slices.Contains(args, flag) || files["kubeconfig"] != "document" {
			t.Errorf("args %v, files %v", args, files)
		}
		mounted := false
		for _, mount := range container.VolumeMounts {
			mounted = mounted || mount.MountPath == "/etc/webhook"
		}
		if !mounted {
			t.Errorf("mounts: %v", container.VolumeMounts)
		}
	})
	t.Run("OIDC-2 answers have no cache of their own, so that a removed provider is soon forgotten", func(t *testing.T) {
		if !slices.Contains(args, "--authentication-token-webhook-cache-ttl=0s") {
			t.Errorf("args: %v", args)
		}
	})
	t.Run("OIDC-6 network policies allow the connection", func(t *testing.T) {
		if !slices.Contains(reaches(v), names.Reach("webhook", 10443)) {
			t.Errorf("reaches: %v", reaches(v))
		}
	})
}
