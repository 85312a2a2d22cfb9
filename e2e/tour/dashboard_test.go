package tour

import (
	"context"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// The backend of the dashboard has a service account of its own, which may read what is the same for all users, and check tokens and
// rights. Everything else it requests with the token of the user.
var dashboardRules = []rbacv1.PolicyRule{
	{APIGroups: []string{"core.gardener.cloud"}, Resources: []string{"shoots", "projects", "seeds", "cloudprofiles", "namespacedcloudprofiles", "controllerregistrations", "quotas"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"seedmanagement.gardener.cloud"}, Resources: []string{"managedseeds"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{""}, Resources: []string{"configmaps", "resourcequotas"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
	{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}},
}

const dashboardName = "test-gardener-dashboard"

// backend makes the requests of the backend's own account: one list and one watch of each kind, as its caches do, and the checks of users.
func (c tools) backend() {
	ctx, admin := c.t.Context(), kubernetes.NewForConfigOrDie(c.config)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: dashboardName}}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: dashboardName}, Rules: dashboardRules}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: dashboardName}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: dashboardName},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "garden", Name: dashboardName}},
	}
	for _, object := range []client.Object{account, role, binding} {
		if err := c.garden.Create(ctx, object); err != nil {
			c.t.Fatal(err)
		}
		defer func() { _ = c.garden.Delete(context.WithoutCancel(ctx), object) }()
	}
	issued, err := admin.CoreV1().ServiceAccounts("garden").CreateToken(ctx, dashboardName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	as := rest.AnonymousClientConfig(c.config)
	as.BearerToken = issued.Status.Token
	garden, err := client.NewWithWatch(as, client.Options{Scheme: c.garden.Scheme()})
	if err != nil {
		c.t.Fatal(err)
	}
	c.l.Eventually(time.Minute, "the dashboard may list projects", func() (bool, string) {
		err := garden.List(ctx, &gardencorev1beta1.ProjectList{})
		return err == nil, "it may not"
	})
	for _, cached := range []struct {
		list  client.ObjectList
		least int // how many the landscape has
	}{
		{&gardencorev1beta1.ShootList{}, 1}, {&gardencorev1beta1.ProjectList{}, 2}, {&gardencorev1beta1.SeedList{}, 1}, {&gardencorev1beta1.CloudProfileList{}, 1},
		{&gardencorev1beta1.NamespacedCloudProfileList{}, 0}, {&gardencorev1beta1.ControllerRegistrationList{}, 1}, {&gardencorev1beta1.QuotaList{}, 0},
		{&seedmanagementv1alpha1.ManagedSeedList{}, 0}, {&corev1.ResourceQuotaList{}, 0},
	} {
		c.listAndWatch(garden, cached.list, cached.least)
	}
	identity := &corev1.ConfigMap{}
	if err := garden.Get(ctx, client.ObjectKey{Namespace: "kube-system", Name: "cluster-identity"}, identity); err != nil || identity.Data["cluster-identity"] != c.identity {
		c.t.Errorf("the identity of the garden is %q, %v", identity.Data["cluster-identity"], err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "somebody@example.org", Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "create", Group: "core.gardener.cloud", Resource: "projects"},
	}}
	if err := garden.Create(ctx, review); err != nil || review.Status.Allowed {
		c.t.Errorf("the rights of a user: %+v, %v", review.Status, err)
	}
	if err := garden.List(ctx, &corev1.SecretList{}, client.InNamespace("garden-local")); !apierrors.IsForbidden(err) {
		c.t.Errorf("its own account lists Secrets: %v", err)
	}
}

// listAndWatch does what a cache does: it lists, and watches from there on with bookmarks. The server ends the watch.
func (c tools) listAndWatch(garden client.WithWatch, list client.ObjectList, least int, options ...client.ListOption) {
	c.t.Helper()
	if err := garden.List(c.t.Context(), list, append(options, client.Limit(50))...); err != nil {
		c.t.Errorf("list %T: %v", list, err)
		return
	}
	if found := meta.LenList(list); found < least {
		c.t.Errorf("%d objects in %T, want at least %d", found, list, least)
	}
	raw := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true, TimeoutSeconds: new(int64(1))}}
	changes, err := garden.Watch(c.t.Context(), list, append(options, raw)...)
	if err != nil {
		c.t.Errorf("watch %T: %v", list, err)
		return
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		if change.Type == watch.Error {
			c.t.Errorf("watch %T: %v", list, apierrors.FromObject(change.Object))
		}
	}
}

// pages are those that a member opens.
func (c tools) pages(garden client.WithWatch) {
	c.t.Run("APP-31 the dashboard shows the pages of a project", func(t *testing.T) { c.on(t).project(garden) })
	c.t.Run("ARC-11 APP-31 the garden has the version that the dashboard proposes", func(t *testing.T) { c.on(t).propose(garden) })
}

