package extensionlabels

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func plugin() *Plugin {
	return New(clocktesting.NewFakePassiveClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestChosenImages(t *testing.T) {
	gone := metav1.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	image := func(name, version string, change ...func(*core.MachineImageVersion)) core.MachineImage {
		v := core.MachineImageVersion{ExpirableVersion: core.ExpirableVersion{Version: version}}
		for _, f := range change {
			f(&v)
		}
		return core.MachineImage{Name: name, Versions: []core.MachineImageVersion{v}}
	}
	profile := &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.CloudProfileSpec{
		Kubernetes: core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: "1.36.3"}}},
		MachineImages: []core.MachineImage{
			image("expired", "1.0.0", func(v *core.MachineImageVersion) { v.ExpirationDate = &gone }),
			image("old-kubelets", "1.0.0", func(v *core.MachineImageVersion) { v.KubeletVersionConstraint = ptr.To("< 1.36") }),
			image("fit", "1.0.0"),
		},
	}}
	with := func(image *core.ShootMachineImage) *core.Shoot {
		return &core.Shoot{Spec: core.ShootSpec{CloudProfile: &core.CloudProfileReference{Kind: "CloudProfile", Name: "p"},
			Kubernetes: core.Kubernetes{Version: "1.36"}, Provider: core.Provider{Workers: []core.Worker{{Name: "w", Machine: core.Machine{Image: image}}}}}}
	}
	const prefix = "operatingsystemconfig.extensions.gardener.cloud/"
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    map[string]string
	}{
		"ADM-8 the image that will be chosen for a new shoot": {admissiontest.Create(with(nil)), map[string]string{prefix + "fit": "true"}},
		"ADM-8 the image that a pool has already":             {admissiontest.Update(with(nil), with(&core.ShootMachineImage{Name: "expired", Version: ptr.To("1.0.0")})), map[string]string{prefix + "expired": "true"}},
		"ADM-8 the image that the shoot names":                {admissiontest.Create(with(&core.ShootMachineImage{Name: "mine"})), map[string]string{prefix + "mine": "true"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := plugin()
			p.SetObjects(admissiontest.Objects{profile})
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), "")
			shoot := tc.request.GetObject().(*core.Shoot)
			if diff := cmp.Diff(tc.want, shoot.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if shoot.Spec.Kubernetes.Version != "1.36" {
				t.Error("the shoot itself was completed")
			}
		})
	}
	t.Run("a profile that does not exist", func(t *testing.T) {
		p, shoot := plugin(), with(nil)
		p.SetObjects(admissiontest.Objects{})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(shoot)), "")
		if len(shoot.Labels) > 0 {
			t.Errorf("labels are %v", shoot.Labels)
		}
	})
}

func TestAdmit(t *testing.T) {
	seed := &core.Seed{Spec: core.SeedSpec{Provider: core.SeedProvider{Type: "a"}, Backup: &core.Backup{Provider: "b"}, Extensions: []core.Extension{{Type: "e"}}}}
	seed.Spec.DNS.Provider = &core.SeedDNSProvider{Type: "d"}
	shoot := &core.Shoot{Spec: core.ShootSpec{
		Networking: &core.Networking{Type: ptr.To("n")}, DNS: &core.DNS{Providers: []core.DNSProvider{{Type: ptr.To("d")}, {}}},
		Extensions: []core.Extension{{Type: "e"}, {Type: "off", Disabled: ptr.To(true)}},
		Provider: core.Provider{Type: "a", Workers: []core.Worker{{
			Machine: core.Machine{Image: &core.ShootMachineImage{Name: "o"}}, CRI: &core.CRI{ContainerRuntimes: []core.ContainerRuntime{{Type: "c"}}},
		}, {}}},
	}}
	labelled := &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
		"provider.extensions.gardener.cloud/old": "true", "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook": "true", "other": "x",
	}}, Spec: core.CloudProfileSpec{Type: "a"}}
	for name, tc := range map[string]struct {
		object runtime.Object
		want   []string
	}{
		"ADM-8 a profile":                      {&core.CloudProfile{Spec: core.CloudProfileSpec{Type: "a"}}, []string{"provider.extensions.gardener.cloud/a"}},
		"ADM-8 a secret binding":               {&core.SecretBinding{Provider: &core.SecretBindingProvider{Type: "a,b"}}, []string{"provider.extensions.gardener.cloud/a", "provider.extensions.gardener.cloud/b"}},
		"ADM-8 a secret binding without type":  {&core.SecretBinding{}, nil},
		"ADM-8 a credentials binding":          {&security.CredentialsBinding{Provider: security.CredentialsBindingProvider{Type: "a"}}, []string{"provider.extensions.gardener.cloud/a"}},
		"ADM-8 a bucket":                       {&core.BackupBucket{Spec: core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: "a"}}}, []string{"provider.extensions.gardener.cloud/a"}},
		"ADM-8 an entry, from its bucket":      {&core.BackupEntry{Spec: core.BackupEntrySpec{BucketName: "b"}}, []string{"provider.extensions.gardener.cloud/x"}},
		"an entry whose bucket does not exist": {&core.BackupEntry{Spec: core.BackupEntrySpec{BucketName: "none"}}, nil},
		"ADM-8 a seed": {seed, []string{
			"dnsrecord.extensions.gardener.cloud/d", "extensions.extensions.gardener.cloud/e", "provider.extensions.gardener.cloud/a", "provider.extensions.gardener.cloud/b"}},
		"ADM-8 a shoot": {shoot, []string{
			"containerruntime.extensions.gardener.cloud/c", "dnsrecord.extensions.gardener.cloud/d", "extensions.extensions.gardener.cloud/e",
			"networking.extensions.gardener.cloud/n", "operatingsystemconfig.extensions.gardener.cloud/o", "provider.extensions.gardener.cloud/a"}},
		"ADM-8 old labels go, others stay": {labelled, []string{"other", "provider.extensions.gardener.cloud/a", "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook"}},
		"other kinds":                      {&core.Project{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := plugin()
			p.SetObjects(admissiontest.Objects{&core.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: "x"}}}})
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(tc.object)), "")
			var got []string
			for key := range tc.object.(metav1.Object).GetLabels() {
				got = append(got, key)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a subresource changes no labels", func(t *testing.T) {
		p, profile := plugin(), &core.CloudProfile{Spec: core.CloudProfileSpec{Type: "a"}}
		p.SetObjects(admissiontest.Objects{})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.UpdateSub(profile, profile, "status")), "")
		if len(profile.Labels) > 0 {
			t.Errorf("labels are %v", profile.Labels)
		}
	})
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		p := plugin()
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(&core.BackupEntry{})), "Internal error")
	})
	t.Run("it needs a reader of objects", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(plugin(), admissiontest.Create(&core.BackupEntry{})), "no reader")
	})
}
