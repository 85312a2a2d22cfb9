package shoot

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func seed(name string, change ...func(*gardencorev1beta1.Seed)) gardencorev1beta1.Seed {
	s := gardencorev1beta1.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"env": "prod"}},
		Spec: gardencorev1beta1.SeedSpec{
			Provider: gardencorev1beta1.SeedProvider{Type: "local", Region: "eu"},
			Networks: gardencorev1beta1.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", Nodes: ptr.To("10.3.0.0/16")},
			Settings: &gardencorev1beta1.SeedSettings{Scheduling: &gardencorev1beta1.SeedSettingScheduling{Visible: true}},
		},
		Status: gardencorev1beta1.SeedStatus{Conditions: []gardencorev1beta1.Condition{
			{Type: "Bootstrapped", Status: "True"}, {Type: "GardenletReady", Status: "True"},
		}},
	}
	for _, f := range change {
		f(&s)
	}
	return s
}

func setCondition(kind gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus) func(*gardencorev1beta1.Seed) {
	return func(s *gardencorev1beta1.Seed) {
		for i := range s.Status.Conditions {
			if s.Status.Conditions[i].Type == kind {
				s.Status.Conditions[i].Status = status
				return
			}
		}
		s.Status.Conditions = append(s.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status})
	}
}

func selector(providers ...string) *gardencorev1beta1.SeedSelector {
	return &gardencorev1beta1.SeedSelector{LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}, ProviderTypes: providers}
}

