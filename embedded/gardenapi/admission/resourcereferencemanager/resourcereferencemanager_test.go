package resourcereferencemanager

import (
	"context"
	"errors"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

var mayRead = admissiontest.Allow{"get secrets", "get configmaps", "get quotas", "get internalsecrets", "get workloadidentities"}

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

func plugin(objects initializer.Objects, allowed admissiontest.Allow) *Plugin {
	p := New()
	p.SetObjects(objects)
	p.SetAuthorizer(allowed)
	p.SetExternalKubeClientSet(fake.NewSimpleClientset(
		&corev1.Secret{ObjectMeta: meta("garden-p", "s")}, &corev1.ConfigMap{ObjectMeta: meta("garden-p", "c")}, &corev1.Secret{ObjectMeta: meta("garden", "s")}))
	return p
}

// check is a request and how it ends.
type check struct {
	objects initializer.Objects
	allowed admissiontest.Allow
	request admission.Attributes
	refused string
}

func run(t *testing.T, checks map[string]check) {
	for name, tc := range checks {
		t.Run(name, func(t *testing.T) {
			if tc.objects == nil {
				tc.objects = admissiontest.Objects{}
			}
			admissiontest.WantError(t, admissiontest.Admit(plugin(tc.objects, tc.allowed), tc.request), tc.refused)
		})
	}
}

func TestAuthors(t *testing.T) {
	t.Run("ADM-16 a shoot tells who created it", func(t *testing.T) {
		s := &core.Shoot{ObjectMeta: meta("garden-p", "s")}
		admissiontest.WantError(t, admissiontest.Admit(plugin(admissiontest.Objects{}, nil), admissiontest.Create(s)), "")
		if got := s.Annotations["gardener.cloud/created-by"]; got != admissiontest.User {
			t.Errorf("creator is %q", got)
		}
	})
	t.Run("an update does not change that", func(t *testing.T) {
		s := &core.Shoot{ObjectMeta: meta("garden-p", "s")}
		admissiontest.WantError(t, admissiontest.Admit(plugin(admissiontest.Objects{}, nil), admissiontest.Update(s, s.DeepCopy())), "")
		if len(s.Annotations) > 0 {
			t.Errorf("annotations are %v", s.Annotations)
		}
	})
	joe := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: "joe"}
	for name, tc := range map[string]struct {
		spec  core.ProjectSpec
		owner string
	}{
		"ADM-14 who creates a project owns it":        {core.ProjectSpec{}, admissiontest.User},
		"ADM-14 unless it says who does":              {core.ProjectSpec{Owner: &joe}, "joe"},
		"ADM-14 or a member has the role":             {core.ProjectSpec{Members: []core.ProjectMember{{Subject: joe, Role: "owner"}}}, "joe"},
		"a member with another role is not the owner": {core.ProjectSpec{Members: []core.ProjectMember{{Subject: joe, Role: "admin"}}}, admissiontest.User},
	} {
		t.Run(name, func(t *testing.T) {
			p := &core.Project{ObjectMeta: meta("", "p"), Spec: tc.spec}
			admissiontest.WantError(t, admissiontest.Admit(plugin(admissiontest.Objects{}, nil), admissiontest.Create(p)), "")
			if p.Spec.CreatedBy.Name != admissiontest.User || p.Spec.Owner.Name != tc.owner {
				t.Errorf("created by %v, owned by %v", p.Spec.CreatedBy, p.Spec.Owner)
			}
		})
	}
}

