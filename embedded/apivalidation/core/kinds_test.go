package core

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validCloudProfile() *core.CloudProfile {
	profile := &core.CloudProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "local"},
		Spec: core.CloudProfileSpec{
			Type:          "local",
			Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: "1.36.3"}, {Version: "1.35.0"}}},
			MachineImages: []core.MachineImage{{Name: "local", Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}}}}},
			MachineTypes:  []core.MachineType{{Name: "local", CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi")}},
			Regions:       []core.Region{{Name: "local"}},
		},
	}
	core.SetObjectDefaults_CloudProfile(profile)
	return profile
}

func TestValidateCloudProfile(t *testing.T) {
	supported := core.ClassificationSupported
	for name, tc := range map[string]struct {
		change func(*core.CloudProfileSpec)
		want   []string
	}{
		"API-2 a complete profile is valid": {change: func(*core.CloudProfileSpec) {}},
		"API-2 a profile without content is refused": {
			change: func(s *core.CloudProfileSpec) { *s = core.CloudProfileSpec{} },
			want:   []string{"spec.kubernetes.versions", "spec.machineImages", "spec.machineTypes", "spec.regions", "spec.type"},
		},
		"API-3 storage of fixed size and volume types exclude each other": {
			change: func(s *core.CloudProfileSpec) {
				s.MachineTypes[0].Storage = &core.MachineTypeStorage{Class: "standard", Type: "a", StorageSize: new(resource.MustParse("20Gi"))}
				s.VolumeTypes = []core.VolumeType{{Name: "a", Class: "standard"}}
			},
			want: []string{"spec.machineTypes[0].storage.size"},
		},
		"API-3 storage of least size goes together with volume types": {
			change: func(s *core.CloudProfileSpec) {
				s.MachineTypes[0].Storage = &core.MachineTypeStorage{Class: "standard", Type: "a", MinSize: new(resource.MustParse("20Gi"))}
				s.VolumeTypes = []core.VolumeType{{Name: "a", Class: "standard"}}
			},
		},
		"a minor has one supported version": {
			change: func(s *core.CloudProfileSpec) {
				s.Kubernetes.Versions = []core.ExpirableVersion{{Version: "1.36.3", Classification: &supported}, {Version: "1.36.2", Classification: &supported}}
			},
			want: []string{"spec.kubernetes.versions[1].classification"},
		},
		"the latest version does not expire": {
			change: func(s *core.CloudProfileSpec) {
				s.Kubernetes.Versions[0].ExpirationDate = &metav1.Time{Time: time.Unix(0, 0)}
			},
			want: []string{"spec.kubernetes.versions[0].expirationDate"},
		},
		"names are unique": {
			change: func(s *core.CloudProfileSpec) {
				s.Regions = append(s.Regions, s.Regions[0])
				s.MachineTypes = append(s.MachineTypes, s.MachineTypes[0])
				s.MachineImages = append(s.MachineImages, s.MachineImages[0])
			},
			want: []string{"spec.machineImages[1].name", "spec.machineTypes[1].name", "spec.regions[1].name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			profile := validCloudProfile()
			tc.change(&profile.Spec)
			errs := ValidateCloudProfile(profile)
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

func TestValidateProject(t *testing.T) {
	user := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "a"}
	for name, tc := range map[string]struct {
		project core.Project
		want    []string
	}{
		"API-12 a project with members is valid": {project: core.Project{
			ObjectMeta: metav1.ObjectMeta{Name: "local"},
			Spec: core.ProjectSpec{Owner: &user, Namespace: new("garden-local"), Members: []core.ProjectMember{
				{Subject: user, Role: "admin", Roles: []string{"owner", "extension:chef"}}}},
		}},
		"a name has ten characters at most": {
			project: core.Project{ObjectMeta: metav1.ObjectMeta{Name: "elevenchars"}}, want: []string{"metadata.name"},
		},
		"a namespace is a name": {
			project: core.Project{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: core.ProjectSpec{Namespace: new("garden-Local")}},
			want:    []string{"spec.namespace"},
		},
		"an unknown role is refused": {
			project: core.Project{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: core.ProjectSpec{
				Members: []core.ProjectMember{{Subject: user, Role: "king"}}}},
			want: []string{"spec.members[0].roles"},
		},
		"a default toleration must be in the whitelist": {
			project: core.Project{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: core.ProjectSpec{
				Tolerations: &core.ProjectTolerations{Defaults: []core.Toleration{{Key: "a"}}}}},
			want: []string{"spec.tolerations.defaults[0]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			errs := ValidateProject(&tc.project)
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
}

func validSeed() *core.Seed {
	seed := &core.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: "local", ResourceVersion: "1"},
		Spec: core.SeedSpec{
			Provider: core.SeedProvider{Type: "local", Region: "local", Zones: []string{"a"}},
			Networks: core.SeedNetworks{Pods: "127.64.0.0/16", Services: "127.96.0.0/16"},
			Ingress:  &core.Ingress{Domain: "ingress.local.gardener.cloud", Controller: core.IngressController{Kind: "nginx"}},
			DNS: core.SeedDNS{Provider: &core.SeedDNSProvider{
				Type: "local", SecretRef: corev1.SecretReference{Name: "dns", Namespace: "garden"}}},
		},
	}
	core.SetObjectDefaults_Seed(seed)
	return seed
}

func TestValidateSeed(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*core.SeedSpec)
		want   []string
	}{
		"API-8 a complete seed is valid": {change: func(*core.SeedSpec) {}},
		"API-8 ranges must not overlap":  {change: func(s *core.SeedSpec) { s.Networks.Services = "127.64.8.0/24" }, want: []string{"spec.networks.services"}},
		"VPN-4 the network of the tunnel is not for pods and nodes": {
			change: func(s *core.SeedSpec) {
				s.Networks.Pods, s.Networks.Nodes = "192.168.123.0/25", new("192.168.123.128/25")
			},
			want: []string{"spec.networks.nodes", "spec.networks.pods"},
		},
		"VPN-4 the network of the tunnel is not for services": {
			change: func(s *core.SeedSpec) { s.Networks.Services = "192.168.123.0/24" }, want: []string{"spec.networks.services"},
		},
		"VPN-4 the network of the tunnel is not proposed to shoots": {
			change: func(s *core.SeedSpec) {
				s.Networks.ShootDefaults = &core.ShootNetworks{Pods: new("192.168.122.0/23"), Services: new("192.168.124.0/24")}
			},
			want: []string{"spec.networks.shootDefaults.pods"},
		},
		"API-8 BKP-3 a backup elsewhere needs a region": {
			change: func(s *core.SeedSpec) {
				s.Backup = &core.Backup{Provider: "other", SecretRef: corev1.SecretReference{Name: "backup", Namespace: "garden"}}
			},
			want: []string{"spec.backup.region"},
		},
		"TOL-1 taints are unique and have keys": {
			change: func(s *core.SeedSpec) { s.Taints = []core.SeedTaint{{Key: "a"}, {Key: "a"}, {}} },
			want:   []string{"spec.taints[1]", "spec.taints[2].key"},
		},
		"routing inside zones needs two of them": {
			change: func(s *core.SeedSpec) { s.Settings.TopologyAwareRouting.Enabled = true },
			want:   []string{"spec.settings.topologyAwareRouting.enabled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seed := validSeed()
			tc.change(&seed.Spec)
			errs := ValidateSeed(seed)
			if diff := cmp.Diff(tc.want, fields(errs)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
			}
		})
	}
	t.Run("ranges are fixed and a backup stays", func(t *testing.T) {
		old := validSeed()
		old.Spec.Backup = &core.Backup{Provider: "local", SecretRef: corev1.SecretReference{Name: "backup", Namespace: "garden"}}
		seed := old.DeepCopy()
		seed.Spec.Backup = nil
		seed.Spec.Networks.Pods = "127.65.0.0/16"
		if diff := cmp.Diff([]string{"spec.backup", "spec.networks.pods"}, fields(ValidateSeedUpdate(seed, old))); diff != "" {
			t.Errorf("mistakes (-want +got):\n%s", diff)
		}
	})
}

func TestValidateBindingsAndQuotas(t *testing.T) {
	t.Run("API-13 a binding to a Secret of another namespace is valid and fixed", func(t *testing.T) {
		old := &core.SecretBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "local", Namespace: "garden-local", ResourceVersion: "1"},
			SecretRef:  corev1.SecretReference{Name: "a", Namespace: "garden-other"},
			Provider:   &core.SecretBindingProvider{Type: "local"},
		}
		if errs := ValidateSecretBinding(old); len(errs) > 0 {
			t.Errorf("mistakes: %v", errs)
		}
		binding := old.DeepCopy()
		binding.SecretRef.Name = "b"
		if diff := cmp.Diff([]string{"secretRef"}, fields(ValidateSecretBindingUpdate(binding, old))); diff != "" {
			t.Errorf("mistakes (-want +got):\n%s", diff)
		}
	})
	t.Run("API-14 a quota has known metrics that are not negative", func(t *testing.T) {
		quota := &core.Quota{
			ObjectMeta: metav1.ObjectMeta{Name: "trial", Namespace: "garden-local"},
			Spec: core.QuotaSpec{
				Scope:   corev1.ObjectReference{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Project"},
				Metrics: corev1.ResourceList{"cpu": resource.MustParse("-1"), "wishes": resource.MustParse("3"), "gpu": resource.MustParse("0")},
			},
		}
		if diff := cmp.Diff([]string{"spec.metrics[cpu]", "spec.metrics[wishes]"}, fields(ValidateQuota(quota))); diff != "" {
			t.Errorf("mistakes (-want +got):\n%s", diff)
		}
	})
}

func TestValidateControllerRegistration(t *testing.T) {
	registration := &core.ControllerRegistration{
		ObjectMeta: metav1.ObjectMeta{Name: "local", ResourceVersion: "1"},
		Spec: core.ControllerRegistrationSpec{
			Resources:  []core.ControllerResource{{Kind: "Infrastructure", Type: "local"}, {Kind: "Extension", Type: "a"}},
			Deployment: &core.ControllerRegistrationDeployment{DeploymentRefs: []core.DeploymentRef{{Name: "local"}}},
		},
	}
	core.SetObjectDefaults_ControllerRegistration(registration)
	if errs := ValidateControllerRegistration(registration); len(errs) > 0 {
		t.Fatalf("API-33 a defaulted registration is invalid: %v", errs)
	}
	changed := registration.DeepCopy()
	changed.Spec.Resources[0].Primary = new(false)
	changed.Spec.Resources[1].Kind = "Wish"
	changed.Spec.Deployment.SeedSelector = &metav1.LabelSelector{}
	want := []string{
		"spec.deployment.seedSelector", "spec.resources[0].primary", "spec.resources[1].clusterCompatibility",
		"spec.resources[1].kind", "spec.resources[1].lifecycle", "spec.resources[1].reconcileTimeout",
	}
	if diff := cmp.Diff(want, fields(ValidateControllerRegistrationUpdate(changed, registration))); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}