func TestChoose(t *testing.T) {
	type (
		Seed  = gardencorev1beta1.Seed
		Shoot = gardencorev1beta1.Shoot
	)
	for name, tc := range map[string]struct {
		seeds   []Seed
		shoot   func(*Shoot)
		profile func(*gardencorev1beta1.CloudProfile)
		hosted  map[string]int
		want    string
		wantErr string
	}{
		"ARC-8 SCH-15 the seed with the fewest shoots": {
			seeds: []Seed{seed("a"), seed("b"), seed("c")}, hosted: map[string]int{"a": 3, "b": 1, "c": 2}, want: "b",
		},
		"among equals the first by name": {seeds: []Seed{seed("b"), seed("a")}, want: "a"},
		"no seed at all":                 {wantErr: "there is no seed"},
		"SCH-3 not one that is being deleted": {
			seeds: []Seed{seed("a", func(s *Seed) { s.DeletionTimestamp = &metav1.Time{} }), seed("b")}, want: "b",
		},
		"SCH-3 not an invisible one": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Settings.Scheduling.Visible = false }), seed("b")}, want: "b",
		},
		"SCH-3 not one that is not bootstrapped": {
			seeds: []Seed{seed("a", setCondition("Bootstrapped", "False"))}, wantErr: "condition Bootstrapped is False (a)",
		},
		"SCH-17 not one whose gardenlet is unknown": {
			seeds: []Seed{seed("a", setCondition("GardenletReady", "Unknown")), seed("b")}, want: "b",
		},
		"SCH-3 not one whose buckets are broken": {
			seeds: []Seed{seed("a", setCondition("BackupBucketsReady", "False")), seed("b", setCondition("BackupBucketsReady", "True"))}, want: "b",
		},
		"SCH-3 not one with a backup whose buckets are not known yet": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Backup = &gardencorev1beta1.Backup{} })}, wantErr: "BackupBucketsReady is not reported",
		},
		"SCH-4 labels of the cloud profile": {
			seeds:   []Seed{seed("a", func(s *Seed) { s.Labels = nil }), seed("b")},
			profile: func(p *gardencorev1beta1.CloudProfile) { p.Spec.SeedSelector = selector() }, want: "b",
		},
		"SCH-4 labels of the shoot": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Labels = nil })},
			shoot: func(s *Shoot) { s.Spec.SeedSelector = selector() }, wantErr: "does not match the seed selector",
		},
		"SCH-5 the provider of the shoot": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Provider.Type = "aws" }), seed("b")}, want: "b",
		},
		"SCH-5 any provider if the selector says so": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Provider.Type = "aws" })},
			shoot: func(s *Shoot) { s.Spec.SeedSelector = selector("*") }, want: "a",
		},
		"SCH-6 disjoint networks": {
			seeds: []Seed{seed("a"), seed("b", func(s *Seed) {
				s.Spec.Networks.Pods, s.Spec.Networks.Services, s.Spec.Networks.Nodes = "100.1.0.0/16", "100.2.0.0/16", nil
			})},
			shoot: func(s *Shoot) { s.Spec.Networking = &gardencorev1beta1.Networking{Pods: ptr.To("10.0.0.0/8")} }, want: "b",
		},
		"SCH-6 the seed's own defaults count": {
			seeds: []Seed{seed("a", func(s *Seed) {
				s.Spec.Networks.ShootDefaults = &gardencorev1beta1.ShootNetworks{Services: ptr.To("10.1.3.0/24")}
			})}, wantErr: "overlaps",
		},
		"SCH-7 no seed without DNS for a shoot with a domain": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Settings.ShootDNS = &gardencorev1beta1.SeedSettingShootDNS{} }), seed("b")},
			shoot: func(s *Shoot) { s.Spec.DNS = &gardencorev1beta1.DNS{Domain: ptr.To("x.example.com")} }, want: "b",
		},
		"SCH-8 all taints have to be tolerated": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Taints = []gardencorev1beta1.SeedTaint{{Key: "x"}, {Key: "y"}} }), seed("b")},
			shoot: func(s *Shoot) { s.Spec.Tolerations = []gardencorev1beta1.Toleration{{Key: "x"}} }, want: "b",
		},
		"TOL-2 TOL-3 tolerated taints do not matter": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Taints = []gardencorev1beta1.SeedTaint{{Key: "x", Value: ptr.To("1")}} }), seed("b")},
			shoot: func(s *Shoot) { s.Spec.Tolerations = []gardencorev1beta1.Toleration{{Key: "x", Value: ptr.To("1")}} }, want: "a",
		},
		"a toleration of another value does not count": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Taints = []gardencorev1beta1.SeedTaint{{Key: "x", Value: ptr.To("1")}} })},
			shoot: func(s *Shoot) { s.Spec.Tolerations = []gardencorev1beta1.Toleration{{Key: "x", Value: ptr.To("2")}} }, wantErr: `taint "x"`,
		},
		"SCH-9 the number of shoots is limited": {
			seeds: []Seed{seed("a", func(s *Seed) {
				s.Status.Allocatable = corev1.ResourceList{"shoots": resource.MustParse("1")}
			}), seed("b")}, hosted: map[string]int{"a": 1, "b": 5}, want: "b",
		},
		"SCH-11 the region of the shoot": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Provider.Region = "us" })}, wantErr: `region is "us" (a)`,
		},
		"SCH-14 any region for testing": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Provider.Region = "us" })},
			shoot: func(s *Shoot) { s.Spec.Purpose = ptr.To(gardencorev1beta1.ShootPurposeTesting) }, want: "a",
		},
		"three zones to survive the loss of one": {
			seeds: []Seed{seed("a"), seed("b", func(s *Seed) { s.Spec.Provider.Zones = []string{"1", "2", "3"} })},
			shoot: func(s *Shoot) {
				s.Spec.ControlPlane = &gardencorev1beta1.ControlPlane{HighAvailability: &gardencorev1beta1.HighAvailability{
					FailureTolerance: gardencorev1beta1.FailureTolerance{Type: gardencorev1beta1.FailureToleranceTypeZone},
				}}
			}, want: "b",
		},
		"the zones of the control plane": {
			seeds: []Seed{seed("a"), seed("b", func(s *Seed) { s.Spec.Provider.Zones = []string{"1", "2"} })},
			shoot: func(s *Shoot) { s.Spec.ControlPlane = &gardencorev1beta1.ControlPlane{Zones: []string{"2"}} }, want: "b",
		},
		"no seed has the zone of the control plane": {
			seeds: []Seed{seed("a", func(s *Seed) { s.Spec.Provider.Zones = []string{"1"} })},
			shoot: func(s *Shoot) { s.Spec.ControlPlane = &gardencorev1beta1.ControlPlane{Zones: []string{"2"}} }, wantErr: `seed has no zone "2" (a)`,
		},
		"seeds with the same reason are named together": {
			seeds: []Seed{seed("b", setCondition("GardenletReady", "False")), seed("a", setCondition("GardenletReady", "False"))}, wantErr: "GardenletReady is False (a, b)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := &Request{
				Shoot:   &Shoot{Spec: gardencorev1beta1.ShootSpec{Region: "eu", Provider: gardencorev1beta1.Provider{Type: "local"}}},
				Profile: &gardencorev1beta1.CloudProfile{}, Hosted: tc.hosted,
			}
			if tc.shoot != nil {
				tc.shoot(request.Shoot)
			}
			if tc.profile != nil {
				tc.profile(request.Profile)
			}
			got, err := Choose(request, tc.seeds)
			switch {
			case tc.wantErr != "":
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("error = %v, want one with %q", err, tc.wantErr)
				}
			case err != nil:
				t.Error(err)
			case got.Name != tc.want:
				t.Errorf("seed = %q, want %q", got.Name, tc.want)
			}
		})
	}
}