func TestBindings(t *testing.T) {
	quota := []corev1.ObjectReference{{Namespace: "garden-q", Name: "q"}}
	binding := func(secret string, quotas []corev1.ObjectReference) *core.SecretBinding {
		return &core.SecretBinding{ObjectMeta: meta("garden-p", "b"), SecretRef: corev1.SecretReference{Namespace: "garden-p", Name: secret}, Quotas: quotas}
	}
	credentials := func(apiVersion, kind, name string) *security.CredentialsBinding {
		return &security.CredentialsBinding{ObjectMeta: meta("garden-p", "b"), CredentialsRef: corev1.ObjectReference{APIVersion: apiVersion, Kind: kind, Namespace: "garden-p", Name: name}, Quotas: quota}
	}
	there := admissiontest.Objects{&core.Quota{ObjectMeta: meta("garden-q", "q")}, &core.InternalSecret{ObjectMeta: meta("garden-p", "i")}, &security.WorkloadIdentity{ObjectMeta: meta("garden-p", "w")}}
	run(t, map[string]check{
		"ADM-12 a secret that does not exist":             {there, mayRead, admissiontest.Create(binding("none", nil)), "secretRef: Not found: \"garden-p/none\""},
		"ADM-12 a secret that the requester cannot read":  {there, nil, admissiontest.Create(binding("s", nil)), `secretRef: Forbidden: user "jane" may not read secrets garden-p/s`},
		"a secret that exists and can be read":            {there, mayRead, admissiontest.Create(binding("s", quota)), ""},
		"ADM-12 a quota that does not exist":              {nil, mayRead, admissiontest.Create(binding("s", quota)), "quotas[0]: Not found"},
		"ADM-12 a quota that the requester cannot read":   {there, admissiontest.Allow{"get secrets"}, admissiontest.Create(binding("s", quota)), "quotas[0]: Forbidden"},
		"what a binding refers to is not looked at again": {nil, nil, admissiontest.Update(binding("none", quota), binding("none", quota)), ""},
		"the newer form with a secret":                    {there, mayRead, admissiontest.Create(credentials("v1", "Secret", "s")), ""},
		"the newer form with an internal secret":          {there, mayRead, admissiontest.Create(credentials("core.gardener.cloud/v1beta1", "InternalSecret", "i")), ""},
		"the newer form with an identity":                 {there, mayRead, admissiontest.Create(credentials("security.gardener.cloud/v1alpha1", "WorkloadIdentity", "w")), ""},
		"ADM-12 the newer form with nothing":              {there, mayRead, admissiontest.Create(credentials("security.gardener.cloud/v1alpha1", "WorkloadIdentity", "none")), "credentialsRef: Not found"},
		"an existing one of the newer form":               {nil, nil, admissiontest.Update(credentials("v1", "Secret", "none"), credentials("v1", "Secret", "none")), ""},
		"a failed look-up is an internal error":           {admissiontest.Broken{Err: errors.New("boom")}, mayRead, admissiontest.Create(binding("s", quota)), "Internal error"},
	})
	t.Run("a failed look-up in the garden is one, too", func(t *testing.T) {
		garden := fake.NewSimpleClientset()
		garden.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("boom") })
		p := plugin(there, mayRead)
		p.SetExternalKubeClientSet(garden)
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(binding("s", nil))), "Internal error")
	})
}

