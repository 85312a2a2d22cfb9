package managedseed

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/seedtemplate"
)

func shoot(change ...func(*core.ShootSpec)) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "s"}, Spec: core.ShootSpec{
		DNS: &core.DNS{Domain: ptr.To("s.garden.example.org")}, Region: "r",
		Provider:   core.Provider{Type: "local", Workers: []core.Worker{{Zones: []string{"b", "a"}}, {Zones: []string{"b"}}}},
		Networking: &core.Networking{Pods: ptr.To("10.1.0.0/16"), Services: ptr.To("10.2.0.0/16"), Nodes: ptr.To("10.3.0.0/16"), IPFamilies: []core.IPFamily{core.IPFamilyIPv4}},
	}}
	s.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: true}
	for _, f := range change {
		f(&s.Spec)
	}
	return s
}

func seed(name, config string) *seedmanagement.ManagedSeed {
	m := &seedmanagement.ManagedSeed{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name}, Spec: seedmanagement.ManagedSeedSpec{
		Shoot: &seedmanagement.Shoot{Name: "s"}, Gardenlet: &seedmanagement.GardenletConfig{},
	}}
	if config != "" {
		m.Spec.Gardenlet.Config = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration",` + config + `}`)}
	}
	return m
}

func plugin(objects initializer.Objects) *Plugin {
	p := New()
	p.SetObjects(objects)
	p.SetDomains(func(context.Context) ([]gardendomains.Domain, error) {
		return []gardendomains.Domain{{Name: "example.org", Provider: "dns", Secret: "d"}, {Name: "example.com", Provider: "x", Secret: "x"}}, nil
	})
	return p
}

// filled is what the seed of shoot() gets without anything said about it.
func filled() *core.SeedTemplate {
	t := &core.SeedTemplate{Spec: core.SeedSpec{
		Provider: core.SeedProvider{Type: "local", Region: "r", Zones: []string{"a", "b"}},
		Networks: core.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", Nodes: ptr.To("10.3.0.0/16"), IPFamilies: []core.IPFamily{core.IPFamilyIPv4}},
		Ingress:  &core.Ingress{Domain: "ingress.s.garden.example.org", Controller: core.IngressController{Kind: "nginx"}},
	}}
	t.Spec.DNS.Provider = &core.SeedDNSProvider{Type: "dns", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "d"}}
	return t
}

func TestComplete(t *testing.T) {
	with := func(change func(*core.SeedTemplate)) *core.SeedTemplate { t := filled(); change(t); return t }
	old := seed("m", "")
	old.Spec.SeedTemplate = &core.SeedTemplate{}
	for name, tc := range map[string]struct {
		seed *seedmanagement.ManagedSeed
		want *core.SeedTemplate
	}{
		"ADM-30 an empty gardenlet":             {seed("m", ""), filled()},
		"ADM-30 a configuration without a seed": {seed("m", `"logLevel":"debug"`), filled()},
		"ADM-30 the older form":                 {old, filled()},
		"ADM-30 what is said stays": {seed("m", `"seedConfig":{"metadata":{"labels":{"a":"b"}},"spec":{"provider":{"zones":["a"]},"ingress":{"domain":"x.s.garden.example.org"},"dns":{"provider":{"type":"other"}}}}`),
			with(func(t *core.SeedTemplate) {
				t.Labels, t.Spec.Provider.Zones, t.Spec.Ingress.Domain = map[string]string{"a": "b"}, []string{"a"}, "x.s.garden.example.org"
				t.Spec.DNS.Provider = &core.SeedDNSProvider{Type: "other"}
			})},
		"ADM-30 backups are made at the shoot's provider": {seed("m", `"seedConfig":{"spec":{"backup":{"secretRef":{"name":"b"}}}}`),
			with(func(t *core.SeedTemplate) {
				t.Spec.Backup = &core.Backup{Provider: "local", Region: ptr.To("r"), SecretRef: corev1.SecretReference{Name: "b"}}
			})},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // doing it again changes nothing
				admissiontest.WantError(t, admissiontest.Admit(plugin(admissiontest.Objects{shoot()}), admissiontest.Create(tc.seed)), "")
				got, err := seedtemplate.Of(tc.seed)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("template (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for config, refused := range map[string]string{
		`"provider":{"type":"aws"}`:             "spec.provider.type",
		`"provider":{"region":"x"}`:             "spec.provider.region",
		`"provider":{"zones":["a","x"]}`:        "spec.provider.zones",
		`"networks":{"pods":"10.9.0.0/16"}`:     "spec.networks.pods",
		`"networks":{"services":"10.9.0.0/16"}`: "spec.networks.services",
		`"networks":{"nodes":"10.9.0.0/16"}`:    "spec.networks.nodes",
		`"ingress":{"domain":"ingress.a.b"}`:    "spec.ingress.domain",
	} {
		t.Run("ADM-30 "+refused+" must suit the shoot", func(t *testing.T) {
			err := admissiontest.Admit(plugin(admissiontest.Objects{shoot()}), admissiontest.Create(seed("m", `"seedConfig":{"spec":{`+config+`}}`)))
			admissiontest.WantError(t, err, refused)
		})
	}
	for name, tc := range map[string]struct {
		change  func(*core.ShootSpec)
		refused string
	}{
		"a shoot without domain":  {func(s *core.ShootSpec) { s.DNS = nil }, "must have a domain"},
		"a shoot without workers": {func(s *core.ShootSpec) { s.Provider.Workers = nil }, "must have workers"},
		"a shoot that sleeps":     {func(s *core.ShootSpec) { s.Hibernation = &core.Hibernation{Enabled: ptr.To(true)} }, "must not be hibernated"},
		"a shoot with an ingress of its own": {func(s *core.ShootSpec) {
			s.Addons = &core.Addons{NginxIngress: &core.NginxIngress{Addon: core.Addon{Enabled: true}}}
		}, "nginx"},
		"a shoot without pod autoscaler": {func(s *core.ShootSpec) { s.Kubernetes.VerticalPodAutoscaler = nil }, "vertical pod autoscaler"},
	} {
		t.Run("ADM-30 "+name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(plugin(admissiontest.Objects{shoot(tc.change)}), admissiontest.Create(seed("m", ""))), tc.refused)
		})
	}
}

