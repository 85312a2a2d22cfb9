package shootvalidator

import (
	"context"
	"errors"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
)

type change = func(*core.Shoot)

// shoot is one that world() has nothing against.
func shoot(changes ...change) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}, Spec: core.ShootSpec{
		CloudProfileName: ptr.To("c"), Region: "r", SecretBindingName: ptr.To("b"),
		Kubernetes: core.Kubernetes{Version: "1.36.3"},
		Networking: &core.Networking{Pods: ptr.To("100.96.0.0/11"), Services: ptr.To("100.64.0.0/13"), Nodes: ptr.To("10.10.0.0/16")},
		Provider:   core.Provider{Type: "local", Workers: []core.Worker{{Name: "w", Machine: core.Machine{Type: "m", Image: &core.ShootMachineImage{Name: "i", Version: ptr.To("1.0.0")}}}}},
	}}
	for _, f := range changes {
		f(s)
	}
	return s
}

func seed(change ...func(*core.Seed)) *core.Seed {
	s := &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: "seed"}, Spec: core.SeedSpec{
		Networks: core.SeedNetworks{Nodes: ptr.To("127.0.0.0/24"), Pods: "127.64.0.0/16", Services: "127.96.0.0/16"},
	}}
	for _, f := range change {
		f(s)
	}
	return s
}

func on(name string) change { return func(s *core.Shoot) { s.Spec.SeedName = &name } }

func world(more ...runtime.Object) admissiontest.Objects {
	return append(admissiontest.Objects{
		&core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}},
		&core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "b"}, Provider: &core.SecretBindingProvider{Type: "x,local"}},
		&core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: core.CloudProfileSpec{
			Type: "local", Regions: []core.Region{{Name: "r"}}, MachineTypes: []core.MachineType{{Name: "m"}},
			Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{{Version: "1.36.3"}}},
			MachineImages: []core.MachineImage{{Name: "i", Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0"}}}}},
		}},
	}, more...)
}

func plugin(objects initializer.Objects) *Plugin {
	p := New(clocktesting.NewFakePassiveClock(now))
	p.SetObjects(objects)
	p.SetAuthorizer(admissiontest.Allow{"update shoots/binding"})
	p.SetExternalKubeClientSet(fake.NewSimpleClientset(
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "k"}, Data: map[string][]byte{"kubeconfig": []byte("x")}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "empty"}}))
	p.SetDomains(func(context.Context) ([]gardendomains.Domain, error) {
		return []gardendomains.Domain{{Name: "example.org"}}, nil
	})
	p.SetReservedDomains(func(context.Context) ([]gardendomains.Domain, error) {
		return []gardendomains.Domain{{Name: "internal.example.net"}, {Name: "garden.example.net"}}, nil
	})
	return p
}

type request struct {
	objects initializer.Objects
	request admission.Attributes
	refused string
}

func run(t *testing.T, requests map[string]request) {
	t.Helper()
	for name, tc := range requests {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(plugin(tc.objects), tc.request), tc.refused)
		})
	}
}

func update(to *core.Shoot, from *core.Shoot) admission.Attributes {
	return admissiontest.Update(to, from)
}