func TestShoot(t *testing.T) {
	shoot := func(change func(*core.ShootSpec)) *core.Shoot {
		s := &core.Shoot{ObjectMeta: meta("garden-p", "s")}
		change(&s.Spec)
		return s
	}
	nothing := shoot(func(*core.ShootSpec) {})
	resource := func(apiVersion, kind, name string) func(*core.ShootSpec) {
		return func(s *core.ShootSpec) {
			s.Resources = []core.NamedResourceReference{{Name: "r", ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: apiVersion, Kind: kind, Name: name}}}
		}
	}
	server := func(change func(*core.KubeAPIServerConfig)) func(*core.ShootSpec) {
		return func(s *core.ShootSpec) {
			s.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{}
			change(s.Kubernetes.KubeAPIServer)
		}
	}
	const path = "spec.kubernetes.kubeAPIServer."
	missing := map[string]func(*core.ShootSpec){
		"spec.secretBindingName":      func(s *core.ShootSpec) { s.SecretBindingName = ptr.To("none") },
		"spec.credentialsBindingName": func(s *core.ShootSpec) { s.CredentialsBindingName = ptr.To("none") },
		"spec.dns.providers[0].secretName": func(s *core.ShootSpec) {
			s.DNS = &core.DNS{Providers: []core.DNSProvider{{SecretName: ptr.To("none")}}}
		},
		"spec.dns.providers[0].credentialsRef": func(s *core.ShootSpec) {
			s.DNS = &core.DNS{Providers: []core.DNSProvider{{CredentialsRef: &autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: "none"}}}}
		},
		"spec.resources[0].resourceRef.name": resource("v1", "ConfigMap", "none"),
		path + "auditConfig.auditPolicy.configMapRef.name": server(func(c *core.KubeAPIServerConfig) {
			c.AuditConfig = &core.AuditConfig{AuditPolicy: &core.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "none"}}}
		}),
		path + "admissionPlugins[0].kubeconfigSecretName": server(func(c *core.KubeAPIServerConfig) {
			c.AdmissionPlugins = []core.AdmissionPlugin{{KubeconfigSecretName: ptr.To("none")}}
		}),
		path + "structuredAuthentication.configMapName": server(func(c *core.KubeAPIServerConfig) {
			c.StructuredAuthentication = &core.StructuredAuthentication{ConfigMapName: "none"}
		}),
		path + "structuredAuthorization.configMapName": server(func(c *core.KubeAPIServerConfig) {
			c.StructuredAuthorization = &core.StructuredAuthorization{ConfigMapName: "none"}
		}),
		path + "structuredAuthorization.kubeconfigs[0].secretName": server(func(c *core.KubeAPIServerConfig) {
			c.StructuredAuthorization = &core.StructuredAuthorization{ConfigMapName: "c", Kubeconfigs: []core.AuthorizerKubeconfigReference{{SecretName: "none"}}}
		}),
	}
	for field, change := range missing {
		run(t, map[string]check{
			"ADM-12 " + field + " must exist":             {nil, mayRead, admissiontest.Create(shoot(change)), field + ": Not found"},
			"ADM-12 also later: " + field:                 {nil, mayRead, admissiontest.Update(shoot(change), nothing), field + ": Not found"},
			"what it refers to already, it may: " + field: {nil, nil, admissiontest.Update(shoot(change), shoot(change)), ""},
		})
	}
	deleting := shoot(missing["spec.secretBindingName"])
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	run(t, map[string]check{
		"a binding that exists":                     {admissiontest.Objects{&core.SecretBinding{ObjectMeta: meta("garden-p", "b")}}, nil, admissiontest.Create(shoot(func(s *core.ShootSpec) { s.SecretBindingName = ptr.To("b") })), ""},
		"a binding of another namespace":            {admissiontest.Objects{&core.SecretBinding{ObjectMeta: meta("garden-q", "b")}}, nil, admissiontest.Create(shoot(func(s *core.ShootSpec) { s.SecretBindingName = ptr.To("b") })), "Not found"},
		"a binding of the newer form":               {admissiontest.Objects{&security.CredentialsBinding{ObjectMeta: meta("garden-p", "b")}}, nil, admissiontest.Create(shoot(func(s *core.ShootSpec) { s.CredentialsBindingName = ptr.To("b") })), ""},
		"ADM-12 contents the requester cannot read": {nil, nil, admissiontest.Create(shoot(resource("v1", "Secret", "s"))), `may not read secrets garden-p/s`},
		"contents the requester can read":           {nil, mayRead, admissiontest.Create(shoot(resource("v1", "Secret", "s"))), ""},
		"kinds that nobody here knows":              {nil, nil, admissiontest.Create(shoot(resource("a/v1", "B", "none"))), ""},
		"a shoot that is being deleted":             {nil, nil, admissiontest.Update(deleting, nothing), ""},
		"a subresource":                             {nil, nil, admissiontest.UpdateSub(shoot(missing["spec.secretBindingName"]), nothing, "status"), ""},
		"a failed look-up is an internal error":     {admissiontest.Broken{Err: errors.New("boom")}, nil, admissiontest.Create(shoot(missing["spec.secretBindingName"])), "Internal error"},
	})
}

