package v1beta1

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/version"
)

func TestShootDefaults(t *testing.T) {
	withWorker := func(change func(*Shoot)) *Shoot {
		shoot := &Shoot{Spec: ShootSpec{
			Kubernetes: Kubernetes{Version: "1.36.3"},
			Provider:   Provider{Workers: []Worker{{Name: "local"}}},
		}}
		if change != nil {
			change(shoot)
		}
		return shoot
	}
	for name, tc := range map[string]struct {
		shoot *Shoot
		got   func(*Shoot) any
		want  any
	}{
		"API-3 a shoot without purpose is for evaluation": {
			shoot: &Shoot{}, got: func(s *Shoot) any { return *s.Spec.Purpose }, want: ShootPurposeEvaluation,
		},
		"a shoot is scheduled by the default scheduler": {
			shoot: &Shoot{}, got: func(s *Shoot) any { return *s.Spec.SchedulerName }, want: "default-scheduler",
		},
		"the old form of a cloud profile reference is translated": {
			shoot: &Shoot{Spec: ShootSpec{CloudProfileName: new("local")}},
			got:   func(s *Shoot) any { return *s.Spec.CloudProfile },
			want:  CloudProfileReference{Kind: "CloudProfile", Name: "local"},
		},
		"the new form fills the old one before Kubernetes 1.34": {
			shoot: &Shoot{Spec: ShootSpec{CloudProfile: &CloudProfileReference{Name: "local"}, Kubernetes: Kubernetes{Version: "1.33"}}},
			got:   func(s *Shoot) any { return *s.Spec.CloudProfileName }, want: "local",
		},
		"the new form leaves the old one alone from Kubernetes 1.34 on": {
			shoot: &Shoot{Spec: ShootSpec{CloudProfile: &CloudProfileReference{Name: "local"}, Kubernetes: Kubernetes{Version: "1.36.3"}}},
			got:   func(s *Shoot) any { return s.Spec.CloudProfileName }, want: (*string)(nil),
		},
		"a shoot without workers gets no node components": {
			shoot: &Shoot{},
			got: func(s *Shoot) any {
				k := s.Spec.Kubernetes
				return k.Kubelet == nil && k.KubeProxy == nil && k.KubeScheduler == nil && s.Spec.SystemComponents == nil &&
					s.Spec.Networking == nil && s.Spec.Provider.WorkersSettings == nil && s.Spec.Maintenance.AutoUpdate.MachineImageVersion == nil
			},
			want: true,
		},
		"requests of the API server are bounded": {
			shoot: &Shoot{}, got: func(s *Shoot) any { return *s.Spec.Kubernetes.KubeAPIServer.Requests },
			want: APIServerRequests{MaxNonMutatingInflight: new(int32(400)), MaxMutatingInflight: new(int32(200))},
		},
		"a worker rolls one machine at a time": {
			shoot: withWorker(nil),
			got: func(s *Shoot) any {
				return []intstr.IntOrString{*s.Spec.Provider.Workers[0].MaxSurge, *s.Spec.Provider.Workers[0].MaxUnavailable}
			},
			want: []intstr.IntOrString{intstr.FromInt32(1), intstr.FromInt32(0)},
		},
		"a worker updated in place adds no machine": {
			shoot: withWorker(func(s *Shoot) { s.Spec.Provider.Workers[0].UpdateStrategy = new(AutoInPlaceUpdate) }),
			got: func(s *Shoot) any {
				return []intstr.IntOrString{*s.Spec.Provider.Workers[0].MaxSurge, *s.Spec.Provider.Workers[0].MaxUnavailable}
			},
			want: []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(1)},
		},
		"a worker runs containerd": {
			shoot: withWorker(nil), got: func(s *Shoot) any { return s.Spec.Provider.Workers[0].CRI.Name }, want: CRINameContainerD,
		},
		"nodes get twice as many addresses as pods": {
			shoot: withWorker(nil), got: func(s *Shoot) any { return *s.Spec.Kubernetes.KubeControllerManager.NodeCIDRMaskSize }, want: int32(24),
		},
		"the pool with the most pods decides about addresses": {
			shoot: withWorker(func(s *Shoot) {
				s.Spec.Provider.Workers[0].Kubernetes = &WorkerKubernetes{Kubelet: &KubeletConfig{MaxPods: new(int32(250))}}
			}),
			got: func(s *Shoot) any { return *s.Spec.Kubernetes.KubeControllerManager.NodeCIDRMaskSize }, want: int32(23),
		},
		"the kubelet configuration of a pool gets defaults of its own": {
			shoot: withWorker(func(s *Shoot) {
				s.Spec.Provider.Workers[0].Kubernetes = &WorkerKubernetes{Kubelet: &KubeletConfig{}}
			}),
			got: func(s *Shoot) any { return *s.Spec.Provider.Workers[0].Kubernetes.Kubelet.FailSwapOn }, want: true,
		},
		"shoots of the garden namespace tolerate protected seeds": {
			shoot: &Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden"}},
			got:   func(s *Shoot) any { return s.Spec.Tolerations }, want: []Toleration{{Key: SeedTaintProtected}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			SetObjectDefaults_Shoot(tc.shoot)
			if diff := cmp.Diff(tc.want, tc.got(tc.shoot)); diff != "" {
				t.Errorf("default (-want +got):\n%s", diff)
			}
			again := tc.shoot.DeepCopy()
			SetObjectDefaults_Shoot(again)
			if diff := cmp.Diff(tc.shoot, again); diff != "" {
				t.Errorf("defaulting twice changes the shoot:\n%s", diff)
			}
		})
	}
}