// project makes the requests for the pages of a project, as its member.
func (c tools) project(garden client.WithWatch) {
	ctx, namespace := c.t.Context(), client.InNamespace("garden-local")
	for _, shown := range []struct {
		list  client.ObjectList
		least int
	}{
		{&gardencorev1beta1.ShootList{}, 1}, {&gardencorev1beta1.SecretBindingList{}, 0}, {&securityv1alpha1.CredentialsBindingList{}, 0},
		{&securityv1alpha1.WorkloadIdentityList{}, 0}, {&corev1.SecretList{}, 1}, {&corev1.ServiceAccountList{}, 1}, {&gardencorev1beta1.QuotaList{}, 0},
		{&gardencorev1beta1.NamespacedCloudProfileList{}, 0}, {&corev1.ResourceQuotaList{}, 0}, {&corev1.EventList{}, 0},
	} {
		c.listAndWatch(garden, shown.list, shown.least, namespace)
	}
	for _, list := range []client.ObjectList{&gardencorev1beta1.SeedList{}, &gardencorev1beta1.CloudProfileList{}} {
		c.listAndWatch(garden, list, 1)
	}
	project := &gardencorev1beta1.Project{}
	if err := garden.Get(ctx, client.ObjectKey{Name: "local"}, project); err != nil {
		c.t.Errorf("the project: %v", err)
	}
	terminals := &unstructured.UnstructuredList{} // the dashboard shows no terminals where nobody serves them
	terminals.SetGroupVersionKind(schema.GroupVersionKind{Group: "dashboard.gardener.cloud", Version: "v1alpha1", Kind: "TerminalList"})
	if err := garden.List(ctx, terminals, namespace); err == nil || apierrors.IsForbidden(err) {
		c.t.Errorf("terminals: %v, want an error that says that there is no such resource", err)
	}
}

// proposal is the version that the page for new clusters proposes: the newest that is supported.
func proposal(profile *gardencorev1beta1.CloudProfile, now time.Time) string {
	newest := ""
	for _, offered := range profile.Spec.Kubernetes.Versions {
		expired := offered.ExpirationDate != nil && offered.ExpirationDate.Time.Before(now)
		supported := offered.Classification != nil && *offered.Classification == gardencorev1beta1.ClassificationSupported
		if supported && !expired && (newest == "" || version.MustParseGeneric(newest).LessThan(version.MustParseGeneric(offered.Version))) {
			newest = offered.Version
		}
	}
	return newest
}

// propose asks for a cluster of the proposed version, as a member, and checks that the garden chooses the same if nobody names one.
func (c tools) propose(garden client.Client) {
	profile := &gardencorev1beta1.CloudProfile{}
	if err := garden.Get(c.t.Context(), client.ObjectKey{Name: "local"}, profile); err != nil {
		c.t.Fatal(err)
	}
	proposed := proposal(profile, time.Now())
	if proposed == "" {
		c.t.Fatalf("no version is supported: %+v", profile.Spec.Kubernetes.Versions)
	}
	like := c.shoot()
	for _, chosen := range []string{proposed, ""} {
		shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: like.Namespace, Name: "proposed"}, Spec: *like.Spec.DeepCopy()}
		shoot.Spec.SeedName, shoot.Spec.DNS, shoot.Spec.Kubernetes = nil, nil, gardencorev1beta1.Kubernetes{Version: chosen}
		for i := range shoot.Spec.Provider.Workers {
			shoot.Spec.Provider.Workers[i].Kubernetes = nil
		}
		if err := garden.Create(c.t.Context(), shoot, client.DryRunAll); err != nil || shoot.Spec.Kubernetes.Version != proposed {
			c.t.Errorf("a shoot with version %q gets %q, want %q: %v", chosen, shoot.Spec.Kubernetes.Version, proposed, err)
		}
	}
}

func TestProposal(t *testing.T) {
	versions := func(all ...gardencorev1beta1.ExpirableVersion) *gardencorev1beta1.CloudProfile {
		return &gardencorev1beta1.CloudProfile{Spec: gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: all}}}
	}
	supported, preview, now := gardencorev1beta1.ClassificationSupported, gardencorev1beta1.ClassificationPreview, time.Now()
	past := metav1.NewTime(now.Add(-time.Hour))
	t.Run("ARC-11 the proposal is the newest supported version, never a preview", func(t *testing.T) {
		got := proposal(versions(
			gardencorev1beta1.ExpirableVersion{Version: "1.9.9", Classification: &supported}, gardencorev1beta1.ExpirableVersion{Version: "1.10.1", Classification: &supported},
			gardencorev1beta1.ExpirableVersion{Version: "1.11.0", Classification: &supported, ExpirationDate: &past}, gardencorev1beta1.ExpirableVersion{Version: "1.12.0", Classification: &preview},
			gardencorev1beta1.ExpirableVersion{Version: "1.13.0"},
		), now)
		if got != "1.10.1" {
			t.Errorf("it is %q", got)
		}
	})
}