func TestSeed(t *testing.T) {
	seed := func(change func(*core.SeedSpec)) *core.Seed {
		s := &core.Seed{ObjectMeta: meta("", "s")}
		change(&s.Spec)
		return s
	}
	none := corev1.SecretReference{Namespace: "garden", Name: "none"}
	ref := corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "garden", Name: "none"}
	for field, change := range map[string]func(*core.SeedSpec){
		"spec.secretRef":                      func(s *core.SeedSpec) { s.SecretRef = &none },
		"spec.backup.secretRef":               func(s *core.SeedSpec) { s.Backup = &core.Backup{SecretRef: none} },
		"spec.backup.credentialsRef":          func(s *core.SeedSpec) { s.Backup = &core.Backup{CredentialsRef: &ref} },
		"spec.dns.provider.secretRef":         func(s *core.SeedSpec) { s.DNS.Provider = &core.SeedDNSProvider{SecretRef: none} },
		"spec.dns.provider.credentialsRef":    func(s *core.SeedSpec) { s.DNS.Provider = &core.SeedDNSProvider{CredentialsRef: &ref} },
		"spec.dns.internal.credentialsRef":    func(s *core.SeedSpec) { s.DNS.Internal = &core.SeedDNSProviderConfig{CredentialsRef: ref} },
		"spec.dns.defaults[0].credentialsRef": func(s *core.SeedSpec) { s.DNS.Defaults = []core.SeedDNSProviderConfig{{CredentialsRef: ref}} },
	} {
		run(t, map[string]check{
			"ADM-12 " + field + " must exist": {nil, nil, admissiontest.Create(seed(change)), field + ": Not found"},
			"an existing seed keeps " + field: {nil, nil, admissiontest.Update(seed(change), seed(change)), ""},
		})
	}
	dns := func(enabled bool) *core.Seed {
		return seed(func(s *core.SeedSpec) {
			s.Settings = &core.SeedSettings{ShootDNS: &core.SeedSettingShootDNS{Enabled: enabled}}
		})
	}
	shoot := &core.Shoot{ObjectMeta: meta("garden-p", "a"), Spec: core.ShootSpec{SeedName: ptr.To("s")}}
	deleting := dns(false)
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	run(t, map[string]check{
		"a secret that exists": {nil, nil, admissiontest.Create(seed(func(s *core.SeedSpec) { s.SecretRef = &corev1.SecretReference{Namespace: "garden", Name: "s"} })), ""},
		"ADM-15 DNS of shoots stays on as long as there are any":  {admissiontest.Objects{shoot}, nil, admissiontest.Update(dns(false), seed(func(*core.SeedSpec) {})), "such as garden-p/a"},
		"ADM-15 DNS of shoots stays off as long as there are any": {admissiontest.Objects{shoot}, nil, admissiontest.Update(dns(true), dns(false)), "spec.settings.shootDNS.enabled"},
		"saying what is so anyway":                                {admissiontest.Objects{shoot}, nil, admissiontest.Update(dns(true), seed(func(*core.SeedSpec) {})), ""},
		"without shoots it may change":                            {nil, nil, admissiontest.Update(dns(false), dns(true)), ""},
		"a seed that is being deleted":                            {admissiontest.Objects{shoot}, nil, admissiontest.Update(deleting, dns(true)), ""},
		"a failed look-up of shoots is an internal error":         {admissiontest.Broken{Err: errors.New("boom")}, nil, admissiontest.Update(dns(false), dns(true)), "Internal error"},
	})
}

// brokenLists fails to list one kind.
type brokenLists struct {
	admissiontest.Objects
	resource string
}

func (b brokenLists) Each(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	if resource.Resource == b.resource {
		return errors.New("boom")
	}
	return b.Objects.Each(ctx, resource, namespace, visit)
}

