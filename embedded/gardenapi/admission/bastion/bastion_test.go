package bastion

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func shoot(change ...func(*core.Shoot)) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s", UID: "uid"}, Spec: core.ShootSpec{
		SeedName: ptr.To("seed"), Provider: core.Provider{Type: "local", Workers: []core.Worker{{}}},
	}}
	for _, f := range change {
		f(s)
	}
	return s
}

func bastion(change ...func(*operations.Bastion)) *operations.Bastion {
	b := &operations.Bastion{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "b"}, Spec: operations.BastionSpec{ShootRef: corev1.LocalObjectReference{Name: "s"}}}
	for _, f := range change {
		f(b)
	}
	return b
}

func createdBy(name string) func(*operations.Bastion) {
	return func(b *operations.Bastion) { b.Annotations = map[string]string{"gardener.cloud/created-by": name} }
}

func open(cidr string) func(*operations.Bastion) {
	return func(b *operations.Bastion) {
		b.Spec.Ingress = []operations.BastionIngressPolicy{{IPBlock: networkingv1.IPBlock{CIDR: cidr}}}
	}
}

func admit(objects initializer.Objects, request admission.Attributes) error {
	p := admissiontest.New[*Plugin](Register)
	p.SetObjects(objects)
	return admissiontest.Admit(p, request)
}

func TestCreate(t *testing.T) {
	t.Run("BST-3 BST-5 seed, provider, creator and owner are filled in", func(t *testing.T) {
		b := bastion(createdBy("somebody else"), func(b *operations.Bastion) {
			b.Spec.SeedName = ptr.To("elsewhere")
			b.OwnerReferences = []metav1.OwnerReference{{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Shoot", Name: "old"}}
		})
		admissiontest.WantError(t, admit(admissiontest.Objects{shoot()}, admissiontest.Create(b)), "")
		if *b.Spec.SeedName != "seed" || *b.Spec.ProviderType != "local" || b.Annotations["gardener.cloud/created-by"] != admissiontest.User {
			t.Errorf("bastion is %+v", b)
		}
		if len(b.OwnerReferences) != 1 || b.OwnerReferences[0].UID != "uid" || b.OwnerReferences[0].Name != "s" {
			t.Errorf("owners are %v", b.OwnerReferences)
		}
	})
	for name, tc := range map[string]struct {
		objects initializer.Objects
		refused string
	}{
		"a shoot that does not exist":           {admissiontest.Objects{}, "spec.shootRef.name: Not found"},
		"a shoot that is being deleted":         {admissiontest.Objects{shoot(func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) })}, "being deleted"},
		"BST-5 a shoot without seed":            {admissiontest.Objects{shoot(func(s *core.Shoot) { s.Spec.SeedName = nil })}, "no seed yet"},
		"a shoot without SSH":                   {admissiontest.Objects{shoot(func(s *core.Shoot) { s.Spec.Provider.Workers = nil })}, "SSH access"},
		"a failed look-up is an internal error": {admissiontest.Broken{Err: errors.New("boom")}, "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admit(tc.objects, admissiontest.Create(bastion())), tc.refused)
		})
	}
	t.Run("no shoot is named", func(t *testing.T) {
		nameless := bastion(func(b *operations.Bastion) { b.Name, b.GenerateName, b.Spec.ShootRef.Name = "", "b-", "" })
		admissiontest.WantError(t, admit(admissiontest.Objects{}, admissiontest.Create(nameless)), "spec.shootRef.name: Required")
	})
	t.Run("other kinds", func(t *testing.T) {
		admissiontest.WantError(t, admit(admissiontest.Objects{}, admissiontest.Create(shoot())), "")
	})
}

func TestUpdate(t *testing.T) {
	for name, tc := range map[string]struct {
		request admission.Attributes
		creator string
		refused string
	}{
		"the creator may open it":                            {admissiontest.Update(bastion(open("0.0.0.0/0")), bastion(open("1.2.3.4/32"), createdBy(admissiontest.User))), admissiontest.User, ""},
		"BST-3 nobody else may":                              {admissiontest.Update(bastion(open("0.0.0.0/0")), bastion(open("1.2.3.4/32"), createdBy("joe"))), "joe", `only the creator "joe"`},
		"BST-3 others may change the rest, but not the note": {admissiontest.Update(bastion(createdBy(admissiontest.User)), bastion(createdBy("joe"))), "joe", ""},
		"BST-3 a note cannot be removed with all others":     {admissiontest.Update(bastion(func(b *operations.Bastion) { b.Annotations = nil }), bastion(createdBy("joe"))), "joe", ""},
		"a bastion from before there was a note":             {admissiontest.Update(bastion(open("0.0.0.0/0")), bastion()), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admit(admissiontest.Objects{}, tc.request), tc.refused)
			if got := tc.request.GetObject().(*operations.Bastion).Annotations["gardener.cloud/created-by"]; got != tc.creator {
				t.Errorf("creator is %q, want %q", got, tc.creator)
			}
		})
	}
}
