package installation_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/registration/installation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func registration(name, kind, extensionType string, change ...func(*gardencorev1beta1.ControllerRegistration)) gardencorev1beta1.ControllerRegistration {
	r := gardencorev1beta1.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: name}}
	r.Spec.Resources = []gardencorev1beta1.ControllerResource{{Kind: kind, Type: extensionType}}
	r.Spec.Deployment = &gardencorev1beta1.ControllerRegistrationDeployment{}
	for _, f := range change {
		f(&r)
	}
	return r
}

func policy(p gardencorev1beta1.ControllerDeploymentPolicy) func(*gardencorev1beta1.ControllerRegistration) {
	return func(r *gardencorev1beta1.ControllerRegistration) { r.Spec.Deployment.Policy = &p }
}

func TestRequired(t *testing.T) {
	shoot := gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{
		SeedName: ptr.To("local"), Networking: &gardencorev1beta1.Networking{Type: ptr.To("calico")},
		Provider: gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{{
			Machine: gardencorev1beta1.Machine{Image: &gardencorev1beta1.ShootMachineImage{Name: "linux"}},
			CRI:     &gardencorev1beta1.CRI{ContainerRuntimes: []gardencorev1beta1.ContainerRuntime{{Type: "gvisor"}}},
		}}},
		Extensions: []gardencorev1beta1.Extension{{Type: "backup"}, {Type: "off", Disabled: ptr.To(true)}},
		DNS:        &gardencorev1beta1.DNS{Providers: []gardencorev1beta1.DNSProvider{{Type: ptr.To("unmanaged")}}},
	}}
	elsewhere := *shoot.DeepCopy()
	elsewhere.Spec.SeedName = ptr.To("other")
	registrations := []gardencorev1beta1.ControllerRegistration{
		registration("infrastructure", "Infrastructure", "local"), registration("aws", "Infrastructure", "aws"),
		registration("calico", "Network", "calico"), registration("os", "OperatingSystemConfig", "linux"),
		registration("gvisor", "ContainerRuntime", "gvisor"), registration("backup", "Extension", "backup"), registration("off", "Extension", "off"),
		registration("dns", "DNSRecord", "local"), registration("unmanaged", "DNSRecord", "unmanaged"), registration("bucket", "BackupBucket", "s3"),
		registration("always", "Extension", "x", policy(gardencorev1beta1.ControllerDeploymentPolicyAlways)),
		registration("with-shoots", "Extension", "y", policy(gardencorev1beta1.ControllerDeploymentPolicyAlwaysExceptNoShoots)),
		registration("global", "Extension", "z", func(r *gardencorev1beta1.ControllerRegistration) { r.Spec.Resources[0].GloballyEnabled = ptr.To(true) }),
		registration("elsewhere", "Infrastructure", "local", func(r *gardencorev1beta1.ControllerRegistration) {
			r.Spec.Deployment.SeedSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		}),
	}
	for name, tc := range map[string]struct {
		shoots []gardencorev1beta1.Shoot
		change func(*installation.Landscape)
		want   []string
	}{
		"GCM-25 a seed without shoots needs its own provider and what is always needed": {want: []string{"always", "infrastructure"}},
		"GCM-25 a shoot brings everything it names": {
			shoots: []gardencorev1beta1.Shoot{shoot},
			want:   []string{"always", "backup", "calico", "dns", "global", "gvisor", "infrastructure", "os", "with-shoots"},
		},
		"GCM-25 shoots of other seeds do not count": {shoots: []gardencorev1beta1.Shoot{elsewhere}, want: []string{"always", "infrastructure"}},
		"GCM-25 a shoot that is leaving still counts": {
			shoots: []gardencorev1beta1.Shoot{elsewhere}, change: func(l *installation.Landscape) { l.Shoots[0].Status.SeedName = ptr.To("local") },
			want: []string{"always", "backup", "calico", "dns", "global", "gvisor", "infrastructure", "os", "with-shoots"},
		},
		"GCM-25 backups need their provider": {
			change: func(l *installation.Landscape) {
				l.Seed.Spec.Backup = &gardencorev1beta1.Backup{Provider: "s3"}
			}, want: []string{"always", "bucket", "infrastructure"},
		},
		"GCM-26 a seed that goes needs only what has something to clean up": {
			change: func(l *installation.Landscape) {
				l.Seed.DeletionTimestamp = &metav1.Time{}
				l.Buckets = []gardencorev1beta1.BackupBucket{{Spec: gardencorev1beta1.BackupBucketSpec{
					SeedName: ptr.To("local"), Provider: gardencorev1beta1.BackupBucketProvider{Type: "s3"},
				}}}
			}, want: []string{"bucket"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			landscape := installation.Landscape{
				Seed: &gardencorev1beta1.Seed{
					ObjectMeta: metav1.ObjectMeta{Name: "local"},
					Spec:       gardencorev1beta1.SeedSpec{Provider: gardencorev1beta1.SeedProvider{Type: "local"}},
				},
				Registrations: registrations, Shoots: tc.shoots, DNSTypes: []string{"local"},
			}
			if tc.change != nil {
				tc.change(&landscape)
			}
			got := slices.Sorted(maps.Keys(installation.Required(landscape)))
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
		})
	}
}