func TestProfile(t *testing.T) {
	profile := func(versions []string, images ...string) *core.CloudProfile {
		p := &core.CloudProfile{ObjectMeta: meta("", "c")}
		for _, v := range versions {
			p.Spec.Kubernetes.Versions = append(p.Spec.Kubernetes.Versions, core.ExpirableVersion{Version: v})
		}
		image := core.MachineImage{Name: "linux"}
		for _, v := range images {
			image.Versions = append(image.Versions, core.MachineImageVersion{ExpirableVersion: core.ExpirableVersion{Version: v}})
		}
		p.Spec.MachineImages = []core.MachineImage{image}
		return p
	}
	shoot := func(kind, name string) *core.Shoot {
		s := &core.Shoot{ObjectMeta: meta("garden-p", "s"), Spec: core.ShootSpec{CloudProfile: &core.CloudProfileReference{Kind: kind, Name: name}}}
		s.Spec.Kubernetes.Version = "1.36.3"
		s.Spec.Provider.Workers = []core.Worker{{
			Machine:    core.Machine{Image: &core.ShootMachineImage{Name: "linux", Version: ptr.To("1.0.0")}},
			Kubernetes: &core.WorkerKubernetes{Version: ptr.To("1.35.1")},
		}}
		return s
	}
	child := &core.NamespacedCloudProfile{ObjectMeta: meta("garden-p", "n"), Spec: core.NamespacedCloudProfileSpec{Parent: core.CloudProfileReference{Kind: "CloudProfile", Name: "c"}}}
	all := profile([]string{"1.36.3", "1.35.1", "1.34.0"}, "1.0.0", "2.0.0")
	less := func(versions []string, images ...string) admission.Attributes {
		return admissiontest.Update(profile(versions, images...), all)
	}
	none := &core.Shoot{ObjectMeta: meta("garden-p", "x")}
	regional := func(regions ...string) *core.CloudProfile {
		p := all.DeepCopy()
		for _, r := range regions {
			p.Spec.Regions = append(p.Spec.Regions, core.Region{Name: r})
		}
		return p
	}
	inRegion := shoot("CloudProfile", "c")
	inRegion.Spec.Region = "one"
	prolonging := func(end time.Time, change func(*core.NamespacedCloudProfileSpec, core.ExpirableVersion)) *core.NamespacedCloudProfile {
		p := child.DeepCopy()
		change(&p.Spec, core.ExpirableVersion{ExpirationDate: ptr.To(metav1.NewTime(end))})
		return p
	}
	version := func(spec *core.NamespacedCloudProfileSpec, v core.ExpirableVersion) {
		v.Version = "1.34.0"
		spec.Kubernetes = &core.KubernetesSettings{Versions: []core.ExpirableVersion{v}}
	}
	ofImage := func(spec *core.NamespacedCloudProfileSpec, v core.ExpirableVersion) {
		v.Version = "2.0.0"
		spec.MachineImages = []core.MachineImage{{Name: "linux", Versions: []core.MachineImageVersion{{ExpirableVersion: v}}}}
	}
	past, future := time.Unix(0, 0), time.Now().Add(time.Hour)
	owning := func(name, version string) *core.NamespacedCloudProfile {
		p := child.DeepCopy()
		p.Spec.MachineImages = []core.MachineImage{{Name: name, Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: version}}}}}
		return p
	}
	run(t, map[string]check{
		"a region that a shoot is in":                            {admissiontest.Objects{inRegion}, nil, admissiontest.Update(regional("two"), regional("one", "two")), "region one must not be removed: shoot garden-p/s uses it"},
		"a region without shoots":                                {admissiontest.Objects{inRegion}, nil, admissiontest.Update(regional("one"), regional("one", "two")), ""},
		"VER-8 a version that a child lets live longer":          {admissiontest.Objects{prolonging(future, version)}, nil, less([]string{"1.36.3", "1.35.1"}, "1.0.0", "2.0.0"), "version 1.34.0 must not be removed: profile garden-p/n uses it"},
		"a version that a child has let live":                    {admissiontest.Objects{prolonging(past, version)}, nil, less([]string{"1.36.3", "1.35.1"}, "1.0.0", "2.0.0"), ""},
		"an image that a child lets live longer":                 {admissiontest.Objects{prolonging(future, ofImage)}, nil, less([]string{"1.36.3", "1.35.1", "1.34.0"}, "1.0.0"), "image linux version 2.0.0 must not be removed: profile garden-p/n uses it"},
		"an image of a project that a shoot has":                 {admissiontest.Objects{all, shoot("NamespacedCloudProfile", "n")}, nil, admissiontest.Update(child, owning("linux", "1.0.0")), ""},
		"an image that only the profile of a project offers":     {admissiontest.Objects{profile(nil), shoot("NamespacedCloudProfile", "n")}, nil, admissiontest.Update(child, owning("linux", "1.0.0")), "image linux version 1.0.0 must not be removed: shoot garden-p/s uses it"},
		"an image of a project that only others have":            {admissiontest.Objects{profile(nil), shoot("CloudProfile", "n")}, nil, admissiontest.Update(child, owning("linux", "1.0.0")), ""},
		"an image of a project whose parent cannot be looked up": {admissiontest.Broken{Err: errors.New("boom")}, nil, admissiontest.Update(child, owning("linux", "1.0.0")), "Internal error"},
	})
	run(t, map[string]check{
		"ADM-13 a version that a shoot has":                {admissiontest.Objects{shoot("CloudProfile", "c"), none}, nil, less([]string{"1.35.1"}, "1.0.0"), "version 1.36.3 must not be removed: shoot garden-p/s uses it"},
		"ADM-13 a version that a pool has":                 {admissiontest.Objects{shoot("CloudProfile", "c")}, nil, less([]string{"1.36.3"}, "1.0.0"), "version 1.35.1 must not be removed"},
		"ADM-13 an image that a pool has":                  {admissiontest.Objects{shoot("CloudProfile", "c")}, nil, less([]string{"1.36.3", "1.35.1"}, "2.0.0"), "image linux version 1.0.0 must not be removed"},
		"ADM-13 what shoots of a child have":               {admissiontest.Objects{shoot("NamespacedCloudProfile", "n"), child}, nil, less([]string{"1.35.1"}, "1.0.0"), "version 1.36.3"},
		"what nobody has may go":                           {admissiontest.Objects{shoot("CloudProfile", "c")}, nil, less([]string{"1.36.3", "1.35.1"}, "1.0.0"), ""},
		"what shoots of another profile have may go":       {admissiontest.Objects{shoot("CloudProfile", "d")}, nil, less([]string{"1.35.1"}, "2.0.0"), ""},
		"a further version":                                {admissiontest.Broken{Err: errors.New("boom")}, nil, admissiontest.Update(all, profile([]string{"1.36.3"}, "1.0.0")), ""},
		"a new profile":                                    {nil, nil, admissiontest.Create(all), ""},
		"a failed list of shoots is an internal error":     {brokenLists{nil, "shoots"}, nil, less(nil), "Internal error"},
		"a failed list of children, too":                   {brokenLists{nil, "namespacedcloudprofiles"}, nil, less(nil), "Internal error"},
		"ADM-12 a profile of a project without its parent": {nil, nil, admissiontest.Create(child), "spec.parent.name: Not found"},
		"a profile of a project with its parent":           {admissiontest.Objects{all}, nil, admissiontest.Create(child), ""},
		"an existing profile of a project":                 {nil, nil, admissiontest.Update(child, child), ""},
	})
}

