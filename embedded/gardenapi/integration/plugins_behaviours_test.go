package integration

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
)

// pluginBehaviours makes what the requests need and lists the behaviours by plugin.
func pluginBehaviours(t *testing.T) map[string][]behaviour {
	t.Helper()
	s := &stage{p: project(t), profile: cloudProfile(t), base: seed(t)}
	s.placed = create(t, newShoot(s.p, s.profile, func(shoot *core.Shoot) { shoot.Spec.SeedName = &s.base.Name }))
	out := map[string][]behaviour{}
	for _, part := range []func(*testing.T, *stage) map[string][]behaviour{referenceBehaviours, shootBehaviours, seedBehaviours, projectBehaviours, genericBehaviours} {
		for plugin, list := range part(t, s) {
			out[plugin] = append(out[plugin], list...)
		}
	}
	return out
}

// stage is what all behaviours share.
type stage struct {
	p       *core.Project
	profile *core.CloudProfile
	base    *core.Seed
	placed  *core.Shoot // on base
}

// shoot is a new shoot for trials.
func (s *stage) shoot(change ...func(*core.Shoot)) func() *core.Shoot {
	return func() *core.Shoot { return newShoot(s.p, s.profile, change...) }
}

// shootWith is one that asks for something in its spec.
func (s *stage) shootWith(change func(*core.ShootSpec)) func() *core.Shoot {
	return s.shoot(func(shoot *core.Shoot) { change(&shoot.Spec) })
}

func labelled(key string) func(*core.Shoot) {
	return func(s *core.Shoot) { s.Labels = map[string]string{key: "true"} }
}

func referenceBehaviours(t *testing.T, s *stage) map[string][]behaviour {
	namespace := *s.p.Spec.Namespace
	binding := func() *core.SecretBinding {
		return &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b"}, Provider: &core.SecretBindingProvider{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: namespace, Name: "missing"}}
	}
	newProject := func() *core.Project {
		return &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "trial"}}
	}
	withoutVersion := func(t *testing.T, c server) error {
		profile := s.profile.DeepCopy()
		profile.Spec.Kubernetes.Versions = profile.Spec.Kubernetes.Versions[1:]
		return c.Update(t.Context(), profile, client.DryRunAll)
	}
	ownProfile := func() *core.NamespacedCloudProfile {
		return &core.NamespacedCloudProfile{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own"},
			Spec: core.NamespacedCloudProfileSpec{
				Parent:       core.CloudProfileReference{Kind: "CloudProfile", Name: s.profile.Name},
				MachineTypes: s.profile.Spec.MachineTypes,
			},
		}
	}
	return map[string][]behaviour{
		"NamespacedCloudProfileValidator": {
			{"a project's profile cannot redefine a machine type of its parent", refused(tryCreate(ownProfile), "spec.machineTypes[0]: Forbidden")},
		},
		"ResourceReferenceManager": {
			{"ADM-12 a binding to a secret that is missing", refused(tryCreate(binding), "secretRef: Not found")},
			{"ADM-13 a version in use leaves the profile", refused(withoutVersion, "version 1.36.3 must not be removed")},
			{"ADM-14 a project tells its creator and belongs to them", creating(newProject, func(p *core.Project) bool {
				return p.Spec.CreatedBy != nil && p.Spec.CreatedBy.Name == "admin" && p.Spec.Owner != nil && p.Spec.Owner.Name == "admin"
			})},
			{"ADM-15 a seed in use switches DNS of shoots off", refused(tryPatch(s.base, `{"spec":{"settings":{"shootDNS":{"enabled":false}}}}`), s.placed.Name)},
			{"ADM-16 a shoot tells its creator", creating(s.shoot(), func(shoot *core.Shoot) bool { return shoot.Annotations["gardener.cloud/created-by"] == "admin" })},
		},
		"ExtensionValidator": {
			{"ADM-7 a network type that nobody offers", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.Networking.Type = ptr.To("nobodys") })), `kind Network, type "nobodys"`)},
			{"ADM-7 a seed whose DNS nobody offers", refused(tryPatch(s.base, `{"spec":{"dns":{"provider":{"type":"nobodys"}}}}`), "kind DNSRecord")},
		},
		"ExtensionLabels": {
			{"ADM-8 a shoot has labels of its types, also of the image chosen for it", creating(s.shoot(), func(shoot *core.Shoot) bool {
				return shoot.Labels["networking.extensions.gardener.cloud/calico"] == "true" && shoot.Labels["operatingsystemconfig.extensions.gardener.cloud/local"] == "true"
			})},
			{"ADM-8 a profile has a label of its type", creating(func() *core.CloudProfile {
				return &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "trial"}, Spec: s.profile.Spec}
			}, func(profile *core.CloudProfile) bool {
				return profile.Labels["provider.extensions.gardener.cloud/local"] == "true"
			})},
		},
		"ControllerRegistrationResources": {
			{"ADM-3 a second primary registration", refused(tryCreate(func() *core.ControllerRegistration {
				return &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "trial"}, Spec: core.ControllerRegistrationSpec{
					Resources: []core.ControllerResource{{Kind: "Infrastructure", Type: "local"}},
				}}
			}), `"surroundings" is already primary`)},
		},
	}
}

