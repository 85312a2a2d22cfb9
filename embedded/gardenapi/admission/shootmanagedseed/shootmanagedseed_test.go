package shootmanagedseed

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func shoot(change ...func(*core.Shoot)) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "s"}, Spec: core.ShootSpec{
		Provider:   core.Provider{Workers: []core.Worker{{Zones: []string{"a", "b", "c"}}}},
		Networking: &core.Networking{Nodes: ptr.To("10.3.0.0/16")},
	}}
	s.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: true}
	for _, f := range change {
		f(s)
	}
	return s
}

func TestValidate(t *testing.T) {
	seed := &seedmanagement.ManagedSeed{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "m"}, Spec: seedmanagement.ManagedSeedSpec{
		Shoot:        &seedmanagement.Shoot{Name: "s"},
		SeedTemplate: &core.SeedTemplate{Spec: core.SeedSpec{Provider: core.SeedProvider{Zones: []string{"a", "b"}}}},
	}}
	present := admissiontest.Objects{seed}
	zones := func(names ...string) func(*core.Shoot) {
		return func(s *core.Shoot) { s.Spec.Provider.Workers[0].Zones = names }
	}
	nginx := func(s *core.Shoot) {
		s.Spec.Addons = &core.Addons{NginxIngress: &core.NginxIngress{Addon: core.Addon{Enabled: true}}}
	}
	noVPA := func(s *core.Shoot) { s.Spec.Kubernetes.VerticalPodAutoscaler = nil }
	nodes := func(cidr string) func(*core.Shoot) {
		return func(s *core.Shoot) { s.Spec.Networking = &core.Networking{Nodes: &cidr} }
	}
	elsewhere := func(s *core.Shoot) { s.Namespace = "garden-p" }
	deleting := func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) }
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-29 a shoot that is a seed cannot be deleted": {present, admissiontest.Delete(shoot()), `managed seed "m" refers to it`},
		"ADM-29 one that is no seed can":                  {admissiontest.Objects{}, admissiontest.Delete(shoot()), ""},
		"ADM-29 one of the same name elsewhere can":       {present, admissiontest.Delete(shoot(elsewhere)), ""},
		"it gets no ingress of its own":                   {present, admissiontest.Update(shoot(nginx), shoot()), "spec.addons.nginxIngress.enabled"},
		"it keeps its pod autoscaler":                     {present, admissiontest.Update(shoot(noVPA), shoot()), "spec.kubernetes.verticalPodAutoscaler.enabled"},
		"it keeps its node network":                       {present, admissiontest.Update(shoot(nodes("10.9.0.0/16")), shoot()), "spec.networking.nodes"},
		"it loses no network, either":                     {present, admissiontest.Update(shoot(func(s *core.Shoot) { s.Spec.Networking = nil }), shoot()), "spec.networking.nodes"},
		"it may get a node network":                       {present, admissiontest.Update(shoot(), shoot(func(s *core.Shoot) { s.Spec.Networking = nil })), ""},
		"it keeps the zones of the seed":                  {present, admissiontest.Update(shoot(zones("b")), shoot()), "zones [a] must not be removed"},
		"it may lose other zones":                         {present, admissiontest.Update(shoot(zones("a", "b")), shoot()), ""},
		"it is checked also when it comes after its seed": {present, admissiontest.Create(shoot(noVPA)), "verticalPodAutoscaler"},
		"a shoot that is being deleted may change":        {present, admissiontest.Update(shoot(noVPA, deleting), shoot()), ""},
		"other kinds":                           {present, admissiontest.Create(seed), ""},
		"a failed look-up is an internal error": {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.Delete(shoot()), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	t.Run("a configuration that cannot be read has no zones", func(t *testing.T) {
		broken := seed.DeepCopy()
		broken.Spec.SeedTemplate = nil
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Objects{broken})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Update(shoot(zones("b")), shoot())), "")
	})
}