func TestOthers(t *testing.T) {
	bucket := &core.BackupBucket{ObjectMeta: meta("", "b")}
	entry := &core.BackupEntry{ObjectMeta: meta("garden-p", "e"), Spec: core.BackupEntrySpec{BucketName: "b"}}
	registration := &core.ControllerRegistration{ObjectMeta: meta("", "r"), Spec: core.ControllerRegistrationSpec{
		Deployment: &core.ControllerRegistrationDeployment{DeploymentRefs: []core.DeploymentRef{{Name: "d"}}},
	}}
	inline := registration.DeepCopy()
	inline.Spec.Deployment.Type = ptr.To("helm")
	run(t, map[string]check{
		"a bucket with entries is kept":          {admissiontest.Objects{entry}, nil, admissiontest.Delete(bucket), "backup entry garden-p/e is in it"},
		"an empty bucket may go":                 {nil, nil, admissiontest.Delete(bucket), ""},
		"other kinds may go":                     {nil, nil, admissiontest.Delete(entry), ""},
		"a failed look-up is an internal error":  {admissiontest.Broken{Err: errors.New("boom")}, nil, admissiontest.Delete(bucket), "Internal error"},
		"ADM-12 a deployment must exist":         {nil, nil, admissiontest.Create(registration), "spec.deployment.deploymentRefs[0].name: Not found"},
		"a deployment that exists":               {admissiontest.Objects{&core.ControllerDeployment{ObjectMeta: meta("", "d")}}, nil, admissiontest.Create(registration), ""},
		"a deployment that the server will make": {nil, nil, admissiontest.Create(inline), ""},
		"an existing registration":               {nil, nil, admissiontest.Update(registration, registration), ""},
	})
	t.Run("it needs a client and an authorizer", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(New(), admissiontest.Create(bucket)), "no client")
	})
}
