package extensionvalidator

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// all registers the types that the objects below use, except one kind.
func all(except string) *core.ControllerRegistration {
	r := &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	for kind, typ := range map[string]string{
		"BackupBucket": "b", "BackupEntry": "b", "ControlPlane": "p", "Infrastructure": "p", "Worker": "p", "Network": "n",
		"DNSRecord": "d", "Extension": "e", "OperatingSystemConfig": "o", "ContainerRuntime": "c",
	} {
		if kind != except {
			r.Spec.Resources = append(r.Spec.Resources, core.ControllerResource{Kind: kind, Type: typ})
		}
	}
	return forClusters(r, core.ClusterTypeShoot, core.ClusterTypeSeed)
}

// forClusters changes for which types of clusters the registered extension works.
func forClusters(r *core.ControllerRegistration, types ...core.ClusterType) *core.ControllerRegistration {
	for i := range r.Spec.Resources {
		if r.Spec.Resources[i].Kind == "Extension" {
			r.Spec.Resources[i].ClusterCompatibility = types
		}
	}
	return r
}

func shoot(change ...func(*core.Shoot)) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}, Spec: core.ShootSpec{
		Networking: &core.Networking{Type: ptr.To("n")},
		DNS:        &core.DNS{Providers: []core.DNSProvider{{Type: ptr.To("d")}, {Type: ptr.To("unmanaged")}}},
		Extensions: []core.Extension{{Type: "e"}, {Type: "off", Disabled: ptr.To(true)}},
		Provider: core.Provider{Type: "p", Workers: []core.Worker{{
			Machine: core.Machine{Image: &core.ShootMachineImage{Name: "o"}},
			CRI:     &core.CRI{ContainerRuntimes: []core.ContainerRuntime{{Type: "c"}}},
		}}},
	}}
	for _, f := range change {
		f(s)
	}
	return s
}

func seed() *core.Seed {
	s := &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: core.SeedSpec{
		Provider: core.SeedProvider{Type: "p"}, Backup: &core.Backup{Provider: "b"},
		Extensions: []core.Extension{{Type: "e"}, {Type: "off", Disabled: ptr.To(true)}},
	}}
	s.Spec.DNS.Provider = &core.SeedDNSProvider{Type: "d", SecretRef: corev1.SecretReference{Name: "d", Namespace: "garden"}}
	s.Spec.DNS.Internal = &core.SeedDNSProviderConfig{Type: "d"}
	s.Spec.DNS.Defaults = []core.SeedDNSProviderConfig{{Type: "d"}}
	return s
}

func TestRequirements(t *testing.T) {
	bucket := &core.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: "b"}}}
	entry := &core.BackupEntry{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "e"}, Spec: core.BackupEntrySpec{BucketName: "b"}}
	for what, tc := range map[string]struct {
		object runtime.Object
		kinds  []string
	}{
		"a shoot":         {shoot(), []string{"ControlPlane", "Infrastructure", "Worker", "Network", "DNSRecord", "Extension", "OperatingSystemConfig", "ContainerRuntime"}},
		"a seed":          {seed(), []string{"ControlPlane", "BackupBucket", "BackupEntry", "DNSRecord", "Extension"}},
		"a backup bucket": {bucket, []string{"BackupBucket"}},
		"a backup entry":  {entry, []string{"BackupEntry"}},
	} {
		t.Run("ADM-7 "+what+" that has all it needs", func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(admissiontest.Objects{all(""), bucket})
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(tc.object)), "")
		})
		for _, kind := range tc.kinds {
			t.Run("ADM-7 "+what+" needs "+kind, func(t *testing.T) {
				p := admissiontest.New[*Plugin](Register)
				p.SetObjects(admissiontest.Objects{all(kind), bucket})
				admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(tc.object)), "no primary ControllerRegistration for kind "+kind+",")
			})
		}
	}
}

func TestValidate(t *testing.T) {
	deleting := shoot(func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) })
	labelled := shoot(func(s *core.Shoot) { s.Labels = map[string]string{"a": "b"} })
	workerless := shoot(func(s *core.Shoot) { s.Spec.Provider = core.Provider{Type: "unknown"} })
	secondary, supports := all("Extension"), all("Extension")
	secondary.Spec.Resources = append(secondary.Spec.Resources, core.ControllerResource{Kind: "Extension", Type: "e", Primary: ptr.To(false)})
	supports.Spec.Resources = append(supports.Spec.Resources, core.ControllerResource{Kind: "Extension", Type: "e", WorkerlessSupported: ptr.To(true)})
	entry := &core.BackupEntry{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "e"}, Spec: core.BackupEntrySpec{BucketName: "none"}}
	bucket := &core.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	boom := admissiontest.Broken{Err: errors.New("boom")}
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-7 a secondary registration is not enough":                {admissiontest.Objects{secondary}, admissiontest.Create(shoot()), `kind Extension, type "e"`},
		"ADM-7 an extension for seeds in a shoot":                     {admissiontest.Objects{forClusters(all(""), core.ClusterTypeSeed)}, admissiontest.Create(shoot()), "does not work for clusters of type shoot"},
		"ADM-7 an extension for shoots in a seed":                     {admissiontest.Objects{forClusters(all(""))}, admissiontest.Create(seed()), "does not work for clusters of type seed"},
		"ADM-7 also when it is changed":                               {admissiontest.Objects{}, admissiontest.Update(shoot(), shoot(func(s *core.Shoot) { s.Spec.Region = "r" })), "kind Network"},
		"ADM-7 an extension for workers in a shoot without":           {admissiontest.Objects{all("")}, admissiontest.Create(workerless), "does not support shoots without workers"},
		"a shoot without workers needs no infrastructure and network": {admissiontest.Objects{supports}, admissiontest.Create(workerless), ""},
		"a registration that the cache does not have yet":             {admissiontest.Stale{Objects: admissiontest.Objects{all("")}}, admissiontest.Create(shoot()), ""},
		"a change of labels only":                                     {admissiontest.Objects{}, admissiontest.Update(labelled, shoot()), ""},
		"a change of a seed's labels only":                            {admissiontest.Objects{}, admissiontest.Update(seed(), seed()), ""},
		"a change of a bucket's labels only":                          {admissiontest.Objects{}, admissiontest.Update(bucket, bucket), ""},
		"a change of an entry's labels only":                          {admissiontest.Objects{}, admissiontest.Update(entry, entry), ""},
		"a shoot that is being deleted":                               {admissiontest.Objects{}, admissiontest.Update(deleting, shoot()), ""},
		"an entry whose bucket does not exist":                        {admissiontest.Objects{}, admissiontest.Create(entry), ""},
		"a subresource":                                               {admissiontest.Objects{}, admissiontest.UpdateSub(shoot(), shoot(), "status"), ""},
		"other kinds":                                                 {admissiontest.Objects{}, admissiontest.Create(&core.Project{}), ""},
		"a failed look-up is an internal error":                       {boom, admissiontest.Create(shoot()), "Internal error"},
		"a failed look-up of a bucket, too":                           {boom, admissiontest.Create(entry), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
}