func shootBehaviours(t *testing.T, s *stage) map[string][]behaviour {
	namespace := *s.p.Spec.Namespace
	preset := func(client string) settings.OpenIDConnectPresetSpec {
		return settings.OpenIDConnectPresetSpec{Weight: 1, ShootSelector: &metav1.LabelSelector{MatchLabels: map[string]string{client: "true"}},
			Server: settings.KubeAPIServerOpenIDConnect{ClientID: client, IssuerURL: "https://issuer.example.org"}}
	}
	create(t, &settings.OpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "one"}, Spec: preset("namespace")})
	create(t, &settings.ClusterOpenIDConnectPreset{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: settings.ClusterOpenIDConnectPresetSpec{OpenIDConnectPresetSpec: preset("cluster")}})
	hasClient := func(name string) func(*core.Shoot) bool {
		return func(shoot *core.Shoot) bool {
			server := shoot.Spec.Kubernetes.KubeAPIServer
			return server != nil && server.OIDCConfig != nil && ptr.Deref(server.OIDCConfig.ClientID, "") == name
		}
	}
	create(t, &core.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "inside"}, Handler: "inside", Scheduling: &core.ExposureClassScheduling{
		SeedSelector: &core.SeedSelector{LabelSelector: metav1.LabelSelector{MatchLabels: map[string]string{"network": "inside"}}},
	}})
	create(t, &core.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "q"}, Spec: core.QuotaSpec{
		Metrics: corev1.ResourceList{"cpu": resource.MustParse("3")}, Scope: corev1.ObjectReference{APIVersion: core.SchemeGroupVersion.String(), Kind: "Project"},
	}})
	binding(t, namespace, "limited", corev1.ObjectReference{Namespace: namespace, Name: "q"})
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "domain-", Namespace: "garden", Labels: map[string]string{"gardener.cloud/role": "default-domain"},
		Annotations: map[string]string{"dns.gardener.cloud/domain": "example.org", "dns.gardener.cloud/provider": "local"},
	}})
	dying, withoutDNS := project(t), seed(t, func(seed *core.Seed) {
		seed.Spec.Settings = &core.SeedSettings{ShootDNS: &core.SeedSettingShootDNS{Enabled: false}}
	})
	deleteHeld(t, dying)
	tainted := seed(t, func(seed *core.Seed) { seed.Spec.Taints = []core.SeedTaint{{Key: "a"}, {Key: "b"}} })
	tolerating := func(key string) func() *core.Shoot {
		return s.shootWith(func(spec *core.ShootSpec) { spec.Tolerations = []core.Toleration{{Key: key}} })
	}
	return map[string][]behaviour{
		"OpenIDConnectPreset":        {{"ADM-2 a preset of the namespace", creating(s.shoot(labelled("namespace")), hasClient("namespace"))}},
		"ClusterOpenIDConnectPreset": {{"ADM-2 a preset of the cluster", creating(s.shoot(labelled("cluster")), hasClient("cluster"))}},
		"ShootExposureClass": {{"ADM-6 the selector of the exposure class", creating(s.shootWith(func(spec *core.ShootSpec) { spec.ExposureClassName = ptr.To("inside") }), func(shoot *core.Shoot) bool {
			return shoot.Spec.SeedSelector != nil && shoot.Spec.SeedSelector.MatchLabels["network"] == "inside"
		})}},
		"ShootDNS": {
			{"ADM-18 a place below the default domain", creating(s.shoot(), func(shoot *core.Shoot) bool {
				return shoot.Spec.DNS != nil && ptr.Deref(shoot.Spec.DNS.Domain, "") == shoot.Name+"."+s.p.Name+".example.org"
			})},
			{"ADM-19 DNS on a seed that disables it", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) {
				spec.SeedName, spec.DNS = &withoutDNS.Name, &core.DNS{Domain: ptr.To("a.b.c")}
			})), withoutDNS.Name)},
		},
		"ShootQuotaValidator": {{"ADM-20 more processors than the quota has", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.SecretBindingName = ptr.To("limited") })), "cpu: 4 wanted")}},
		"ShootVPAEnabledByDefault": {{"ADM-21 the pod autoscaler is on", creating(s.shoot(), func(shoot *core.Shoot) bool {
			return ptr.Deref(shoot.Spec.Kubernetes.VerticalPodAutoscaler, core.VerticalPodAutoscaler{}).Enabled
		})}},
		"ShootNodeLocalDNSEnabledByDefault": {{"DNS on the nodes is on", creating(s.shoot(), func(shoot *core.Shoot) bool {
			return shoot.Spec.SystemComponents != nil && shoot.Spec.SystemComponents.NodeLocalDNS != nil && shoot.Spec.SystemComponents.NodeLocalDNS.Enabled
		})}},
		"ShootDNSRewriting": {{"names with common suffixes are rewritten", creating(s.shoot(), func(shoot *core.Shoot) bool {
			return shoot.Spec.SystemComponents != nil && shoot.Spec.SystemComponents.CoreDNS != nil && shoot.Spec.SystemComponents.CoreDNS.Rewriting != nil
		})}},
		"ShootTolerationRestriction": {
			{"ADM-22 TOL-4 a toleration that nobody permits", refused(tryCreate(tolerating("other")), "toleration other is not whitelisted")},
			{"ADM-22 TOL-5 protected seeds", refused(tryCreate(tolerating("seed.gardener.cloud/protected")), "toleration seed.gardener.cloud/protected is not whitelisted")},
			{"ADM-23 TOL-4 the default tolerations", creating(s.shoot(), func(shoot *core.Shoot) bool {
				return len(shoot.Spec.Tolerations) == 1 && shoot.Spec.Tolerations[0].Key == "everywhere"
			})},
		},
		"ShootValidator": {
			{"ADM-24 a version that the profile lacks", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.Kubernetes.Version = "1.34.0" })), "spec.kubernetes.version")},
			{"ADM-24 a machine type that the profile lacks", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.Provider.Workers[0].Machine.Type = "huge" })), "machine.type")},
			{"ADM-25 nodes in the network of the seed", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) {
				spec.SeedName, spec.Networking.Nodes = &s.base.Name, ptr.To("10.0.128.0/17")
			})), "spec.networking.nodes")},
			{"ADM-25 pods in the network of the tunnel", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.Networking.Pods = ptr.To("192.168.0.0/16") })), "network of the tunnel")},
			{"ADM-26 the newest image", creating(s.shoot(), func(shoot *core.Shoot) bool {
				image := shoot.Spec.Provider.Workers[0].Machine.Image
				return image != nil && ptr.Deref(image.Version, "") == "1.2.0"
			})},
			{"ADM-27 a project that is being deleted", refused(tryCreate(func() *core.Shoot { return newShoot(dying, s.profile) }), "is being deleted")},
			{"ADM-28 TOL-2 a seed with a taint", refused(tryCreate(s.shootWith(func(spec *core.ShootSpec) { spec.SeedName = &tainted.Name })), "does not tolerate the taints")},
		},
		"PlantValidator": {
			{"ADM-9 a plant tells its creator", creating(func() *core.Plant { return plantIn(s.p) }, func(plant *core.Plant) bool { return plant.Annotations["gardener.cloud/created-by"] == "admin" })},
			{"ADM-9 a project that is being deleted", refused(tryCreate(func() *core.Plant { return plantIn(dying) }), "is being deleted")},
		},
	}
}