func TestRandomTimeWindowIsAnHour(t *testing.T) {
	for range 100 {
		window := randomTimeWindow()
		begin, err := time.Parse("150405-0700", window.Begin)
		if err != nil {
			t.Fatalf("begin %q: %v", window.Begin, err)
		}
		end, err := time.Parse("150405-0700", window.End)
		if err != nil {
			t.Fatalf("end %q: %v", window.End, err)
		}
		if length := (end.Sub(begin) + 24*time.Hour) % (24 * time.Hour); length != time.Hour {
			t.Fatalf("window %s to %s is %s long, want one hour", window.Begin, window.End, length)
		}
	}
}

func TestOtherDefaults(t *testing.T) {
	t.Run("a member without role is a viewer and a user belongs to the RBAC group", func(t *testing.T) {
		project := &Project{Spec: ProjectSpec{Members: []ProjectMember{{Subject: rbacv1.Subject{Kind: rbacv1.UserKind, Name: "a"}}}}}
		SetObjectDefaults_Project(project)
		want := ProjectMember{Subject: rbacv1.Subject{Kind: rbacv1.UserKind, Name: "a", APIGroup: rbacv1.GroupName}, Role: ProjectMemberViewer}
		if diff := cmp.Diff(want, project.Spec.Members[0]); diff != "" {
			t.Errorf("member (-want +got):\n%s", diff)
		}
	})
	t.Run("a seed is visible to the scheduler and its zones are unique", func(t *testing.T) {
		seed := &Seed{Spec: SeedSpec{Provider: SeedProvider{Zones: []string{"a", "b", "a"}}}}
		SetObjectDefaults_Seed(seed)
		if !seed.Spec.Settings.Scheduling.Visible {
			t.Error("seed is invisible")
		}
		if diff := cmp.Diff([]string{"a", "b"}, seed.Spec.Provider.Zones); diff != "" {
			t.Errorf("zones (-want +got):\n%s", diff)
		}
	})
	t.Run("images of a cloud profile run containerd on amd64, those of a namespaced one stay as they are", func(t *testing.T) {
		images := func() []MachineImage { return []MachineImage{{Name: "local", Versions: []MachineImageVersion{{}}}} }
		profile := &CloudProfile{Spec: CloudProfileSpec{MachineImages: images()}}
		SetObjectDefaults_CloudProfile(profile)
		version := profile.Spec.MachineImages[0].Versions[0]
		if diff := cmp.Diff([]CRI{{Name: CRINameContainerD}}, version.CRI); diff != "" {
			t.Errorf("cri (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{ArchitectureAMD64}, version.Architectures); diff != "" {
			t.Errorf("architectures (-want +got):\n%s", diff)
		}
		namespaced := &NamespacedCloudProfile{Spec: NamespacedCloudProfileSpec{MachineImages: images()}}
		SetObjectDefaults_NamespacedCloudProfile(namespaced)
		if diff := cmp.Diff(images(), namespaced.Spec.MachineImages); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
	})
	t.Run("a globally enabled extension is enabled for shoots", func(t *testing.T) {
		resource := &ControllerResource{Kind: "Extension", GloballyEnabled: new(true)}
		SetDefaults_ControllerResource(resource)
		if diff := cmp.Diff([]ClusterType{ClusterTypeShoot}, resource.AutoEnable); diff != "" {
			t.Errorf("autoEnable (-want +got):\n%s", diff)
		}
	})
}

func TestVersionBefore(t *testing.T) {
	for _, have := range []string{"1.25", "1.26", "1.26.3", "v1.25.9", "1.26.0-alpha.1", "1.25-rc", "0.30.1", "2.0.0", "1.9.9", "1.100.1", "1", "", "x", "1.", ".26", "1.x", "-1.2", "1.-2", "1.99999999999"} {
		want := false
		if parsed, err := version.ParseGeneric(have); err == nil {
			want = parsed.LessThan(version.MustParseGeneric("1.26"))
		}
		if got := versionBefore(have, 26); got != want {
			t.Errorf("%q: %v instead of %v", have, got, want)
		}
	}
}