// brokenSeeds fails to read managed seeds only.
type brokenSeeds struct{ admissiontest.Objects }

func (b brokenSeeds) Each(context.Context, schema.GroupResource, string, func(runtime.Object) bool) error {
	return errors.New("boom")
}

func TestRequests(t *testing.T) {
	elsewhere, nothing, deleting := seed("m", ""), seed("m", ""), seed("m", "")
	elsewhere.Namespace, nothing.Spec.Shoot, deleting.DeletionTimestamp = "garden-p", nil, ptr.To(metav1.Now())
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"another namespace":                      {admissiontest.Objects{}, admissiontest.Create(elsewhere), "metadata.namespace"},
		"no shoot is named":                      {admissiontest.Objects{}, admissiontest.Create(nothing), "spec.shoot.name: Required"},
		"a shoot that does not exist":            {admissiontest.Objects{}, admissiontest.Create(seed("m", "")), "spec.shoot.name: Not found"},
		"a shoot that is a seed already":         {admissiontest.Objects{shoot(), seed("n", "")}, admissiontest.Create(seed("m", "")), `"n" refers to the shoot already`},
		"a name of the seed":                     {admissiontest.Objects{shoot()}, admissiontest.Create(seed("m", `"seedConfig":{"metadata":{"name":"x"}}`)), "metadata.name"},
		"a configuration of something else":      {admissiontest.Objects{shoot()}, admissiontest.Create(seed("m", `"kind":"X"`)), "must have kind GardenletConfiguration"},
		"a seed that is no seed":                 {admissiontest.Objects{shoot()}, admissiontest.Create(seed("m", `"seedConfig":3`)), "decode seedConfig"},
		"a change of labels only":                {admissiontest.Objects{}, admissiontest.Update(seed("m", ""), seed("m", "")), ""},
		"a change of the configuration":          {admissiontest.Objects{}, admissiontest.Update(seed("m", `"a":1`), seed("m", "")), "Not found"},
		"one that is being deleted":              {admissiontest.Objects{}, admissiontest.Update(deleting, seed("m", "")), ""},
		"other kinds":                            {admissiontest.Objects{}, admissiontest.Create(shoot()), ""},
		"a failed look-up is an internal error":  {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.Create(seed("m", "")), "Internal error"},
		"a failed look-up of others is one, too": {brokenSeeds{admissiontest.Objects{shoot()}}, admissiontest.Create(seed("m", "")), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(plugin(tc.objects), tc.request), tc.refused)
		})
	}
	t.Run("a failed look-up of domains is an internal error", func(t *testing.T) {
		p := plugin(admissiontest.Objects{shoot()})
		p.SetDomains(func(context.Context) ([]gardendomains.Domain, error) { return nil, errors.New("boom") })
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(seed("m", ""))), "Internal error")
	})
	t.Run("without default domains the seed has no DNS provider", func(t *testing.T) {
		p, m := plugin(admissiontest.Objects{shoot()}), seed("m", "")
		p.SetDomains(func(context.Context) ([]gardendomains.Domain, error) { return nil, nil })
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(m)), "")
		if got, _ := seedtemplate.Of(m); got.Spec.DNS.Provider != nil {
			t.Errorf("provider is %v", got.Spec.DNS.Provider)
		}
	})
	t.Run("it needs a client", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(New(), admissiontest.Create(shoot())), "no source")
	})
}
