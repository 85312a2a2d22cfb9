package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
)

// with is a client of a further server over the same objects.
func with(t *testing.T, change func(*gardenapi.Config)) client.Client {
	t.Helper()
	_, direct := another(t, change)
	return clientFor(t, direct)
}

const admissionConfiguration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ShootTolerationRestriction
  configuration:
    apiVersion: shoottolerationrestriction.admission.gardener.cloud/v1alpha1
    kind: Configuration
    defaults: [{key: everywhere}]
    whitelist: [{key: everywhere}, {key: permitted}]
- name: ShootDNSRewriting
  configuration:
    apiVersion: shootdnsrewriting.admission.gardener.cloud/v1alpha1
    kind: Configuration
    commonSuffixes: [example.org]
`

func TestAdmissionConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admission.yaml")
	if err := os.WriteFile(file, []byte(admissionConfiguration), 0o600); err != nil {
		t.Fatal(err)
	}
	configured := with(t, func(c *gardenapi.Config) {
		c.AdmissionConfigFile = file
		c.EnableAdmissionPlugins = []string{"ShootVPAEnabledByDefault", "ShootNodeLocalDNSEnabledByDefault", "ShootDNSRewriting"}
		c.DisableAdmissionPlugins = []string{"DeletionConfirmation"}
	})
	p, profile := project(t), cloudProfile(t)
	tolerating := func(key string) *core.Shoot {
		return newShoot(p, profile, func(s *core.Shoot) { s.Spec.Tolerations = []core.Toleration{{Key: key}} })
	}
	try := func(c client.Client, s *core.Shoot) error { return c.Create(t.Context(), s, client.DryRunAll) }

	t.Run("ADM-22 TOL-4 what the file permits", func(t *testing.T) {
		if err := try(configured, tolerating("permitted")); err != nil {
			t.Error(err)
		}
		wantStatus(t, try(configured, tolerating("other")), http.StatusForbidden, "toleration other is not whitelisted")
		wantStatus(t, try(admin(t), tolerating("permitted")), http.StatusForbidden, "toleration permitted is not whitelisted")
	})
	merge(t, p, `{"spec":{"tolerations":{"whitelist":[{"key":"other"},{"key":"project"}],"defaults":[{"key":"project"}]}}}`)
	settle()
	t.Run("ADM-22 TOL-4 what the project permits", func(t *testing.T) {
		if err := try(admin(t), tolerating("other")); err != nil {
			t.Error(err)
		}
	})
	t.Run("ADM-23 defaults of project and file", func(t *testing.T) {
		s := newShoot(p, profile)
		if err := try(configured, s); err != nil {
			t.Fatal(err)
		}
		if len(s.Spec.Tolerations) != 2 || s.Spec.Tolerations[0].Key != "project" || s.Spec.Tolerations[1].Key != "everywhere" {
			t.Errorf("tolerations are %v", s.Spec.Tolerations)
		}
	})
	t.Run("ADM-1 ADM-21 plugins that are off can be enabled", func(t *testing.T) {
		on, off := newShoot(p, profile), newShoot(p, profile)
		refusing := newShoot(p, profile, func(s *core.Shoot) {
			s.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: false}
		})
		for c, s := range map[client.Client]*core.Shoot{configured: on, admin(t): off} {
			if err := try(c, s); err != nil {
				t.Fatal(err)
			}
		}
		if err := try(configured, refusing); err != nil {
			t.Fatal(err)
		}
		enabled := func(s *core.Shoot) bool {
			return ptr.Deref(s.Spec.Kubernetes.VerticalPodAutoscaler, core.VerticalPodAutoscaler{}).Enabled
		}
		if !enabled(on) || enabled(off) || enabled(refusing) {
			t.Errorf("enabled with the plugin: %t, without: %t, against the user's will: %t", enabled(on), enabled(off), enabled(refusing))
		}
		if on.Spec.SystemComponents == nil || !on.Spec.SystemComponents.NodeLocalDNS.Enabled || on.Spec.SystemComponents.CoreDNS.Rewriting.CommonSuffixes[0] != "example.org" {
			t.Errorf("system components are %+v", on.Spec.SystemComponents)
		}
	})
	t.Run("ADM-1 plugins that are on can be disabled", func(t *testing.T) {
		s := newShoot(p, profile)
		if err := configured.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, admin(t).Delete(t.Context(), s.DeepCopy()), http.StatusForbidden, "confirmation")
		if err := configured.Delete(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
	t.Run("ADM-1 an unknown plugin is told", func(t *testing.T) {
		config := garden.ServerConfig
		config.Port++
		config.EnableAdmissionPlugins = []string{"Nonsense"}
		server := gardenapi.New(config)
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-server.Done()
		if err := server.Err(); err == nil {
			t.Error("it was accepted")
		}
	})
}
