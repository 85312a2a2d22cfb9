package extensionlabels

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func plugin() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update)}
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
