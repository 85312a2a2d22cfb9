package integration

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestDeletionConfirmation(t *testing.T) {
	c, ctx := admin(t), t.Context()

	t.Run("ADM-5 a shoot, a project and a shoot state must confirm", func(t *testing.T) {
		s := shoot(t)
		state := create(t, &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace}})
		for _, object := range []client.Object{s, state, project(t)} {
			wantStatus(t, c.Delete(ctx, object), http.StatusForbidden, "confirmation.gardener.cloud/deletion")
			merge(t, object, `{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
			if err := c.Delete(ctx, object); err != nil {
				t.Errorf("%T that confirms: %v", object, err)
			}
		}
	})
	t.Run("ADM-5 each shoot of a collection must confirm", func(t *testing.T) {
		s := shoot(t)
		wantStatus(t, c.DeleteAllOf(ctx, &core.Shoot{}, client.InNamespace(s.Namespace)), http.StatusForbidden, s.Name)
	})
	t.Run("other kinds need not", func(t *testing.T) {
		if err := c.Delete(ctx, seed(t)); err != nil {
			t.Error(err)
		}
	})
}

func TestCompletion(t *testing.T) {
	t.Run("ADM-26 versions and images are completed", func(t *testing.T) {
		for wanted, got := range map[string]string{"": "1.36.3", "1.35": "1.35.10", "1.36": "1.36.3", "1.36.10": "1.36.10"} {
			s := shoot(t, func(s *core.Shoot) { s.Spec.Kubernetes.Version = wanted })
			if s.Spec.Kubernetes.Version != got {
				t.Errorf("%q became %q, want %q", wanted, s.Spec.Kubernetes.Version, got)
			}
			if image := s.Spec.Provider.Workers[0].Machine.Image; image.Name != "local" || ptr.Deref(image.Version, "") != "1.2.0" {
				t.Errorf("image is %v", image)
			}
		}
	})
	t.Run("ADM-16 a shoot tells who created it", func(t *testing.T) {
		if s := shoot(t); s.Annotations["gardener.cloud/created-by"] != "admin" {
			t.Errorf("annotations are %v", s.Annotations)
		}
	})
	t.Run("ADM-14 a project belongs to who created it", func(t *testing.T) {
		p := project(t)
		if p.Spec.CreatedBy.Name != "admin" || p.Spec.Owner.Name != "admin" || len(p.Spec.Members) != 1 || p.Spec.Members[0].Roles[0] != core.ProjectMemberOwner {
			t.Errorf("spec is %+v", p.Spec)
		}
	})
	t.Run("ADM-8 labels follow the extensions in use", func(t *testing.T) {
		s := shoot(t)
		if s.Labels["networking.extensions.gardener.cloud/calico"] != "true" || s.Labels["provider.extensions.gardener.cloud/local"] != "true" {
			t.Errorf("labels are %v", s.Labels)
		}
		merge(t, s, `{"spec":{"extensions":[{"type":"foo"}]}}`)
		if s.Labels["extensions.extensions.gardener.cloud/foo"] != "true" {
			t.Errorf("labels are %v", s.Labels)
		}
		merge(t, s, `{"spec":{"extensions":null}}`)
		if s.Labels["extensions.extensions.gardener.cloud/foo"] != "" {
			t.Errorf("labels are %v", s.Labels)
		}
	})
}

func TestDomain(t *testing.T) {
	for name, priority := range map[string]string{"example.org": "1", "example.com": "7"} {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			GenerateName: "domain-", Namespace: "garden", Labels: map[string]string{"gardener.cloud/role": "default-domain"},
			Annotations: map[string]string{"dns.gardener.cloud/domain": name, "dns.gardener.cloud/provider": "local", "dns.gardener.cloud/domain-default-priority": priority},
		}})
	}
	p, profile := project(t), cloudProfile(t)
	settle()
	t.Run("ADM-18 a shoot gets its place below the preferred default domain", func(t *testing.T) {
		s := create(t, newShoot(p, profile))
		if want := s.Name + "." + p.Name + ".example.com"; s.Spec.DNS == nil || ptr.Deref(s.Spec.DNS.Domain, "") != want {
			t.Errorf("dns is %+v, want %s", s.Spec.DNS, want)
		}
	})
	t.Run("a place of another shoot is refused", func(t *testing.T) {
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: ptr.To("other." + p.Name + ".example.org")} })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusForbidden, s.Name+"."+p.Name+".example.org")
	})
	t.Run("ADM-19 no DNS on seeds that disable it", func(t *testing.T) {
		off := seed(t, func(s *core.Seed) {
			s.Spec.Settings = &core.SeedSettings{ShootDNS: &core.SeedSettingShootDNS{Enabled: false}}
		})
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.SeedName, s.Spec.DNS = &off.Name, &core.DNS{Domain: ptr.To("a.b.c")} })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusForbidden, off.Name)
	})
}

func TestRefusedShoots(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	for name, tc := range map[string]struct {
		change func(*core.Shoot)
		part   string
	}{
		"ADM-24 a Kubernetes version that is not offered": {func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.20.0" }, "spec.kubernetes.version"},
		"ADM-24 an unknown minor":                         {func(s *core.Shoot) { s.Spec.Kubernetes.Version = "1.99" }, "spec.kubernetes.version"},
		"ADM-24 an unknown machine type":                  {func(s *core.Shoot) { s.Spec.Provider.Workers[0].Machine.Type = "huge" }, "spec.provider.workers[0].machine.type"},
		"ADM-24 an unknown image":                         {func(s *core.Shoot) { s.Spec.Provider.Workers[0].Machine.Image = &core.ShootMachineImage{Name: "x"} }, "machine.image.name"},
		"ADM-24 an unknown region":                        {func(s *core.Shoot) { s.Spec.Region = "moon" }, "spec.region"},
		"ADM-24 an unknown zone":                          {func(s *core.Shoot) { s.Spec.Provider.Workers[0].Zones = []string{"9"} }, "zones[0]"},
		"another provider than that of the profile":       {func(s *core.Shoot) { s.Spec.Provider.Type = "aws" }, "spec.provider.type"},
		"an unknown profile":                              {func(s *core.Shoot) { s.Spec.CloudProfile.Name = "none" }, "spec.cloudProfile.name"},
		"names that are too long together":                {func(s *core.Shoot) { s.Name = "a-name-that-is-too-long" }, "metadata.name"},
		"a namespace without project":                     {func(s *core.Shoot) { s.Namespace = "default" }, "metadata.namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile, tc.change)), http.StatusUnprocessableEntity, tc.part)
		})
	}
	target := seed(t)
	on := func(change func(*core.Networking)) func(*core.Shoot) {
		return func(s *core.Shoot) { s.Spec.SeedName = &target.Name; change(s.Spec.Networking) }
	}
	for name, tc := range map[string]struct {
		change func(*core.Shoot)
		part   string
	}{
		"ADM-25 nodes in the seed's node network":       {on(func(n *core.Networking) { n.Nodes = ptr.To("10.0.128.0/17") }), "spec.networking.nodes"},
		"ADM-25 pods around the seed's pod network":     {on(func(n *core.Networking) { n.Pods = ptr.To("127.0.0.0/8") }), "spec.networking.pods"},
		"ADM-25 services in the seed's service network": {on(func(n *core.Networking) { n.Services = ptr.To("127.96.1.0/24") }), "spec.networking.services"},
		"ADM-25 pods in the network of the tunnel":      {func(s *core.Shoot) { s.Spec.Networking.Pods = ptr.To("192.168.0.0/16") }, "network of the tunnel"},
		"ADM-28 a seed with a taint": {func(s *core.Shoot) {
			s.Spec.SeedName = ptr.To(seed(t, func(s *core.Seed) { s.Spec.Taints = []core.SeedTaint{{Key: "a"}, {Key: "b"}} }).Name)
		}, "does not tolerate the taints"},
	} {
		t.Run(name, func(t *testing.T) {
			wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile, tc.change)), http.StatusUnprocessableEntity, tc.part)
		})
	}
	t.Run("ADM-25 a seed whose networks do not suit", func(t *testing.T) {
		s := create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.Networking.Pods = ptr.To("127.64.0.0/14") }))
		wantStatus(t, tryMerge(t, admin(t), s, `{"spec":{"seedName":"`+target.Name+`"}}`, "binding"), http.StatusUnprocessableEntity, "the pod network of seed "+target.Name)
	})
	t.Run("a domain that contains that of another shoot", func(t *testing.T) {
		create(t, newShoot(p, profile, func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: ptr.To("a.b.example.edu")} }))
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: ptr.To("b.example.edu")} })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusUnprocessableEntity, "spec.dns.domain")
	})
	t.Run("ADM-24 credentials for another provider", func(t *testing.T) {
		other := binding(t, *p.Spec.Namespace, "other")
		create(t, &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: *p.Spec.Namespace, Name: "aws"}, SecretRef: other.SecretRef, Provider: &core.SecretBindingProvider{Type: "aws,gcp"}})
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.SecretBindingName = ptr.To("aws") })
		wantStatus(t, admin(t).Create(t.Context(), s), http.StatusUnprocessableEntity, "is for providers [aws gcp]")
	})
	t.Run("ADM-27 a shoot keeps its finalizer until it is gone", func(t *testing.T) {
		s := create(t, newShoot(p, profile))
		merge(t, s, `{"metadata":{"finalizers":["gardener"]}}`)
		wantStatus(t, tryMerge(t, admin(t), s.DeepCopy(), `{"metadata":{"finalizers":null}}`), http.StatusUnprocessableEntity, "metadata.finalizers")
		merge(t, s, `{"status":{"lastOperation":{"type":"Delete","state":"Succeeded","progress":100,"description":"gone","lastUpdateTime":"2024-01-01T00:00:00Z"}}}`, "status")
		merge(t, s, `{"metadata":{"finalizers":null}}`)
	})
	t.Run("a new shoot needs its infrastructure and DNS records", func(t *testing.T) {
		if got := create(t, newShoot(p, profile)).Annotations["shoot.gardener.cloud/tasks"]; got != "deployInfrastructure,deployDNSRecordInternal,deployDNSRecordExternal,deployDNSRecordIngress" {
			t.Errorf("tasks are %q", got)
		}
	})
	t.Run("a namespace that does not exist", func(t *testing.T) {
		wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile, func(s *core.Shoot) { s.Namespace = "nowhere" })), http.StatusNotFound, "nowhere")
	})
	t.Run("a seed chosen by who may not", func(t *testing.T) {
		target, member := seed(t), user(t, "member", *p.Spec.Namespace, "gardener.cloud:system:project-member-aggregation")
		s := newShoot(p, profile, func(s *core.Shoot) { s.Spec.SeedName = &target.Name })
		wantStatus(t, member.Create(t.Context(), s), http.StatusUnprocessableEntity, "shoots/binding")
	})
}

func TestQuota(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	limit := corev1.ResourceList{"count/shoots.core.gardener.cloud": resource.MustParse("1")}
	quota := create(t, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: *p.Spec.Namespace}, Spec: corev1.ResourceQuotaSpec{Hard: limit}})
	quota.Status = corev1.ResourceQuotaStatus{Hard: limit, Used: corev1.ResourceList{"count/shoots.core.gardener.cloud": resource.MustParse("1")}}
	if err := admin(t).Status().Update(t.Context(), quota); err != nil { // the quota controller would
		t.Fatal(err)
	}
	t.Run("ADM-11 API-42 no more shoots than the quota allows", func(t *testing.T) {
		eventually(t, func() error { // the quota gets here by an informer
			err := admin(t).Create(t.Context(), newShoot(p, profile), client.DryRunAll)
			if err != nil {
				return nil
			}
			return errNotYet
		})
		wantStatus(t, admin(t).Create(t.Context(), newShoot(p, profile)), http.StatusForbidden, "exceeded quota")
	})
}
