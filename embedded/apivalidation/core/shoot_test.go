package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

// validShoot is a defaulted shoot without mistakes.
func validShoot() *core.Shoot {
	shoot := &core.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "local", Namespace: "garden-local", ResourceVersion: "1"},
		Spec: core.ShootSpec{
			CloudProfile:           &core.CloudProfileReference{Kind: "CloudProfile", Name: "local"},
			CredentialsBindingName: new("local"),
			Region:                 "local",
			Kubernetes:             core.Kubernetes{Version: "1.36.3"},
			Networking:             &core.Networking{Type: new("calico"), Nodes: new("10.0.0.0/16")},
			Provider: core.Provider{Type: "local", Workers: []core.Worker{{
				Name: "local", Machine: core.Machine{Type: "local"}, Minimum: 1, Maximum: 2,
			}}},
		},
	}
	core.SetObjectDefaults_Shoot(shoot)
	return shoot
}

func fields(errs field.ErrorList) []string { return mistakes.Fields(errs) }

func TestValidateShoot(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*core.Shoot)
		want   []string
	}{
		"API-15 a complete shoot is valid": {change: func(*core.Shoot) {}},
		"API-15 the old form of the references is valid": {change: func(s *core.Shoot) {
			s.Spec.CloudProfile, s.Spec.CloudProfileName = nil, new("local")
			s.Spec.CredentialsBindingName, s.Spec.SecretBindingName = nil, new("local")
		}},
		"two hyphens in a row would break the technical ID": {
			change: func(s *core.Shoot) { s.Name = "a--b" }, want: []string{"metadata.name"},
		},
		"a user cannot set Gardener's finalizer": {
			change: func(s *core.Shoot) { s.Finalizers = []string{constants.GardenerName} }, want: []string{"metadata.finalizers[0]"},
		},
		"the purpose infrastructure is for the namespace garden": {
			change: func(s *core.Shoot) { s.Spec.Purpose = new(core.ShootPurposeInfrastructure) }, want: []string{"spec.purpose"},
		},
		"CTR-5 further container runtimes need Kubernetes 1.14": {
			change: func(s *core.Shoot) {
				s.Spec.Kubernetes.Version = "1.13.12"
				s.Spec.Provider.Workers[0].CRI = &core.CRI{Name: "containerd", ContainerRuntimes: []core.ContainerRuntime{{Type: "gvisor"}}}
			},
			want: []string{"spec.provider.workers[0].cri.containerRuntimes"},
		},
		"CTR-5 of their pool": {
			change: func(s *core.Shoot) {
				s.Spec.Kubernetes.Version = "1.14.0"
				s.Spec.Provider.Workers[0].Kubernetes = &core.WorkerKubernetes{Version: new("1.13.12")}
				s.Spec.Provider.Workers[0].CRI = &core.CRI{Name: "containerd", ContainerRuntimes: []core.ContainerRuntime{{Type: "gvisor"}}}
			},
			want: []string{"spec.provider.workers[0].cri.containerRuntimes"},
		},
		"CTR-1 CTR-5 a pool may have several runtimes": {
			change: func(s *core.Shoot) {
				s.Spec.Provider.Workers[0].CRI = &core.CRI{Name: "containerd", ContainerRuntimes: []core.ContainerRuntime{{Type: "gvisor"}, {Type: "kata-containers"}}}
			},
		},
		"a cluster with workers needs credentials": {
			change: func(s *core.Shoot) { s.Spec.CredentialsBindingName = nil }, want: []string{"spec.credentialsBindingName"},
		},
		"both forms of credentials exclude each other": {
			change: func(s *core.Shoot) { s.Spec.SecretBindingName = new("local") }, want: []string{"spec.secretBindingName"},
		},
		"API-25 a window of the wrong form is refused": {
			change: func(s *core.Shoot) { s.Spec.Maintenance.TimeWindow.Begin = "22:00" }, want: []string{"spec.maintenance.timeWindow.begin"},
		},
		"API-25 a window shorter than half an hour is refused": {
			change: func(s *core.Shoot) {
				s.Spec.Maintenance.TimeWindow = &core.MaintenanceTimeWindow{Begin: "220000+0100", End: "221000+0100"}
			}, want: []string{"spec.maintenance.timeWindow"},
		},
		"API-25 a window over midnight is valid": {
			change: func(s *core.Shoot) {
				s.Spec.Maintenance.TimeWindow = &core.MaintenanceTimeWindow{Begin: "230000+0000", End: "010000+0000"}
			},
		},
		"API-26 a schedule of wrong cron and location is refused": {
			change: func(s *core.Shoot) {
				s.Spec.Hibernation = &core.Hibernation{Schedules: []core.HibernationSchedule{{Start: new("0 25 * * *"), Location: new("Nowhere/Town")}}}
			},
			want: []string{"spec.hibernation.schedules[0].location", "spec.hibernation.schedules[0].start"},
		},
		"API-26 an expression is used once": {
			change: func(s *core.Shoot) {
				s.Spec.Hibernation = &core.Hibernation{Schedules: []core.HibernationSchedule{{Start: new("0 20 * * *"), End: new("0 20 * * *")}}}
			},
			want: []string{"spec.hibernation.schedules[0].end"},
		},
		"API-26 a schedule needs a start or an end": {
			change: func(s *core.Shoot) {
				s.Spec.Hibernation = &core.Hibernation{Schedules: make([]core.HibernationSchedule, 1)}
			},
			want: []string{"spec.hibernation.schedules[0]"},
		},
		"API-24 ranges that overlap are refused": {
			change: func(s *core.Shoot) {
				s.Spec.Networking.Pods, s.Spec.Networking.Services = new("10.0.8.0/22"), new("100.64.0.0/13")
			},
			want: []string{"spec.networking.pods"},
		},
		"API-24 a range with bits beyond its mask is refused": {
			change: func(s *core.Shoot) { s.Spec.Networking.Pods = new("100.96.0.1/11") }, want: []string{"spec.networking.pods"},
		},
		"API-16 workers have unique names of 15 characters": {
			change: func(s *core.Shoot) {
				s.Spec.Provider.Workers[0].Name = "a-name-too-long-"
				s.Spec.Provider.Workers = append(s.Spec.Provider.Workers, s.Spec.Provider.Workers[0])
			},
			want: []string{"spec.provider.workers[0].name", "spec.provider.workers[1].name"},
		},
		"API-16 a pool cannot shrink below its minimum": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers[0].Minimum = 3 }, want: []string{"spec.provider.workers[0].maximum"},
		},
		"API-16 a rollout must be able to progress": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers[0].MaxSurge = new(intstr.FromString("0%")) },
			want:   []string{"spec.provider.workers[0].maxUnavailable"},
		},
		"API-16 a taint needs a known effect": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers[0].Taints = []corev1.Taint{{Key: "a", Effect: "Never"}} },
			want:   []string{"spec.provider.workers[0].taints[0].effect"},
		},
		"API-16 volume sizes are in Gi": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers[0].Volume = &core.Volume{VolumeSize: "50G"} },
			want:   []string{"spec.provider.workers[0].volume.size"},
		},
		"one pool must allow system components": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers[0].SystemComponents.Allow = false }, want: []string{"spec.provider.workers"},
		},
		"a kubelet cannot be newer than its API server": {
			change: func(s *core.Shoot) {
				s.Spec.Provider.Workers[0].Kubernetes = &core.WorkerKubernetes{Version: new("1.37.0")}
			},
			want: []string{"spec.provider.workers[0].kubernetes.version"},
		},
		"API-18 the issuer of users is an https URL": {
			change: func(s *core.Shoot) {
				s.Spec.Kubernetes.KubeAPIServer.OIDCConfig = &core.OIDCConfig{IssuerURL: new("http://a"), ClientID: new("b")}
			},
			want: []string{"spec.kubernetes.kubeAPIServer.oidcConfig.issuerURL"},
		},
		"API-21 the mode of kube-proxy is one of three": {
			change: func(s *core.Shoot) { s.Spec.Kubernetes.KubeProxy.Mode = new(core.ProxyMode("magic")) },
			want:   []string{"spec.kubernetes.kubeProxy.mode"},
		},
		"an unknown operation is refused": {
			change: func(s *core.Shoot) {
				s.Annotations = map[string]string{constants.GardenerOperation: "explode", constants.GardenerMaintenanceOperation: "retry"}
			},
			want: []string{"metadata.annotations[gardener.cloud/operation]", "metadata.annotations[maintenance.gardener.cloud/operation]"},
		},
		"a hibernated cluster cannot rotate its encryption key": {
			change: func(s *core.Shoot) {
				s.Spec.Hibernation = &core.Hibernation{Enabled: new(true)}
				s.Annotations = map[string]string{constants.GardenerOperation: constants.OperationRotateETCDEncryptionKeyStart}
			},
			want: []string{"metadata.annotations[gardener.cloud/operation]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := validShoot()
			tc.change(shoot)
			errs := ValidateShoot(shoot)
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

func TestValidateWorkerlessShoot(t *testing.T) {
	shoot := &core.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "local", Namespace: "garden-local"},
		Spec: core.ShootSpec{
			CloudProfileName: new("local"), Region: "local",
			Kubernetes: core.Kubernetes{Version: "1.36.3"},
			Provider:   core.Provider{Type: "local"},
		},
	}
	core.SetObjectDefaults_Shoot(shoot)
	if errs := ValidateShoot(shoot); len(errs) > 0 {
		t.Fatalf("a shoot without workers is invalid after defaulting: %v", errs)
	}
	shoot.Spec.Kubernetes.Kubelet = &core.KubeletConfig{}
	shoot.Spec.SecretBindingName = new("local")
	want := []string{"spec.kubernetes.kubelet", "spec.secretBindingName"}
	if diff := cmp.Diff(want, fields(ValidateShoot(shoot))); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

func TestValidateShootUpdate(t *testing.T) {
	for name, tc := range map[string]struct {
		before, change func(*core.Shoot)
		want           []string
	}{
		"nothing changes": {change: func(*core.Shoot) {}},
		"region and provider are fixed": {
			change: func(s *core.Shoot) { s.Spec.Region, s.Spec.Provider.Type = "other", "other" },
			want:   []string{"spec.provider.type", "spec.region"},
		},
		"the last worker pool stays": {
			change: func(s *core.Shoot) { s.Spec.Provider.Workers = nil; s.Spec.CredentialsBindingName = nil },
			want: []string{
				"spec.credentialsBindingName", "spec.kubernetes.kubeProxy", "spec.kubernetes.kubeScheduler", "spec.kubernetes.kubelet",
				"spec.maintenance.autoUpdate.machineImageVersion", "spec.networking.nodes", "spec.networking.type",
				"spec.provider.workers", "spec.provider.workersSettings", "spec.systemComponents",
			},
		},
		"an older version is refused": {
			change: func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.36.2" }, want: []string{"spec.kubernetes.version"},
		},
		"a minor version cannot be skipped": {
			change: func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.38.0" }, want: []string{"spec.kubernetes.version"},
		},
		"the next minor version is welcome": {change: func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.37.0" }},
		"the range of pods is fixed once set": {
			before: func(s *core.Shoot) { s.Spec.Networking.Pods = new("100.96.0.0/11") },
			change: func(s *core.Shoot) { s.Spec.Networking.Pods = new("100.128.0.0/11") },
			want:   []string{"spec.networking.pods"},
		},
		"a second address family may be added": {
			change: func(s *core.Shoot) {
				s.Spec.Networking.IPFamilies = []core.IPFamily{core.IPFamilyIPv4, core.IPFamilyIPv6}
			},
		},
		"a SecretBinding gives way to a CredentialsBinding": {
			before: func(s *core.Shoot) { s.Spec.SecretBindingName, s.Spec.CredentialsBindingName = new("local"), nil },
			change: func(s *core.Shoot) { s.Spec.SecretBindingName, s.Spec.CredentialsBindingName = nil, new("local") },
		},
		"a shoot in deletion stays as it is": {
			before: func(s *core.Shoot) { s.DeletionTimestamp = &metav1.Time{} },
			change: func(s *core.Shoot) { s.Spec.Purpose = new(core.ShootPurposeTesting) },
			want:   []string{"spec"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := validShoot()
			if tc.before != nil {
				tc.before(old)
			}
			shoot := old.DeepCopy()
			tc.change(shoot)
			errs := ValidateShootUpdate(shoot, old)
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

func TestValidateShootStatusUpdate(t *testing.T) {
	old := validShoot()
	old.Status = core.ShootStatus{UID: "a", TechnicalID: "shoot--local--local"}
	shoot := old.DeepCopy()
	shoot.Status.UID = "b"
	shoot.Status.LastOperation = &core.LastOperation{Progress: 101}
	shoot.Status.AdvertisedAddresses = []core.ShootAdvertisedAddress{{Name: "external", URL: "http://api"}}
	want := []string{"status.advertisedAddresses[0].url", "status.lastOperation.progress", "status.uid"}
	if diff := cmp.Diff(want, fields(ValidateShootStatusUpdate(shoot, old))); diff != "" {
		t.Errorf("API-28 API-29 mistakes (-want +got):\n%s", diff)
	}
}