func TestSurroundings(t *testing.T) {
	deletingProject := world()
	deletingProject[0].(*core.Project).DeletionTimestamp = ptr.To(metav1.Now())
	wrong := &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "wrong"}, Provider: &core.SecretBindingProvider{Type: "aws"}}
	silent := &core.SecretBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "silent"}}
	newForm := &security.CredentialsBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "new"}, Provider: security.CredentialsBindingProvider{Type: "aws"}}
	bindingTo := func(name string) change { return func(s *core.Shoot) { s.Spec.SecretBindingName = &name } }
	named := func(name, prefix string) change { return func(s *core.Shoot) { s.Name, s.GenerateName = name, prefix } }
	child := &core.NamespacedCloudProfile{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "n"}}
	run(t, map[string]request{
		"a shoot that is fine":                   {world(), admissiontest.Create(shoot()), ""},
		"ADM-27 a project that is being deleted": {deletingProject, admissiontest.Create(shoot()), `project "p" is being deleted`},
		"a namespace without project":            {world()[1:], admissiontest.Create(shoot()), "is not the namespace of a project"},
		"a name that is too long":                {world(), admissiontest.Create(shoot(named("a23456789012345678901", ""))), "at most 21 characters"},
		"a prefix that is too long":              {world(), admissiontest.Create(shoot(named("", "a234567890123456"))), "at most 16 characters"},
		"a prefix":                               {world(), admissiontest.Create(shoot(named("", "a-"))), ""},
		"ADM-24 no profile":                      {world(), admissiontest.Create(shoot(func(s *core.Shoot) { s.Spec.CloudProfileName = nil })), "spec.cloudProfile.name: Required"},
		"ADM-24 a profile that does not exist":   {world(), admissiontest.Create(shoot(func(s *core.Shoot) { s.Spec.CloudProfileName = ptr.To("x") })), "spec.cloudProfile.name: Not found"},
		"ADM-24 a profile of the project": {world(child), admissiontest.Create(shoot(func(s *core.Shoot) {
			s.Spec.CloudProfile = &core.CloudProfileReference{Kind: "NamespacedCloudProfile", Name: "n"}
		})), "spec.provider.type"},
		"ADM-24 credentials for another provider":                {world(wrong), admissiontest.Create(shoot(bindingTo("wrong"))), "is for providers [aws]"},
		"ADM-24 the newer form, too":                             {world(newForm), admissiontest.Create(shoot(func(s *core.Shoot) { s.Spec.CredentialsBindingName = ptr.To("new") })), "spec.credentialsBindingName"},
		"credentials that say nothing about providers":           {world(silent), admissiontest.Create(shoot(bindingTo("silent"))), ""},
		"credentials that do not exist are for others to refuse": {world(), admissiontest.Create(shoot(bindingTo("x"))), ""},
		"what an existing shoot has stays allowed":               {world(wrong), update(shoot(bindingTo("wrong"), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(bindingTo("wrong"))), ""},
		"a failed look-up is an internal error":                  {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.Create(shoot()), "Internal error"},
		"other kinds":                                            {world(), admissiontest.Create(seed()), ""},
		"other subresources":                                     {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.UpdateSub(shoot(on("x")), shoot(), "status"), ""},
		"a change of status and the like":                        {admissiontest.Broken{Err: errors.New("boom")}, update(shoot(), shoot()), ""},
	})
	t.Run("ADM-27 choosing a seed needs a permission", func(t *testing.T) {
		p := plugin(world(seed()))
		p.SetAuthorizer(admissiontest.Allow{})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(shoot(on("seed")))), "may not update shoots/binding")
	})
	t.Run("MIG-15 ordering that a seed takes a shoot needs it, too", func(t *testing.T) {
		p := plugin(world(seed()))
		p.SetAuthorizer(admissiontest.Allow{})
		ordered := shoot(func(s *core.Shoot) { s.Annotations = map[string]string{"shoot.gardener.cloud/force-restore": "true"} })
		for _, request := range []admission.Attributes{admissiontest.Create(ordered), update(ordered, shoot())} {
			admissiontest.WantError(t, admissiontest.Admit(p, request), "force-restore")
			admissiontest.WantError(t, admissiontest.Admit(p, request), "may not update shoots/binding")
		}
		for _, request := range []admission.Attributes{update(shoot(), ordered), update(ordered, ordered)} {
			admissiontest.WantError(t, admissiontest.Admit(p, request), "")
		}
	})
	t.Run("it needs to be set up", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(New(nil), admissiontest.Create(shoot())), "no authorizer")
	})
}