func plantIn(p *core.Project) *core.Plant {
	return &core.Plant{ObjectMeta: metav1.ObjectMeta{Namespace: *p.Spec.Namespace, Name: "trial"}, Spec: core.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: "local"}}}
}

func seedBehaviours(t *testing.T, s *stage) map[string][]behaviour {
	template := func(region string) *core.SeedTemplate {
		return &core.SeedTemplate{Spec: core.SeedSpec{Provider: core.SeedProvider{Region: region},
			DNS: core.SeedDNS{Provider: &core.SeedDNSProvider{Type: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "dns"}}}}}
	}
	newManaged := func(name, shoot, region string) *seedmanagement.ManagedSeed {
		return &seedmanagement.ManagedSeed{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name},
			Spec: seedmanagement.ManagedSeedSpec{Shoot: &seedmanagement.Shoot{Name: shoot}, SeedTemplate: template(region)}}
	}
	fit := func(domain string) func(*core.Shoot) {
		return func(shoot *core.Shoot) {
			shoot.Spec.SeedName, shoot.Spec.DNS = &s.base.Name, &core.DNS{Domain: ptr.To(domain)}
			shoot.Spec.Networking.Nodes = ptr.To("10.55.0.0/16")
			shoot.Spec.Kubernetes.VerticalPodAutoscaler = &core.VerticalPodAutoscaler{Enabled: true}
			shoot.Spec.Provider.Workers[0].Zones = []string{"0"}
			shoot.Annotations = map[string]string{"confirmation.gardener.cloud/deletion": "true"}
		}
	}
	operators := gardenProject(t)
	becomes := create(t, newShoot(operators, s.profile, fit("becomes.example.net")))
	free := create(t, newShoot(operators, s.profile, fit("free.example.net")))
	managed := create(t, newManaged("managed", becomes.Name, ""))
	ofManaged := seed(t, func(seed *core.Seed) { seed.Name = "managed" })
	guest := create(t, newShoot(s.p, s.profile, func(shoot *core.Shoot) { shoot.Spec.SeedName = &ofManaged.Name }))
	return map[string][]behaviour{
		"SeedValidator": {{"ADM-17 a seed with shoots is deleted", refused(tryDelete(s.base), s.placed.Name)}},
		"ShootManagedSeed": {
			{"ADM-29 the shoot of a seed is deleted", refused(tryDelete(becomes), `managed seed "managed" refers to it`)},
			{"ADM-29 the shoot of a seed loses its pod autoscaler", refused(tryPatch(becomes, `{"spec":{"kubernetes":{"verticalPodAutoscaler":{"enabled":false}}}}`), "verticalPodAutoscaler")},
		},
		"ManagedSeed": {
			{"ADM-30 a region that is not the shoot's", refused(tryCreate(func() *seedmanagement.ManagedSeed { return newManaged("trial", free.Name, "moon") }), "spec.seedTemplate.spec.provider.region", "spec.seedTemplate.spec.provider.type")},
			{"ADM-30 a template is completed from the shoot", creating(func() *seedmanagement.ManagedSeed { return newManaged("trial", free.Name, "") }, func(m *seedmanagement.ManagedSeed) bool {
				spec := m.Spec.SeedTemplate.Spec
				return spec.Provider.Region == "local" && spec.Networks.Pods == *free.Spec.Networking.Pods && spec.Ingress != nil && spec.Ingress.Domain == "ingress.free.example.net"
			}, "spec.seedTemplate.spec.provider.type")},
		},
		"ManagedSeedShoot": {{"ADM-31 a seed with shoots is given up", refused(tryDelete(managed), guest.Name)}},
		"Bastion": {{"BST-3 a bastion is completed from its shoot", creating(func() *operations.Bastion { return bastionFor(s.placed) }, func(b *operations.Bastion) bool {
			return ptr.Deref(b.Spec.SeedName, "") == s.base.Name && b.Annotations["gardener.cloud/created-by"] == "admin" && metav1.IsControlledBy(b, s.placed)
		})}},
	}
}

