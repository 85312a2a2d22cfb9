package shootquotavalidator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

var now = time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func offers() *core.CloudProfile {
	return &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: core.CloudProfileSpec{
		MachineTypes: []core.MachineType{
			{Name: "small", CPU: quantity("2"), GPU: quantity("0"), Memory: quantity("4Gi"), Storage: &core.MachineTypeStorage{Class: "premium", StorageSize: ptr.To(quantity("20Gi"))}},
			{Name: "large", CPU: quantity("8"), GPU: quantity("1"), Memory: quantity("32Gi")},
		},
		VolumeTypes: []core.VolumeType{{Name: "slow", Class: "standard"}, {Name: "fast", Class: "premium"}},
	}}
}

func shoot(name string, workers ...core.Worker) *core.Shoot {
	return &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: name}, Spec: core.ShootSpec{
		CloudProfileName: ptr.To("c"), SecretBindingName: ptr.To("b"), Provider: core.Provider{Workers: workers},
	}}
}

func pool(machine string, maximum int32) core.Worker {
	return core.Worker{Maximum: maximum, Machine: core.Machine{Type: machine}}
}

func TestUsage(t *testing.T) {
	withVolumes := pool("large", 2)
	withVolumes.Volume = &core.Volume{Type: ptr.To("fast"), VolumeSize: "10Gi"}
	withVolumes.DataVolumes = []core.DataVolume{{Type: ptr.To("slow"), VolumeSize: "5Gi"}, {VolumeSize: "1Gi"}}
	ingress := shoot("i")
	ingress.Spec.Addons = &core.Addons{NginxIngress: &core.NginxIngress{Addon: core.Addon{Enabled: true}}}
	bad, badData := pool("large", 1), pool("large", 1)
	bad.Volume, badData.DataVolumes = &core.Volume{VolumeSize: "x"}, []core.DataVolume{{VolumeSize: "x"}}
	for name, tc := range map[string]struct {
		shoot   *core.Shoot
		want    map[corev1.ResourceName]string
		refused string
	}{
		"ADM-20 machines at the maximum of their pool": {shoot("s", pool("small", 3)), map[corev1.ResourceName]string{"cpu": "6", "gpu": "0", "memory": "12Gi", "storage.premium": "60Gi", "loadbalancer": "1"}, ""},
		"ADM-20 volumes by their class":                {shoot("s", withVolumes), map[corev1.ResourceName]string{"cpu": "16", "gpu": "2", "memory": "64Gi", "storage.premium": "20Gi", "storage.standard": "12Gi", "loadbalancer": "1"}, ""},
		"ADM-20 an ingress has a load balancer":        {ingress, map[corev1.ResourceName]string{"loadbalancer": "2"}, ""},
		"a machine type that is gone":                  {shoot("s", pool("gone", 3)), map[corev1.ResourceName]string{"cpu": "0", "gpu": "0", "memory": "0", "loadbalancer": "1"}, ""},
		"a volume without size":                        {shoot("s", bad), nil, "size of volume"},
		"a data volume without size":                   {shoot("s", badData), nil, "size of volume"},
	} {
		t.Run(name, func(t *testing.T) {
			used, err := usage(tc.shoot, &offers().Spec)
			admissiontest.WantError(t, err, tc.refused)
			var got map[corev1.ResourceName]string
			for metric, amount := range used {
				if got == nil {
					got = map[corev1.ResourceName]string{}
				}
				got[metric] = amount.String()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLifetime(t *testing.T) {
	const key = "shoot.gardener.cloud/expiration-timestamp"
	at := func(days int) string { return now.Add(time.Duration(days) * 24 * time.Hour).Format(time.RFC3339) }
	for name, tc := range map[string]struct {
		annotation, want string
		age              int // days
		days             *int32
		refused          string
	}{
		"ADM-20 a new shoot ends in time":              {"", at(5), 0, ptr.To[int32](5), ""},
		"ADM-20 an existing one counts from its start": {"", at(3), 2, ptr.To[int32](5), ""},
		"ADM-20 it may be extended":                    {at(5), at(5), 2, ptr.To[int32](5), ""},
		"ADM-20 but not too far":                       {at(6), at(6), 2, ptr.To[int32](5), "too late, at most 5 days"},
		"an earlier end is fine":                       {at(1), at(1), 2, ptr.To[int32](5), ""},
		"a date that is none":                          {"soon", "soon", 2, ptr.To[int32](5), "cannot parse"},
		"without a limit there is no end":              {at(5), "", 2, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := shoot("s")
			if tc.annotation != "" {
				s.Annotations = map[string]string{key: tc.annotation}
			}
			if tc.age > 0 {
				s.CreationTimestamp = metav1.NewTime(now.Add(-time.Duration(tc.age) * 24 * time.Hour))
			}
			admissiontest.WantError(t, applyLifetime(s, tc.days, now), tc.refused)
			if got := s.Annotations[key]; got != tc.want {
				t.Errorf("annotation is %q, want %q", got, tc.want)
			}
		})
	}
}

// brokenKind fails to read one kind.
type brokenKind struct {
	admissiontest.Objects
	resource string
}

func (b brokenKind) Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	if resource.Resource == b.resource {
		return nil, errors.New("boom")
	}
	return b.Objects.Get(ctx, resource, namespace, name)
}

func (b brokenKind) Each(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	if resource.Resource == b.resource {
		return errors.New("boom")
	}
	return b.Objects.Each(ctx, resource, namespace, visit)
}

func TestAdmit(t *testing.T) {
	ref := []corev1.ObjectReference{{Namespace: "garden-p", Name: "q"}}
	quota := func(kind string, cpu string) *core.Quota {
		return &core.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "q"}, Spec: core.QuotaSpec{
			Scope: corev1.ObjectReference{Kind: kind}, Metrics: corev1.ResourceList{"cpu": quantity(cpu)}, ClusterLifetimeDays: ptr.To[int32](7),
		}}
	}
	short := quota("Project", "100")
	short.Name, short.Spec.ClusterLifetimeDays = "short", ptr.To[int32](1)
	binding := &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "b"}, Quotas: ref}
	both := binding.DeepCopy()
	both.Quotas = append(both.Quotas, corev1.ObjectReference{Namespace: "garden-p", Name: "short"})
	remote := &security.CredentialsBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-q", Name: "b"}, Quotas: ref}
	other := shoot("o", pool("small", 2)) // 4 CPUs
	far := shoot("f", pool("small", 2))
	far.Namespace, far.Spec.SecretBindingName, far.Spec.CredentialsBindingName = "garden-q", nil, ptr.To("b")
	unbound := shoot("s", pool("large", 100))
	unbound.Spec.SecretBindingName = nil
	newForm := shoot("n", pool("large", 1))
	newForm.Namespace, newForm.Spec.SecretBindingName, newForm.Spec.CredentialsBindingName = "garden-q", nil, ptr.To("b")
	deleting := shoot("s", pool("large", 100))
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	noSize := shoot("s", core.Worker{Volume: &core.Volume{VolumeSize: "x"}})
	extended := shoot("s")
	extended.Annotations = map[string]string{"shoot.gardener.cloud/expiration-timestamp": "2099-01-01T00:00:00Z"}
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-20 more than is left is refused": {admissiontest.Objects{offers(), binding, quota("Project", "10"), other}, admissiontest.Create(shoot("s", pool("large", 1))),
			"quota garden-p/q is exceeded: cpu: 8 wanted, 4 used by other shoots, 10 allowed"},
		"ADM-20 all that is left is allowed":                      {admissiontest.Objects{offers(), binding, quota("Project", "12"), other}, admissiontest.Create(shoot("s", pool("large", 1))), ""},
		"ADM-20 another project does not count for a project":     {admissiontest.Objects{offers(), binding, remote, quota("Project", "8"), far}, admissiontest.Create(shoot("s", pool("large", 1))), ""},
		"ADM-20 but it counts for a Secret":                       {admissiontest.Objects{offers(), binding, remote, quota("Secret", "8"), far}, admissiontest.Create(shoot("s", pool("large", 1))), "4 used by other shoots"},
		"ADM-20 credentials bindings have quotas, too":            {admissiontest.Objects{offers(), remote, quota("Secret", "7")}, admissiontest.Create(newForm), "8 wanted"},
		"ADM-20 growing is refused":                               {admissiontest.Objects{offers(), binding, quota("Project", "10")}, admissiontest.Update(shoot("s", pool("large", 2)), shoot("s", pool("large", 1))), "16 wanted, 0 used"},
		"a shoot does not count twice":                            {admissiontest.Objects{offers(), binding, quota("Project", "16"), shoot("s", pool("large", 1))}, admissiontest.Update(shoot("s", pool("large", 2)), shoot("s", pool("large", 1))), ""},
		"a shoot above the quota may change otherwise and shrink": {admissiontest.Objects{offers(), binding, quota("Project", "1")}, admissiontest.Update(shoot("s", pool("large", 1)), shoot("s", pool("large", 2))), ""},
		"a quota that does not exist":                             {admissiontest.Objects{offers(), binding}, admissiontest.Create(shoot("s")), "quota garden-p/q of binding"},
		"an end that is too late":                                 {admissiontest.Objects{offers(), binding, quota("Project", "1")}, admissiontest.Create(extended), "too late"},
		"a volume without size":                                   {admissiontest.Objects{offers(), binding, quota("Project", "1")}, admissiontest.Create(noSize), "size of volume"},
		"a profile that is gone":                                  {admissiontest.Objects{binding, quota("Project", "1")}, admissiontest.Create(shoot("s", pool("large", 9))), ""},
		"a binding that does not exist is for others to refuse":   {admissiontest.Objects{offers()}, admissiontest.Create(shoot("s")), ""},
		"a shoot without binding":                                 {admissiontest.Objects{offers()}, admissiontest.Create(unbound), ""},
		"a shoot that is being deleted":                           {admissiontest.Objects{offers(), binding, quota("Project", "1")}, admissiontest.Update(deleting, shoot("s")), ""},
		"other kinds":                                             {admissiontest.Objects{}, admissiontest.Create(binding), ""},
		"a failed look-up of the binding is an internal error":    {brokenKind{admissiontest.Objects{}, "secretbindings"}, admissiontest.Create(shoot("s")), "Internal error"},
		"a failed look-up of the quota, too":                      {brokenKind{admissiontest.Objects{binding}, "quotas"}, admissiontest.Create(shoot("s")), "Internal error"},
		"a failed look-up of the profile, too":                    {brokenKind{admissiontest.Objects{binding, quota("Project", "1")}, "cloudprofiles"}, admissiontest.Create(shoot("s")), "Internal error"},
		"a failed list of shoots, too":                            {brokenKind{admissiontest.Objects{offers(), binding, quota("Project", "1")}, "shoots"}, admissiontest.Create(shoot("s", pool("large", 1))), "Internal error"},
		"a failed list of bindings, too":                          {brokenKind{admissiontest.Objects{offers(), binding, quota("Project", "1")}, "credentialsbindings"}, admissiontest.Create(shoot("s", pool("large", 1))), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(clocktesting.NewFakePassiveClock(now))
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	t.Run("ADM-20 the shortest life counts", func(t *testing.T) {
		p, s := New(clocktesting.NewFakePassiveClock(now)), shoot("s", pool("small", 1))
		p.SetObjects(admissiontest.Objects{offers(), both, quota("Project", "100"), short})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(s)), "")
		if got := s.Annotations["shoot.gardener.cloud/expiration-timestamp"]; got != "2026-01-11T00:00:00Z" {
			t.Errorf("end is %q", got)
		}
	})
}