func TestSeed(t *testing.T) {
	held := func(s *core.Shoot) { s.Status.SeedName = ptr.To("seed") }
	tainted := seed(func(s *core.Seed) { s.Spec.Taints = []core.SeedTaint{{Key: "a"}, {Key: "b"}} })
	tolerating := func(keys ...string) change {
		return func(s *core.Shoot) {
			for _, key := range keys {
				s.Spec.Tolerations = append(s.Spec.Tolerations, core.Toleration{Key: key})
			}
		}
	}
	deleting := seed(func(s *core.Seed) { s.DeletionTimestamp = ptr.To(metav1.Now()) })
	noted := func(shares string) func(*core.Seed) {
		return func(s *core.Seed) {
			s.Annotations = map[string]string{"landscape.gardener.cloud/shares-backups": shares}
		}
	}
	shares, lacks := noted("true"), noted("false")
	keeps := func(provider string, changes ...func(*core.Seed)) *core.Seed {
		return seed(append(changes, func(s *core.Seed) { s.Spec.Backup = &core.Backup{Provider: provider} })...)
	}
	withBackup := func(s *core.Seed) { s.Spec.Backup = &core.Backup{Provider: "local"}; shares(s) }
	backed, foreign := seed(withBackup), seed(withBackup, func(s *core.Seed) { s.Spec.Provider.Type = "foreign" })
	other := func(s *core.Seed) *core.Seed {
		s = s.DeepCopy()
		s.Name = "other"
		return s
	}
	zoned := seed(func(s *core.Seed) { s.Spec.Provider.Zones = []string{"a", "b", "c"} })
	zonal := func(s *core.Shoot) {
		s.Spec.ControlPlane = &core.ControlPlane{HighAvailability: &core.HighAvailability{FailureTolerance: core.FailureTolerance{Type: core.FailureToleranceTypeZone}}}
	}
	annotated := func(key, value string) change {
		return func(s *core.Shoot) { s.Annotations = map[string]string{key: value} }
	}
	purposeful := func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }
	gone := func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) }
	run(t, map[string]request{
		"ADM-28 TOL-2 all taints have to be tolerated":           {world(tainted), admissiontest.Create(shoot(on("seed"), tolerating("a"))), "does not tolerate the taints"},
		"ADM-28 TOL-2 all are":                                   {world(tainted), admissiontest.Create(shoot(on("seed"), tolerating("a", "b"))), ""},
		"ADM-28 binding, too":                                    {world(tainted), admissiontest.UpdateSub(shoot(on("seed")), shoot(), "binding"), "does not tolerate the taints"},
		"MIG-2 a control plane moves between seeds with backups": {world(backed, other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 not from a seed without":                          {world(seed(), other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `seed "seed" has no backup`},
		"MIG-2 not to a seed without":                            {world(backed, other(seed())), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `seed "other" has no backup`},
		"MIG-2 not between providers":                            {world(backed, other(foreign)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), "between seeds of one provider only"},
		"MIG-2 between object stores":                            {world(keeps("S3"), other(keeps("gcp"))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 from an object store into a directory":            {world(keeps("azure"), other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 from a directory into an object store":            {world(backed, other(keeps("S3", shares))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 not from a bucket that nobody reads":              {world(keeps("Swift"), other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `seed "seed" has a bucket of provider "Swift"`},
		"MIG-2 not into a bucket that nobody writes":             {world(backed, other(keeps("Swift", shares))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `seed "other" has a bucket of provider "Swift"`},
		"MIG-2 not from directories of another machine":          {world(keeps("local", lacks), other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `the backups of seed "seed" are directories`},
		"MIG-2 not to nodes without the directories":             {world(backed, other(keeps("local", lacks))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `the nodes of seed "other" do not have the directories`},
		"MIG-2 nor from an object store into those":              {world(keeps("S3"), other(keeps("local", lacks))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `the nodes of seed "other" do not have the directories`},
		"MIG-2 nor from a directory into an object store there":  {world(backed, other(keeps("S3", lacks))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), `the nodes of seed "other" do not have the directories`},
		"MIG-2 MIG-15 from a seed that was dead before it said":  {world(keeps("local"), other(backed)), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 to a seed that has not said it yet":               {world(backed, other(keeps("local"))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 into an object store of a seed that has not":      {world(backed, other(keeps("S3"))), admissiontest.UpdateSub(shoot(on("other")), shoot(on("seed")), "binding"), ""},
		"MIG-2 a move that has not begun is taken back":          {world(keeps("Swift"), other(foreign)), admissiontest.UpdateSub(shoot(on("seed"), held), shoot(on("other"), held), "binding"), ""},
		"MIG-2 also from a seed that is gone":                    {world(keeps("Swift")), admissiontest.UpdateSub(shoot(on("seed"), held), shoot(on("other"), held), "binding"), ""},
		"MIG-2 the seed that has it is no other way out":         {world(keeps("Swift"), other(backed)), admissiontest.UpdateSub(shoot(on("other"), held), shoot(on("seed"), held), "binding"), `seed "seed" has a bucket of provider "Swift"`},
		"a seed that does not exist":                             {world(), admissiontest.Create(shoot(on("x"))), "spec.seedName: Not found"},
		"a seed that does not exist any more":                    {world(), update(shoot(on("x"), purposeful), shoot(on("x"))), ""},
		"a seed that is being deleted takes no shoots":           {world(deleting), admissiontest.UpdateSub(shoot(on("seed")), shoot(), "binding"), "is being deleted"},
		"its shoots stay as they are":                            {world(deleting), update(shoot(on("seed"), purposeful), shoot(on("seed"))), "spec: Forbidden: must not be changed while seed"},
		"their annotations, too":                                 {world(deleting), update(shoot(on("seed"), annotated("a", "b")), shoot(on("seed"))), "metadata.annotations[a]"},
		"apart from that which confirms deletion":                {world(deleting), update(shoot(on("seed"), annotated("confirmation.gardener.cloud/deletion", "true")), shoot(on("seed"))), ""},
		"and apart from those that go":                           {world(deleting), update(shoot(on("seed")), shoot(on("seed"), annotated("a", "b"))), ""},
		"three zones make a zonal control plane":                 {world(zoned), admissiontest.Create(shoot(on("seed"), zonal)), ""},
		"fewer do not":                                           {world(seed()), admissiontest.Create(shoot(on("seed"), zonal)), "has 0 zones, and zone needs 3"},
		"a zonal control plane stays":                            {world(seed()), update(shoot(on("seed"), zonal, purposeful), shoot(on("seed"), zonal)), ""},
		"a shoot that is being deleted is not bound with care":   {world(tainted), admissiontest.UpdateSub(shoot(on("seed"), gone), shoot(gone), "binding"), ""},
		"a failed look-up is an internal error":                  {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.UpdateSub(shoot(on("seed")), shoot(), "binding"), "Internal error"},
	})
}

func TestNetworks(t *testing.T) {
	nets := func(nodes, pods, services string) change {
		return func(s *core.Shoot) {
			s.Spec.Networking = &core.Networking{}
			for field, value := range map[**string]string{&s.Spec.Networking.Nodes: nodes, &s.Spec.Networking.Pods: pods, &s.Spec.Networking.Services: services} {
				if value != "" {
					*field = &value
				}
			}
		}
	}
	noNodes := seed(func(s *core.Seed) { s.Spec.Networks.Nodes = nil })
	run(t, map[string]request{
		"ADM-25 the node network of the seed":            {world(seed()), admissiontest.Create(shoot(on("seed"), nets("127.0.0.0/25", "", ""))), "spec.networking.nodes: Invalid value: \"127.0.0.0/25\": must not overlap the node network of seed seed, 127.0.0.0/24"},
		"ADM-25 the pod network of the seed":             {world(seed()), admissiontest.Create(shoot(on("seed"), nets("", "127.64.0.0/10", ""))), "the pod network of seed seed"},
		"ADM-25 the service network of the seed":         {world(seed()), admissiontest.Create(shoot(on("seed"), nets("", "", "127.96.3.0/24"))), "the service network of seed seed"},
		"ADM-25 when the seed is chosen later":           {world(seed()), admissiontest.UpdateSub(shoot(on("seed"), nets("", "127.64.0.0/16", "")), shoot(nets("", "127.64.0.0/16", "")), "binding"), "the pod network"},
		"ADM-25 when networks come later":                {world(seed()), update(shoot(on("seed"), nets("127.64.3.0/24", "100.96.0.0/11", "100.64.0.0/13")), shoot(on("seed"), nets("", "100.96.0.0/11", "100.64.0.0/13"))), "spec.networking.nodes"},
		"ADM-25 VPN-4 the network of the tunnel":         {world(), admissiontest.Create(shoot(nets("192.168.123.128/25", "", ""))), "must not overlap the network of the tunnel, 192.168.123.0/24"},
		"ADM-25 the newer networks of the tunnel":        {world(), admissiontest.Create(shoot(nets("", "243.0.0.0/11", ""))), "243.0.0.0/8"},
		"ADM-25 each other, also with a default":         {world(seed()), admissiontest.Create(shoot(on("seed"), nets("100.100.0.0/16", "", ""))), "must not overlap spec.networking.nodes, 100.100.0.0/16"},
		"ADM-25 existing overlaps stay":                  {world(seed()), update(shoot(on("seed"), nets("127.64.0.0/16", "100.96.0.0/11", "100.64.0.0/13"), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(on("seed"), nets("127.64.0.0/16", "100.96.0.0/11", "100.64.0.0/13"))), ""},
		"a seed without node network":                    {world(noNodes), admissiontest.Create(shoot(on("seed"), nets("127.0.0.0/25", "", ""))), ""},
		"what is no network is for validation to report": {world(seed()), admissiontest.Create(shoot(on("seed"), nets("x", "", ""))), ""},
		"the ranges of every landscape":                  {world(seed()), admissiontest.Create(shoot(on("seed"))), ""},
	})
	for name, tc := range map[string]struct {
		seed           *core.Seed
		shoot          *core.Shoot
		pods, services *string
	}{
		"networks that the seed proposes": {seed(func(s *core.Seed) {
			s.Spec.Networks.ShootDefaults = &core.ShootNetworks{Pods: ptr.To("10.1.0.0/16"), Services: ptr.To("10.2.0.0/16")}
		}), shoot(nets("", "", "")), ptr.To("10.1.0.0/16"), ptr.To("10.2.0.0/16")},
		"networks that every Gardener has":    {seed(), shoot(func(s *core.Shoot) { s.Spec.Networking = nil }), ptr.To("100.96.0.0/11"), ptr.To("100.64.0.0/13")},
		"networks of the user stay":           {seed(), shoot(nets("", "10.1.0.0/16", "10.2.0.0/16")), ptr.To("10.1.0.0/16"), ptr.To("10.2.0.0/16")},
		"a shoot without workers has no pods": {seed(), shoot(nets("", "", ""), func(s *core.Shoot) { s.Spec.Provider.Workers = nil }), nil, ptr.To("100.64.0.0/13")},
	} {
		t.Run(name, func(t *testing.T) {
			setNetworks(tc.shoot, tc.seed)
			if n := tc.shoot.Spec.Networking; !ptr.Equal(n.Pods, tc.pods) || !ptr.Equal(n.Services, tc.services) {
				t.Errorf("pods %v, services %v", n.Pods, n.Services)
			}
		})
	}
}

func TestDomains(t *testing.T) {
	domain := func(name string) change { return func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: &name} } }
	other := func(changes ...change) *core.Shoot {
		s := shoot(changes...)
		s.Name = "other"
		return s
	}
	unmanaged := func(s *core.Shoot) {
		s.Spec.DNS = &core.DNS{Domain: ptr.To("a.com"), Providers: []core.DNSProvider{{Type: ptr.To("unmanaged")}}}
	}
	run(t, map[string]request{
		"the domain of another shoot":               {world(other(domain("a.com"))), admissiontest.Create(shoot(domain("a.com"))), "a.com is, contains or lies in the domain of another shoot"},
		"a domain that contains it":                 {world(other(domain("b.a.com"))), admissiontest.Create(shoot(domain("a.com"))), "another shoot"},
		"a domain in it":                            {world(other(domain("a.com"))), admissiontest.Create(shoot(domain("b.a.com"))), "another shoot"},
		"a domain that only ends like it":           {world(other(domain("a.com"))), admissiontest.Create(shoot(domain("ba.com"))), ""},
		"the default domain itself":                 {world(), admissiontest.Create(shoot(domain("example.org"))), "is or contains the garden's default domain"},
		"a domain that contains the default domain": {world(), admissiontest.Create(shoot(domain("org"))), "is or contains the garden's default domain"},
		"a domain below the default domain":         {world(other(domain("s.p.example.org"))), admissiontest.Create(shoot(domain("s.p.example.org"))), ""},
		"its own domain":                            {world(shoot(domain("a.com"))), admissiontest.Create(shoot(domain("a.com"))), ""},
		"an existing shoot keeps its domain":        {world(other(domain("a.com"))), update(shoot(domain("a.com"), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(domain("a.com"))), ""},
		"the domain inside every cluster":           {world(other(domain("cluster.local"))), admissiontest.Create(shoot(domain("cluster.local"))), ""},
		"domains that nobody manages":               {world(other(unmanaged)), admissiontest.Create(shoot(domain("a.com"))), ""},
		"a domain that nobody manages":              {world(other(domain("a.com"))), admissiontest.Create(shoot(unmanaged)), ""},
		"the domain of the garden":                  {world(), admissiontest.Create(shoot(domain("garden.example.net"))), "spec.dns.domain: Forbidden: garden.example.net is, contains or lies in the domain garden.example.net, which is reserved"},
		"a domain in that of the garden":            {world(), admissiontest.Create(shoot(domain("api.garden.example.net"))), "which is reserved"},
		"a domain in the internal one":              {world(), admissiontest.Create(shoot(domain("s.q.internal.example.net"))), "which is reserved"},
		"a domain that contains that of the garden": {world(), admissiontest.Create(shoot(domain("example.net"))), "which is reserved"},
		"a domain of the garden in an update":       {world(), update(shoot(domain("garden.example.net")), shoot(domain("a.com"))), "which is reserved"},
		"a domain beside that of the garden":        {world(), admissiontest.Create(shoot(domain("x.example.net"))), ""},
		"a domain that is managed from now on":      {world(other(domain("a.com"))), update(shoot(domain("a.com")), shoot(unmanaged)), "another shoot"},
		"a failed list is an internal error":        {brokenShoots{world()}, admissiontest.Create(shoot(domain("a.com"))), "Internal error"},
	})
	t.Run("a failed look-up of default domains is one, too", func(t *testing.T) {
		p := plugin(world())
		p.SetDomains(func(context.Context) ([]gardendomains.Domain, error) { return nil, errors.New("boom") })
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(shoot(domain("a.com")))), "Internal error")
	})
}

// brokenShoots fails to list shoots.
type brokenShoots struct{ admissiontest.Objects }

func (b brokenShoots) Each(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	if resource == core.Resource("shoots") {
		return errors.New("boom")
	}
	return b.Objects.Each(ctx, resource, namespace, visit)
}

func TestDocuments(t *testing.T) {
	raw := func(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }
	internal := raw(`{"apiVersion":"local.provider.extensions.gardener.cloud/__internal","kind":"X"}`)
	for path, f := range map[string]change{
		"spec.provider.infrastructureConfig.apiVersion":      func(s *core.Shoot) { s.Spec.Provider.InfrastructureConfig = internal },
		"spec.provider.controlPlaneConfig.apiVersion":        func(s *core.Shoot) { s.Spec.Provider.ControlPlaneConfig = internal },
		"spec.networking.providerConfig.apiVersion":          func(s *core.Shoot) { s.Spec.Networking.ProviderConfig = internal },
		"spec.extensions[0].providerConfig.apiVersion":       func(s *core.Shoot) { s.Spec.Extensions = []core.Extension{{ProviderConfig: internal}} },
		"spec.provider.workers[0].providerConfig.apiVersion": func(s *core.Shoot) { s.Spec.Provider.Workers[0].ProviderConfig = internal },
		"spec.provider.workers[0].machine.image.providerConfig.apiVersion": func(s *core.Shoot) {
			s.Spec.Provider.Workers[0].Machine.Image.ProviderConfig = internal
		},
		"spec.provider.workers[0].cri.containerRuntimes[0].providerConfig.apiVersion": func(s *core.Shoot) {
			s.Spec.Provider.Workers[0].CRI = &core.CRI{ContainerRuntimes: []core.ContainerRuntime{{ProviderConfig: internal}}}
		},
		"spec.kubernetes.kubeAPIServer.admissionPlugins[0].config.apiVersion": func(s *core.Shoot) {
			s.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{AdmissionPlugins: []core.AdmissionPlugin{{Config: internal}}}
		},
	} {
		run(t, map[string]request{"the internal version in " + path: {world(), admissiontest.Create(shoot(f)), path + ": Invalid"}})
	}
	withPlugin := func(secret string, listed bool) change {
		return func(s *core.Shoot) {
			s.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{AdmissionPlugins: []core.AdmissionPlugin{{}, {KubeconfigSecretName: &secret}}}
			if listed {
				s.Spec.Resources = []core.NamedResourceReference{{Name: "r", ResourceRef: autoscalingv1.CrossVersionObjectReference{Kind: "Secret", Name: secret}}}
			}
		}
	}
	configured := func(name, config string, disabled bool) change {
		return func(s *core.Shoot) {
			s.Spec.Kubernetes.KubeAPIServer = &core.KubeAPIServerConfig{AdmissionPlugins: []core.AdmissionPlugin{{Name: name, Config: raw(config), Disabled: &disabled}}}
		}
	}
	const webhook, file = "MutatingAdmissionWebhook", `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"WebhookAdmissionConfiguration","kubeConfigFile":"/etc/passwd"}`
	const config = "spec.kubernetes.kubeAPIServer.admissionPlugins[0].config: Invalid value: "
	run(t, map[string]request{
		"API-18 a file of the machine for a plugin":         {world(), admissiontest.Create(shoot(configured(webhook, file, false))), config + `"MutatingAdmissionWebhook": kubeConfigFile: must not name a file`},
		"API-18 a file of the machine in an update":         {world(), update(shoot(configured(webhook, file, false)), shoot()), config},
		"API-18 a plugin that misses its kubeconfig":        {world(), admissiontest.Create(shoot(configured("ImagePolicyWebhook", `{"imagePolicy":{}}`, false))), "set kubeconfigSecretName"},
		"a configuration that the shoot has already":        {world(), update(shoot(configured(webhook, file, false), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(configured(webhook, file, false))), ""},
		"a plugin that is off is not read":                  {world(), admissiontest.Create(shoot(configured("ImagePolicyWebhook", `{}`, true))), ""},
		"a configuration of a plugin as its documents tell": {world(), admissiontest.Create(shoot(configured("PodNodeSelector", `{"podNodeSelectorPluginConfig":{"a":"b=c"}}`, false))), ""},
	})
	const path = "spec.kubernetes.kubeAPIServer.admissionPlugins[1].kubeconfigSecretName"
	run(t, map[string]request{
		"an external version":                             {world(), admissiontest.Create(shoot(func(s *core.Shoot) { s.Spec.Provider.InfrastructureConfig = raw(`{"apiVersion":"a/v1"}`) })), ""},
		"what is no document is for extensions to refuse": {world(), admissiontest.Create(shoot(func(s *core.Shoot) { s.Spec.Provider.InfrastructureConfig = raw(`a: b: c`) })), ""},
		"a kubeconfig for a plugin":                       {world(), admissiontest.Create(shoot(withPlugin("k", true))), ""},
		"a secret that is not listed":                     {world(), admissiontest.Create(shoot(withPlugin("k", false))), path + ": Invalid value: \"k\": must be listed in spec.resources"},
		"a secret without kubeconfig":                     {world(), admissiontest.Create(shoot(withPlugin("empty", true))), "must have the key kubeconfig"},
		"an existing shoot keeps it":                      {world(), update(shoot(withPlugin("empty", true), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(withPlugin("empty", true))), ""},
		"a secret that does not exist is for others":      {world(), admissiontest.Create(shoot(withPlugin("none", true))), ""},
	})
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		garden := fake.NewSimpleClientset()
		garden.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("boom") })
		p := plugin(world())
		p.SetExternalKubeClientSet(garden)
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(shoot(withPlugin("k", true)))), "Internal error")
	})
}

func TestState(t *testing.T) {
	known := func(s *core.Shoot) { s.Status.UID = "uid" }
	held := func(s *core.Shoot) { s.Finalizers = []string{"gardener"} }
	last := func(kind core.LastOperationType, state core.LastOperationState, progress int32) change {
		return func(s *core.Shoot) {
			s.Status.LastOperation = &core.LastOperation{Type: kind, State: state, Progress: progress}
		}
	}
	gone := func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) }
	asleep := func(s *core.Shoot) { s.Spec.Hibernation = &core.Hibernation{Enabled: ptr.To(true)} }
	possible := func(status core.ConditionStatus) change {
		return func(s *core.Shoot) {
			s.Status.Constraints = []core.Condition{{Type: core.ShootHibernationPossible, Status: status, Message: "a webhook"}}
		}
	}
	run(t, map[string]request{
		"the finalizer of a living shoot stays":               {world(), update(shoot(), shoot(held)), "metadata.finalizers"},
		"that of one whose deletion goes on, too":             {world(), update(shoot(gone), shoot(gone, held, known, last("Delete", "Succeeded", 99))), "metadata.finalizers"},
		"that of one whose creation succeeded, too":           {world(), update(shoot(gone), shoot(gone, held, known, last("Create", "Succeeded", 100))), "metadata.finalizers"},
		"that of one whose deletion failed, too":              {world(), update(shoot(gone), shoot(gone, held, known, last("Delete", "Error", 100))), "metadata.finalizers"},
		"GLT-34 that of one of which nothing was made may go": {world(), update(shoot(gone), shoot(gone, held, last("Create", "Failed", 0))), ""},
		"one of which nothing was made yet keeps its own":     {world(), update(shoot(), shoot(held, last("Create", "Failed", 0))), "metadata.finalizers"},
		"that of one that is gone may go":                     {world(), update(shoot(gone), shoot(gone, held, last("Delete", "Succeeded", 100))), ""},
		"a cluster that could not wake up stays awake":        {world(), update(shoot(asleep), shoot(possible(core.ConditionFalse))), "hibernation is not possible: a webhook"},
		"one that can may fall asleep":                        {world(), update(shoot(asleep), shoot(possible(core.ConditionTrue))), ""},
		"one of which nothing is known may, too":              {world(), update(shoot(asleep), shoot()), ""},
		"one that sleeps goes on sleeping":                    {world(), update(shoot(asleep, possible(core.ConditionFalse), func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }), shoot(asleep, possible(core.ConditionFalse))), ""},
	})

	confined := func(s *core.Shoot) { s.Spec.Maintenance = &core.Maintenance{ConfineSpecUpdateRollout: ptr.To(true)} }
	purposeful := func(s *core.Shoot) { s.Spec.Purpose = ptr.To(core.ShootPurposeTesting) }
	failed := last("Reconcile", "Failed", 10)
	for name, tc := range map[string]struct {
		to, from *core.Shoot
		want     string
	}{
		"a failed shoot is retried in its maintenance": {shoot(confined, failed, purposeful), shoot(confined, failed), "true"},
		"one that waits for nothing is not":            {shoot(failed, purposeful), shoot(failed), ""},
		"one that has not failed is not":               {shoot(confined, purposeful), shoot(confined), ""},
		"one that is not changed is not":               {shoot(confined, failed), shoot(confined, failed), ""},
		"a new one is not":                             {shoot(confined, failed), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			noteRetry(tc.to, tc.from)
			if got := tc.to.Annotations["maintenance.shoot.gardener.cloud/needs-retry-operation"]; got != tc.want {
				t.Errorf("annotation is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTasks(t *testing.T) {
	const all, infrastructure, dns = "deployInfrastructure,deployDNSRecordInternal,deployDNSRecordExternal,deployDNSRecordIngress", "deployInfrastructure", "deployDNSRecordInternal,deployDNSRecordExternal,deployDNSRecordIngress"
	asleep := func(s *core.Shoot) { s.Spec.Hibernation = &core.Hibernation{Enabled: ptr.To(true)} }
	operation := func(o string) change {
		return func(s *core.Shoot) { s.Annotations = map[string]string{"gardener.cloud/operation": o} }
	}
	tasks := func(text string) change {
		return func(s *core.Shoot) { s.Annotations = map[string]string{"shoot.gardener.cloud/tasks": text} }
	}
	gone := func(s *core.Shoot) { s.DeletionTimestamp = ptr.To(metav1.Now()) }
	config := func(s *core.Shoot) { s.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte("{}")} }
	noSSH := func(s *core.Shoot) {
		s.Spec.Provider.WorkersSettings = &core.WorkersSettings{SSHAccess: &core.SSHAccess{}}
	}
	domain := func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: ptr.To("a.com")} }
	for name, tc := range map[string]struct {
		to, from *core.Shoot
		want     string
	}{
		"a new shoot":                        {shoot(), nil, all},
		"a shoot that wakes up":              {shoot(), shoot(asleep), all},
		"a shoot that falls asleep":          {shoot(asleep), shoot(), ""},
		"another infrastructure":             {shoot(config), shoot(), infrastructure},
		"no SSH any more":                    {shoot(noSSH), shoot(), infrastructure},
		"another SSH key":                    {shoot(operation("rotate-ssh-keypair")), shoot(), infrastructure},
		"all other credentials":              {shoot(operation("reconcile;rotate-credentials-start")), shoot(), infrastructure},
		"an operation that waits is not new": {shoot(operation("rotate-ssh-keypair")), shoot(operation("rotate-ssh-keypair")), ""},
		"another operation":                  {shoot(operation("reconcile")), shoot(), ""},
		"another domain":                     {shoot(domain), shoot(), dns},
		"tasks that are there stay, once":    {shoot(tasks("restartCoreAddons,deployInfrastructure"), config), shoot(), "restartCoreAddons,deployInfrastructure"},
		"further tasks come after":           {shoot(tasks("restartCoreAddons"), config), shoot(), "restartCoreAddons,deployInfrastructure"},
		"a shoot that is being deleted":      {shoot(config, gone), shoot(), ""},
		"nothing":                            {shoot(), shoot(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			addTasks(tc.to, tc.from)
			if got := tc.to.Annotations["shoot.gardener.cloud/tasks"]; got != tc.want {
				t.Errorf("tasks are %q, want %q", got, tc.want)
			}
		})
	}
}