func projectBehaviours(t *testing.T, s *stage) map[string][]behaviour {
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "plugins-patch"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{core.GroupName}, Resources: []string{"projects"}, Verbs: []string{"get", "patch"}}}})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "plugins-patch"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "plugins-patch"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "plugins-patch"}},
	})
	byMember := func(patch string) func(*testing.T, server) error {
		return func(t *testing.T, c server) error { return trial(t, c.as(t, "plugins-patch"), s.p, patch) }
	}
	state := create(t, &core.ShootState{ObjectMeta: metav1.ObjectMeta{Namespace: *s.p.Spec.Namespace, Name: s.placed.Name}})
	const confirmation = "confirmation.gardener.cloud/deletion"
	careful := project(t)
	merge(t, careful, `{"spec":{"dualApprovalForDeletion":[{"resource":"shoots","selector":{}}]}}`)
	settle()
	precious := create(t, newShoot(careful, s.profile))
	t.Cleanup(func() { // one administrator cleans up
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"dualApprovalForDeletion":null}}`))
		if err := admin(t).Patch(context.WithoutCancel(t.Context()), careful, patch); err != nil {
			t.Error(err)
		}
		settle()
	})
	merge(t, precious, `{"metadata":{"annotations":{"`+confirmation+`":"true"}}}`)
	return map[string][]behaviour{
		"CustomVerbAuthorizer": {
			{"ADM-4 TOL-4 the whitelist of tolerations", refused(byMember(`{"spec":{"tolerations":{"whitelist":[{"key":"a"}]}}}`), "modify-spec-tolerations-whitelist")},
			{"ADM-4 members", refused(byMember(`{"spec":{"members":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"joe","role":"admin"}]}}`), "manage-members")},
		},
		"ProjectValidator": {{"ADM-10 a project in a foreign namespace", refused(tryCreate(func() *core.Project {
			return &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "trial"}, Spec: core.ProjectSpec{Namespace: ptr.To("foo")}}
		}), "must begin with garden-")}},
		"DeletionConfirmation": {
			{"ADM-5 a shoot", refused(tryDelete(s.placed), confirmation)},
			{"ADM-5 a project", refused(tryDelete(s.p), confirmation)},
			{"ADM-5 a shoot for which two people are needed", refused(tryDelete(precious), `"admin" has confirmed`)},
			{"ADM-5 a shoot state", refused(tryDelete(state), confirmation)},
		},
	}
}
