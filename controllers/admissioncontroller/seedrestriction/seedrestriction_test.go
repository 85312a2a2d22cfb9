package seedrestriction_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedrestriction"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

const user = "gardener.cloud:system:seed:a"

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

func shoot(namespace, seed string, secrets ...string) *core.Shoot {
	s := &core.Shoot{ObjectMeta: meta(namespace, "shoot"), Spec: core.ShootSpec{SeedName: &seed, SecretBindingName: ptr.To("binding")}}
	for _, secret := range secrets {
		s.Spec.Resources = append(s.Spec.Resources, core.NamedResourceReference{ResourceRef: autoscalingv1.CrossVersionObjectReference{Kind: "Secret", Name: secret}})
	}
	return s
}

func named(s *core.Shoot, name string) *core.Shoot {
	s.Name = name
	return s
}

func seed(name, backup string) *core.Seed {
	s := &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	if backup != "" {
		namespace, secret, _ := strings.Cut(backup, "/")
		s.Spec.Backup = &core.Backup{SecretRef: corev1.SecretReference{Namespace: namespace, Name: secret}}
	}
	return s
}

// configOf is the configuration of a gardenlet whose Seed refers to a Secret.
func configOf(backup string) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"seedConfig":{"spec":{"backup":{"secretRef":{"namespace":"garden","name":%q}}}}}`, backup)}
}

func managedSeed(name, backup string) *seedmanagement.ManagedSeed {
	managed := bootstrapping(name, "on-a", seedmanagement.BootstrapToken)
	managed.Spec.Gardenlet.Config = configOf(backup)
	return managed
}

func gardenlet(name, backup string) *seedmanagement.Gardenlet {
	return &seedmanagement.Gardenlet{ObjectMeta: meta("garden", name), Spec: seedmanagement.GardenletSpec{Config: configOf(backup)}}
}

// given is a Secret that operators gave to seeds.
func given(name, seeds string) *corev1.Secret {
	s := secret("garden", name, nil)
	s.Annotations = map[string]string{"seed.gardener.cloud/names": seeds}
	return s
}

func bucket(name, seed, secret string) *core.BackupBucket {
	return &core.BackupBucket{ObjectMeta: meta("", name), Spec: core.BackupBucketSpec{SeedName: &seed, SecretRef: corev1.SecretReference{Namespace: "garden", Name: secret}}}
}

func entry(seed, bucket string) *core.BackupEntry {
	return &core.BackupEntry{ObjectMeta: meta("garden-a", "shoot--a--shoot--uid"), Spec: core.BackupEntrySpec{SeedName: &seed, BucketName: bucket}}
}

func in(namespace string, e *core.BackupEntry) *core.BackupEntry {
	e.Namespace = namespace
	return e
}

// ofShoot makes the entry that of a shoot.
func ofShoot(e *core.BackupEntry, shoot string) *core.BackupEntry {
	e.OwnerReferences = []metav1.OwnerReference{{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Shoot", Name: shoot}}
	return e
}

// moving is a shoot whose control plane moves from seed a.
func moving(namespace, to string) *core.Shoot {
	s := named(shoot(namespace, to), "moving")
	s.Status.SeedName = ptr.To("a")
	return s
}

// onSeed is a shoot that one seed is to have, and that another one may have; its UID is its name.
func onSeed(name, wanted, held string) *core.Shoot {
	s := named(shoot("garden-a", wanted), name)
	s.UID, s.Status.TechnicalID = types.UID(name), "shoot--a--"+name
	if held != "" {
		s.Status.SeedName = &held
	}
	return s
}

// entryOf is the entry of such a shoot.
func entryOf(name, seed, bucket string, prefix ...string) *core.BackupEntry {
	e := ofShoot(entry(seed, bucket), name)
	e.Name = strings.Join(prefix, "") + "shoot--a--" + name + "--" + name
	return e
}

func secret(namespace, name string, labels map[string]string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
}

func event(kind, namespace, name string) *eventsv1.Event {
	return &eventsv1.Event{ObjectMeta: meta(namespace, "event"), Regarding: corev1.ObjectReference{Kind: kind, Namespace: namespace, Name: name}}
}

// bootstrapping is a seed on a shoot in namespace garden.
func bootstrapping(name, shoot string, how seedmanagement.Bootstrap) *seedmanagement.ManagedSeed {
	return &seedmanagement.ManagedSeed{ObjectMeta: meta("garden", name), Spec: seedmanagement.ManagedSeedSpec{
		Shoot: &seedmanagement.Shoot{Name: shoot}, Gardenlet: &seedmanagement.GardenletConfig{Bootstrap: &how},
	}}
}

func token(managed string, validity time.Duration, more ...string) *corev1.Secret {
	secret := bootstraptoken.New(bootstraptoken.ID("garden", managed), "", time.Now().Add(validity))
	for _, key := range more {
		secret.Data[key] = []byte("system:bootstrappers:more")
	}
	return secret
}

func account(namespace, name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: meta(namespace, name)}
}

func binding(name, role string, subjects ...rbacv1.Subject) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta("", "gardener.cloud:system:seed-bootstrapper:garden:gardenlet-bootstrap-"+name), Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}
}

func csr(t *testing.T, name string, groups ...string) *certificatesv1.CertificateSigningRequest {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name, Organization: groups}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificatesv1.CertificateSigningRequest{ObjectMeta: meta("", "csr"), Spec: certificatesv1.CertificateSigningRequestSpec{
		Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: "kubernetes.io/kube-apiserver-client",
	}}
}

func handler(t *testing.T) seedrestriction.Handler {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	g := &graph.Graph{}
	for _, object := range []client.Object{
		seed("a", "garden/backup-a"), seed("b", "garden/backup-b"), shoot("garden-a", "a"), shoot("garden-b", "b"), entry("a", "uid-a"),
		moving("garden-a", "b"), onSeed("taken", "a", ""), onSeed("coming", "a", "d"), onSeed("lost", "d", "d"), bucket("uid-d", "d", "backup-d"),
		entryOf("taken", "d", "uid-d"), entryOf("coming", "d", "uid-d"), entryOf("lost", "d", "uid-d"),
		bucket("uid-a", "a", "backup-a"), bucket("uid-b", "b", "backup-b"),
		named(shoot("garden", "a"), "on-a"), named(shoot("garden", "b"), "on-b"),
		managedSeed("token-a", ""), gardenlet("a", "deployed"), bootstrapping("token-b", "on-b", seedmanagement.BootstrapToken),
		bootstrapping("account-a", "on-a", seedmanagement.BootstrapServiceAccount), bootstrapping("account-b", "on-b", seedmanagement.BootstrapServiceAccount),
	} {
		g.Set(dependency.Of(object))
	}
	login := secret("garden", "b.login", nil)
	login.OwnerReferences = []metav1.OwnerReference{{APIVersion: core.SchemeGroupVersion.String(), Kind: "Seed", Name: "b"}}
	reader := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		login, secret("garden", "backup-b", nil), secret("garden", "unused", nil), secret("garden", "domain", map[string]string{"gardener.cloud/role": "internal-domain"}),
		secret("garden", "shared", map[string]string{"gardener.cloud/role": "backup", "seed.gardener.cloud/shared": "true"}),
		&corev1.Secret{ObjectMeta: meta("garden", "token"), Type: corev1.SecretTypeServiceAccountToken},
		given("given", "b, a"), given("given-to-others", "b,c"), secret("garden", "managed", nil), secret("garden", "managed-b", nil), secret("garden", "deployed", nil),
		managedSeed("a", "managed"), managedSeed("b", "managed-b"), gardenlet("a", "deployed"),
	).Build()
	return seedrestriction.Handler{Graph: g, Scheme: scheme, Reader: reader}
}

func TestHandler(t *testing.T) {
	typed := secret("garden-a", "shoot.kubeconfig", nil)
	typed.Type = corev1.SecretTypeServiceAccountToken
	otherSigner := csr(t, user, "gardener.cloud:system:seeds")
	otherSigner.Spec.SignerName = "kubernetes.io/kubelet-serving"
	rebound := shoot("garden-a", "a")
	rebound.Spec.SecretBindingName = ptr.To("other")
	lease := func(name string) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: meta("gardener-system-seed-lease", name)}
	}
	stateOf := func(namespace, name string) *core.ShootState {
		return &core.ShootState{ObjectMeta: meta(namespace, name)}
	}
	moved := &core.ControllerInstallation{ObjectMeta: meta("", "i"), Spec: core.ControllerInstallationSpec{SeedRef: &corev1.ObjectReference{Name: "b"}}}
	mine := &core.ControllerInstallation{ObjectMeta: meta("", "i"), Spec: core.ControllerInstallationSpec{SeedRef: &corev1.ObjectReference{Name: "a"}}}
	other := mine.DeepCopy()
	other.Spec.DeploymentRef = &corev1.ObjectReference{Name: "with-a-pull-secret"}
	const bootstrapper = "gardener.cloud:system:seed-bootstrapper"
	forA := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "garden", Name: "gardenlet-bootstrap-account-a"}
	forB := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "garden", Name: "gardenlet-bootstrap-account-b"}
	misplaced := token("token-a", time.Hour)
	misplaced.Namespace = "garden-a"
	misnamed := token("token-a", time.Hour)
	misnamed.Name = bootstraptoken.SecretName(bootstraptoken.ID("garden", "token-b"))
	lasting := token("token-a", time.Hour)
	delete(lasting.Data, "expiration")
	for name, tc := range map[string]struct {
		object, old client.Object
		deletion    bool
		refused     string
	}{
		"its Seed":                                   {object: seed("a", "")},
		"another Seed":                               {object: seed("b", ""), refused: `with the name "a" only`},
		"its lease":                                  {object: lease("a")},
		"another lease":                              {object: lease("b"), refused: `with the name "a" only`},
		"the namespace of leases":                    {object: &corev1.Namespace{ObjectMeta: meta("", "gardener-system-seed-lease")}},
		"another namespace":                          {object: &corev1.Namespace{ObjectMeta: meta("", "garden-x")}, refused: "only"},
		"its bucket":                                 {object: bucket("uid-a", "a", "backup-a")},
		"its bucket for another seed":                {object: bucket("uid-a", "b", "backup-a"), refused: "no other BackupBucket"},
		"a bucket with another name":                 {object: bucket("other", "a", "backup-a"), refused: "no other BackupBucket"},
		"its bucket with another's credentials":      {object: bucket("uid-a", "a", "backup-b"), refused: "may not refer to Secret:garden/backup-b"},
		"an entry in its bucket":                     {object: ofShoot(entry("a", "uid-a"), "shoot")},
		"an entry that is named after another shoot": {object: ofShoot(entry("a", "uid-a"), "moving"), refused: "BackupEntries of shoots only"},
		"an entry of nothing":                        {object: entry("a", "uid-a"), refused: "BackupEntries of shoots only"},
		"an entry of another's shoot":                {object: in("garden-b", ofShoot(entry("a", "uid-a"), "shoot")), refused: "is not on the seed"},
		"an entry in another's bucket":               {object: ofShoot(entry("a", "uid-b"), "shoot"), refused: "may not refer to BackupBucket:uid-b"},
		"an entry for another seed":                  {object: entry("b", "uid-a"), refused: "its seed as spec.seedName only"},
		"a kubeconfig beside its shoot":              {object: secret("garden-a", "shoot.kubeconfig", nil)},
		"a kubeconfig beside another's shoot":        {object: secret("garden-b", "shoot.kubeconfig", nil), refused: "is not on the seed"},
		"a Secret with any name":                     {object: secret("garden-a", "any", nil), refused: "not named after a shoot"},
		"a Secret with an unknown suffix":            {object: secret("garden-a", "shoot.any", nil), refused: "not named after a shoot"},
		"a Secret that the garden puts a token in":   {object: typed, refused: `type "kubernetes.io/service-account-token"`},
		"generated credentials of its bucket":        {object: secret("garden", "generated-bucket-uid-a", nil)},
		"generated credentials of another bucket":    {object: secret("garden", "generated-bucket-uid-b", nil), refused: "not that of the seed"},
		"a CA beside its shoot":                      {object: &corev1.ConfigMap{ObjectMeta: meta("garden-a", "shoot.ca-cluster")}},
		"a CA beside another's shoot":                {object: &corev1.ConfigMap{ObjectMeta: meta("garden-b", "shoot.ca-cluster")}, refused: "is not on the seed"},
		"a signing CA beside its shoot":              {object: &core.InternalSecret{ObjectMeta: meta("garden-a", "shoot.ca-client")}},
		"an InternalSecret with any name":            {object: &core.InternalSecret{ObjectMeta: meta("garden-a", "any")}, refused: "not named after a shoot"},
		"the state of its shoot":                     {object: stateOf("garden-a", "shoot")},
		"the state of another's shoot":               {object: stateOf("garden-b", "shoot"), refused: "is not on the seed"},
		"a request for its certificate":              {object: csr(t, user, "gardener.cloud:system:seeds")},
		"a request for another's certificate":        {object: csr(t, "gardener.cloud:system:seed:b", "gardener.cloud:system:seeds"), refused: "own user"},
		"a request for another group":                {object: csr(t, user, "gardener.cloud:system:seeds", "system:masters"), refused: "own user"},
		"a request to another signer":                {object: otherSigner, refused: "own user"},
		"an event of its shoot":                      {object: event("Shoot", "garden-a", "shoot")},
		"an event of its Seed":                       {object: event("Seed", "", "a")},
		"an event of another's shoot":                {object: event("Shoot", "garden-b", "shoot"), refused: "nothing connects it"},
		"a change of another's event":                {object: event("Seed", "", "a"), old: event("Seed", "", "b"), refused: "nothing connects it"},
		"a change of its shoot":                      {object: shoot("garden-a", "a"), old: shoot("garden-a", "a")},
		"a reference less in its shoot":              {object: shoot("garden-a", "a"), old: shoot("garden-a", "a", "more")},
		"a reference more in its shoot":              {object: shoot("garden-a", "a", "stolen"), old: shoot("garden-a", "a"), refused: "may not refer to Secret:garden-a/stolen"},
		"another binding in its shoot":               {object: rebound, old: shoot("garden-a", "a"), refused: "may not refer to SecretBinding:garden-a/other"},
		"its shoot given to another seed":            {object: shoot("garden-a", "b"), old: shoot("garden-a", "a"), refused: `to seed "b"`},
		"its installation given to another seed":     {object: moved, old: mine, refused: `to seed "b"`},
		"another deployment, for its pull secret":    {object: other, old: mine, refused: "may not refer to ControllerDeployment:with-a-pull-secret"},
		"credentials of its Seed as before":          {object: seed("a", "garden/backup-a"), old: seed("a", "garden/backup-a")},
		"unused credentials of its Seed":             {object: seed("a", "garden/unused"), old: seed("a", "garden/backup-a"), refused: "seed.gardener.cloud/names: a, or"},
		"unused credentials of a new Seed":           {object: seed("a", "garden/unused"), refused: "operators have not given it to the seed"},
		"credentials that do not exist yet":          {object: seed("a", "garden/later"), old: seed("a", "garden/backup-a"), refused: "it does not exist"},
		"credentials that operators gave to it":      {object: seed("a", "garden/given"), old: seed("a", "garden/backup-a")},
		"credentials that operators gave to others":  {object: seed("a", "garden/given-to-others"), refused: "operators have not given it to the seed"},
		"credentials of its ManagedSeed":             {object: seed("a", "garden/managed"), old: seed("a", "")},
		"credentials of its Gardenlet":               {object: seed("a", "garden/deployed")},
		"credentials of another's ManagedSeed":       {object: seed("a", "garden/managed-b"), refused: "operators have not given it to the seed"},
		"a change of its Gardenlet":                  {object: gardenlet("a", "deployed"), old: gardenlet("a", "deployed")},
		"more credentials for its Gardenlet":         {object: gardenlet("a", "unused"), old: gardenlet("a", "deployed"), refused: "may not name Secret:garden/unused"},
		"more credentials for a ManagedSeed":         {object: managedSeed("token-a", "unused"), old: managedSeed("token-a", ""), refused: "may not name Secret:garden/unused"},
		"shared credentials of its Seed":             {object: seed("a", "garden/shared"), old: seed("a", "garden/backup-a")},
		"credentials of another Seed":                {object: seed("a", "garden/backup-b"), old: seed("a", "garden/backup-a"), refused: "operators have not given it to the seed"},
		"credentials of a new Seed from another":     {object: seed("a", "garden/backup-b"), refused: "operators have not given it to the seed"},
		"credentials from a project":                 {object: seed("a", "garden-b/cloud"), old: seed("a", ""), refused: "only Secrets in namespace garden"},
		"another's generated credentials":            {object: seed("a", "garden/generated-bucket-uid-b"), old: seed("a", ""), refused: "only Secrets in namespace garden"},
		"a domain of the landscape":                  {object: seed("a", "garden/domain"), old: seed("a", ""), refused: "operators have not given it to the seed"},
		"a token of the garden":                      {object: seed("a", "garden/token"), old: seed("a", ""), refused: "operators have not given it to the seed"},
		"the login of operators at another seed":     {object: seed("a", "garden/b.login"), old: seed("a", ""), refused: "operators have not given it to the seed"},
		"a change of its bucket":                     {object: bucket("uid-a", "a", "backup-a"), old: bucket("uid-a", "a", "backup-a")},
		"a change of another's bucket":               {object: bucket("uid-b", "a", "backup-a"), old: bucket("uid-b", "b", "backup-b"), refused: "belongs to another seed"},
		"the deletion of its bucket":                 {old: bucket("uid-a", "a", "backup-a"), deletion: true},
		"the deletion of another's bucket":           {old: bucket("uid-b", "b", "backup-b"), deletion: true, refused: "belongs to another seed"},
		"the token of a ManagedSeed on its shoot":    {object: token("token-a", 24*time.Hour)},
		"the token of another's ManagedSeed":         {object: token("token-b", time.Hour), refused: "not that of a ManagedSeed"},
		"the token of a ManagedSeed with accounts":   {object: token("account-a", time.Hour), refused: "not that of a ManagedSeed"},
		"a token with more groups":                   {object: token("token-a", time.Hour, "auth-extra-groups"), refused: `key "auth-extra-groups"`},
		"more groups for a token":                    {object: token("token-a", time.Hour, "auth-extra-groups"), old: token("token-a", time.Hour), refused: `key "auth-extra-groups"`},
		"a token for years":                          {object: token("token-a", 10000*time.Hour), refused: "24h"},
		"a token for ever":                           {object: lasting, refused: "24h"},
		"a token in a project":                       {object: misplaced, refused: "not that of a ManagedSeed"},
		"a token with the name of another":           {object: misnamed, refused: "not that of a ManagedSeed"},
		"the account of a ManagedSeed":               {object: account("garden", "gardenlet-bootstrap-account-a")},
		"the account of another's ManagedSeed":       {object: account("garden", "gardenlet-bootstrap-account-b"), refused: "not that of a ManagedSeed"},
		"the account of a ManagedSeed with tokens":   {object: account("garden", "gardenlet-bootstrap-token-a"), refused: "not that of a ManagedSeed"},
		"an account in namespace garden":             {object: account("garden", "robot"), refused: "not that of a ManagedSeed"},
		"an account of an extension":                 {object: account("seed-a", "extension")},
		"the binding of its account":                 {object: binding("account-a", bootstrapper, forA)},
		"the binding of another's account":           {object: binding("account-b", bootstrapper, forB), refused: "not that of a ManagedSeed"},
		"another's account in its binding":           {object: binding("account-a", bootstrapper, forA, forB), refused: "may not bind"},
		"another's account in its binding, later":    {object: binding("account-a", bootstrapper, forB), old: binding("account-a", bootstrapper, forA), refused: "may not bind"},
		"a group in its binding":                     {object: binding("account-a", bootstrapper, rbacv1.Subject{Kind: "Group", Name: forA.Name}), refused: "may not bind"},
		"another role in its binding":                {object: binding("account-a", "cluster-admin", forA), refused: "may bind the ClusterRole"},
		"any binding":                                {object: binding("", bootstrapper, forA), refused: "not that of a ManagedSeed"},
		"MIG-11 the entry of a shoot that moves":     {object: ofShoot(entry("b", "uid-a"), "moving"), old: ofShoot(entry("a", "uid-a"), "moving")},
		"MIG-11 such an entry for a third seed":      {object: ofShoot(entry("c", "uid-a"), "moving"), old: ofShoot(entry("a", "uid-a"), "moving"), refused: `to seed "c"`},
		"MIG-11 the entry of a shoot that stays":     {object: ofShoot(entry("b", "uid-a"), "shoot"), old: ofShoot(entry("a", "uid-a"), "shoot"), refused: `to seed "b"`},
		"MIG-11 an entry without a shoot":            {object: entry("b", "uid-a"), old: entry("a", "uid-a"), refused: `to seed "b"`},
		"MIG-15 the entry of a shoot that was left":  {object: entryOf("taken", "a", "uid-a"), old: entryOf("taken", "d", "uid-d")},
		"MIG-15 such an entry for a third seed":      {object: entryOf("taken", "c", "uid-d"), old: entryOf("taken", "d", "uid-d"), refused: `to seed "c"`},
		"MIG-15 such an entry in a third bucket":     {object: entryOf("taken", "a", "uid-c"), old: entryOf("taken", "d", "uid-d"), refused: "may not refer to BackupBucket:uid-c"},
		"MIG-15 such an entry, deleted":              {old: entryOf("taken", "d", "uid-d"), deletion: true},
		"MIG-15 the way to the bucket of the source": {object: entryOf("taken", "a", "uid-d", "source-")},
		"MIG-15 the entry of a shoot that is coming": {object: entryOf("coming", "a", "uid-d"), old: entryOf("coming", "d", "uid-d"), refused: "belongs to another seed"},
		"MIG-15 the entry of a shoot that has left":  {object: entryOf("lost", "a", "uid-d"), old: entryOf("lost", "d", "uid-d"), refused: "belongs to another seed"},
		"a change of another's entry":                {object: entry("a", "uid-a"), old: entry("b", "uid-b"), refused: "belongs to another seed"},
	} {
		t.Run("GAC-10 "+name, func(t *testing.T) {
			h := handler(t)
			request := admissionRequest(t, h, tc.object, tc.old, tc.deletion)
			response := h.Handle(t.Context(), request)
			if response.Allowed != (tc.refused == "") || !response.Allowed && !strings.Contains(response.Result.Message, tc.refused) {
				t.Errorf("allowed: %t, %v", response.Allowed, response.Result)
			}
			request.UserInfo = authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:authenticated"}}
			if response := h.Handle(t.Context(), request); !response.Allowed {
				t.Errorf("another user is refused: %v", response.Result)
			}
		})
	}
}

func admissionRequest(t *testing.T, h seedrestriction.Handler, object, old client.Object, deletion bool) admission.Request {
	t.Helper()
	raw := func(object client.Object) runtime.RawExtension {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		return runtime.RawExtension{Raw: text}
	}
	request := admissionv1.AdmissionRequest{Operation: admissionv1.Create, UserInfo: authenticationv1.UserInfo{Username: user, Groups: []string{"gardener.cloud:system:seeds"}}}
	if object != nil {
		request.Object = raw(object)
	}
	if old != nil {
		request.Operation, request.OldObject = admissionv1.Update, raw(old)
	}
	if deletion {
		request.Operation, object = admissionv1.Delete, old
	}
	kind, err := apiutil.GVKForObject(object, h.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	request.Kind = metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
	request.Namespace = object.GetNamespace()
	return admission.Request{AdmissionRequest: request}
}
