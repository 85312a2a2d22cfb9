package maintenance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/maintenance"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

type version = gardencorev1beta1.ExpirableVersion

func good(v string) version { return version{Version: v} }

func classed(v string, class gardencorev1beta1.VersionClassification) version {
	return version{Version: v, Classification: &class}
}

func expired(v string) version {
	end := metav1.NewTime(now.Add(-time.Hour))
	return version{Version: v, ExpirationDate: &end}
}

func shootWith(kubernetes, image string, auto bool) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}, CreationTimestamp: metav1.NewTime(now.Add(-240 * time.Hour))}}
	shoot.Spec.Kubernetes.Version = kubernetes
	shoot.Spec.Maintenance = &gardencorev1beta1.Maintenance{AutoUpdate: &gardencorev1beta1.MaintenanceAutoUpdate{KubernetesVersion: auto, MachineImageVersion: &auto}}
	shoot.Spec.Provider.Workers = []gardencorev1beta1.Worker{{Name: "w", Machine: gardencorev1beta1.Machine{Image: &gardencorev1beta1.ShootMachineImage{Name: "local", Version: &image}}}}
	return shoot
}

func TestKubernetesVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		auto    bool
		current string
		offered []version
		want    string
		why     string
	}{
		"VER-5 GCM-33 the newest supported patch of the minor is taken": {
			true, "1.35.1", []version{good("1.35.1"), good("1.35.3"), good("1.35.2"), good("1.36.1")}, "1.35.3", "automatic",
		},
		"VER-5 a preview is not": {
			true, "1.35.1", []version{good("1.35.1"), classed("1.35.2", gardencorev1beta1.ClassificationPreview)}, "1.35.1", "",
		},
		"VER-5 nor a deprecated one": {
			true, "1.35.1", []version{good("1.35.1"), classed("1.35.2", gardencorev1beta1.ClassificationDeprecated)}, "1.35.1", "",
		},
		"GCM-33 without automatic updates a good version stays": {
			false, "1.35.1", []version{good("1.35.1"), good("1.35.2")}, "1.35.1", "",
		},
		"VER-3 an expired version is left even then": {
			false, "1.35.1", []version{expired("1.35.1"), good("1.35.2")}, "1.35.2", "expired",
		},
		"VER-4 for the next minor if there is no other patch": {
			false, "1.35.3", []version{expired("1.35.3"), good("1.36.0"), good("1.36.1"), good("1.37.0")}, "1.36.1", "expired",
		},
		"VER-4 and through that if it is expired, too": {
			true, "1.34.1", []version{expired("1.34.1"), expired("1.35.0"), good("1.36.1")}, "1.35.0", "expired",
		},
		"VER-3 a version that is gone is expired": {
			false, "1.35.0", []version{good("1.35.1")}, "1.35.1", "expired",
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWith(tc.current, "1.0.0", tc.auto)
			profile := &gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: tc.offered}}
			plan := maintenance.PlanFor(shoot, profile, now)
			if got := plan.Shoot.Spec.Kubernetes.Version; got != tc.want {
				t.Errorf("version %s, want %s", got, tc.want)
			}
			if (tc.why == "") != (len(plan.Changes) == 0) || !strings.Contains(plan.Description(), tc.why) {
				t.Errorf("VER-9 the plan says %q", plan.Description())
			}
			if shoot.Spec.Kubernetes.Version != tc.current {
				t.Error("the given Shoot has changed")
			}
		})
	}
	t.Run("VER-4 successive windows lead out of all expired versions", func(t *testing.T) {
		shoot, way := shootWith("1.33.0", "1.0.0", false), []string{}
		profile := &gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{
			Versions: []version{expired("1.33.0"), expired("1.33.4"), expired("1.34.2"), good("1.35.1"), good("1.36.3")},
		}}
		for range 5 {
			shoot = maintenance.PlanFor(shoot, profile, now).Shoot
			way = append(way, shoot.Spec.Kubernetes.Version)
		}
		if diff := cmp.Diff([]string{"1.33.4", "1.34.2", "1.35.1", "1.35.1", "1.35.1"}, way); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
	})
	t.Run("GCM-33 a pool does not overtake its control plane", func(t *testing.T) {
		shoot := shootWith("1.35.1", "1.0.0", true)
		shoot.Spec.Provider.Workers[0].Kubernetes = &gardencorev1beta1.WorkerKubernetes{Version: ptr.To("1.34.0")}
		profile := &gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []version{expired("1.34.0"), good("1.35.1"), classed("1.35.2", gardencorev1beta1.ClassificationDeprecated)}}}
		if got := *maintenance.PlanFor(shoot, profile, now).Shoot.Spec.Provider.Workers[0].Kubernetes.Version; got != "1.35.1" {
			t.Errorf("version of the pool %s", got)
		}
	})
}

func TestImages(t *testing.T) {
	patch := gardencorev1beta1.UpdateStrategyPatch
	for name, tc := range map[string]struct {
		auto     bool
		strategy *gardencorev1beta1.MachineImageUpdateStrategy
		current  string
		offered  []version
		limits   map[string]string // constraint of kubelets
		want     string
	}{
		"VER-5 GCM-33 the newest supported image is taken":    {true, nil, "1.0.0", []version{good("1.0.0"), good("2.1.0"), good("1.2.0")}, nil, "2.1.0"},
		"VER-5 a preview is not":                              {true, nil, "1.0.0", []version{good("1.0.0"), classed("2.0.0", gardencorev1beta1.ClassificationPreview)}, nil, "1.0.0"},
		"GCM-33 the strategy of the image bounds that":        {true, &patch, "1.0.0", []version{good("1.0.0"), good("2.1.0"), good("1.2.0"), good("1.0.7")}, nil, "1.0.7"},
		"GCM-33 an image stays if the user wants that":        {false, nil, "1.0.0", []version{good("1.0.0"), good("2.1.0")}, nil, "1.0.0"},
		"VER-3 unless it is expired":                          {false, nil, "1.0.0", []version{expired("1.0.0"), good("2.1.0")}, nil, "2.1.0"},
		"VER-3 then as little as possible is skipped":         {false, &patch, "1.0.0", []version{expired("1.0.0"), good("2.1.0"), good("1.2.0")}, nil, "1.2.0"},
		"GCM-33 an image that does not fit the kubelet stays": {true, nil, "1.0.0", []version{good("1.0.0"), good("2.1.0")}, map[string]string{"2.1.0": ">= 1.36"}, "1.0.0"},
		"GCM-33 one that no longer fits is left":              {false, nil, "1.0.0", []version{good("1.0.0"), good("2.1.0")}, map[string]string{"1.0.0": "< 1.35"}, "2.1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			image := gardencorev1beta1.MachineImage{Name: "local", UpdateStrategy: tc.strategy}
			for _, v := range tc.offered {
				one := gardencorev1beta1.MachineImageVersion{ExpirableVersion: v}
				if limit, found := tc.limits[v.Version]; found {
					one.KubeletVersionConstraint = &limit
				}
				image.Versions = append(image.Versions, one)
			}
			profile := &gardencorev1beta1.CloudProfileSpec{
				Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []version{good("1.35.1")}}, MachineImages: []gardencorev1beta1.MachineImage{image},
			}
			plan := maintenance.PlanFor(shootWith("1.35.1", tc.current, tc.auto), profile, now)
			if got := *plan.Shoot.Spec.Provider.Workers[0].Machine.Image.Version; got != tc.want {
				t.Errorf("version %s, want %s (%s)", got, tc.want, plan.Description())
			}
		})
	}
}
