package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// TestOwnObjects asks the garden what the gardenlet of seed a may do with objects of its own seed.
func TestOwnObjects(t *testing.T) {
	uid := string(objects["a"]["Seed"].GetUID())
	for _, tc := range []struct{ group, resource, namespace, name, verbs string }{
		{"", "secrets", "garden-a", "cloud", "get list watch"},
		{"", "secrets", "garden", "backup-a", "get list watch"},
		{"", "secrets", "seed-a", "", "list watch"},
		{"", "secrets", "garden-a", "shoot.kubeconfig", "get create update patch delete"},
		{"", "configmaps", "garden-a", "shoot.ca-cluster", "get create update patch delete"},
		{"", "configmaps", "kube-system", "cluster-identity", "get"},
		{"", "namespaces", "", "garden-a", "get"},
		{"", "events", "garden-a", "", "create"},
		{"", "serviceaccounts", "seed-a", "extension", "get create update patch delete"},
		{"", "serviceaccounts/token", "seed-a", "extension", "create"},
		{"coordination.k8s.io", "leases", "gardener-system-seed-lease", "a", "get create update patch"},
		{"certificates.k8s.io", "certificatesigningrequests", "", "seed-csr-a", "get create"},
		{core.GroupName, "seeds", "", "a", "get create update patch delete"},
		{core.GroupName, "seeds/status", "", "a", "update patch"},
		{core.GroupName, "shoots", "garden-a", "shoot", "get update patch"},
		{core.GroupName, "shoots", "", "", "list watch"},
		{core.GroupName, "shoots/status", "garden-a", "shoot", "update patch"},
		{core.GroupName, "shootstates", "garden-a", "shoot", "get create update patch delete"},
		{core.GroupName, "internalsecrets", "garden-a", "shoot.ca-client", "get create update patch delete"},
		{core.GroupName, "backupbuckets", "", uid, "get create update patch delete"},
		{core.GroupName, "backupentries", "garden-a", entryOf("a"), "get update patch delete"},
		{core.GroupName, "controllerinstallations", "", "installation-a", "get update patch"},
		{core.GroupName, "controllerregistrations", "", "", "list watch"},
		{core.GroupName, "controllerdeployments", "", "deployment", "get"},
		{core.GroupName, "secretbindings", "garden-a", "binding", "get"},
		{core.GroupName, "projects", "", "a", "get"},
		{core.GroupName, "cloudprofiles", "", "profile", "get"},
		{core.GroupName, "namespacedcloudprofiles", "garden-a", "own", "get list watch"},
		{security.SchemeGroupVersion.Group, "credentialsbindings", "garden-a", "credentials", "get list watch"},
		{security.SchemeGroupVersion.Group, "workloadidentities", "garden-a", "identity", "get list watch"},
		{security.SchemeGroupVersion.Group, "workloadidentities/token", "garden-a", "identity", "create"},
		{seedmanagement.SchemeGroupVersion.Group, "managedseeds", "garden", "account-a", "get update patch"},
		{seedmanagement.SchemeGroupVersion.Group, "managedseeds/status", "garden", "account-a", "update patch"},
		{seedmanagement.SchemeGroupVersion.Group, "gardenlets", "garden", "a", "get update patch"},
		{seedmanagement.SchemeGroupVersion.Group, "gardenlets/status", "garden", "a", "update patch"},
		{operations.SchemeGroupVersion.Group, "bastions", "garden-a", "bastion", "get update patch"},
		{operations.SchemeGroupVersion.Group, "bastions/status", "garden-a", "bastion", "update patch"},
	} {
		for verb := range strings.FieldsSeq(tc.verbs) {
			t.Run("GAC-9 "+verb+" "+tc.resource+" "+tc.name, func(t *testing.T) {
				if !may(t, gardenletOf("a"), verb, tc.group, tc.resource, tc.namespace, tc.name) {
					t.Error("refused")
				}
			})
		}
	}
}

// TestReads reads as the gardenlet of seed a, since API servers ask about some requests otherwise than reviews do.
func TestReads(t *testing.T) {
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		t.Fatal(err)
	}
	for kind, object := range objects["a"] {
		if kind == "ServiceAccount" || kind == "Secret" || kind == "Namespace" || kind == "ClusterRoleBinding" {
			continue // there are several, see below and TestManagedSeeds
		}
		t.Run("GAC-9 get "+kind, func(t *testing.T) {
			read := object.DeepCopyObject().(client.Object)
			if err := gardenlet.Get(t.Context(), client.ObjectKeyFromObject(object), read); err != nil {
				t.Error(err)
			}
		})
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: meta("", "garden-a")}, &corev1.Namespace{ObjectMeta: meta("", "seed-a")},
		&corev1.ServiceAccount{ObjectMeta: meta("seed-a", "extension")}, secret("garden-a", "cloud", nil), secret("garden-a", "shoot.kubeconfig", nil),
	} {
		t.Run(fmt.Sprintf("GAC-9 get %T %s", object, object.GetName()), func(t *testing.T) {
			if err := gardenlet.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				t.Error(err)
			}
		})
	}
}

// may asks the garden about the rights of a user.
func may(t *testing.T, user *rest.Config, verb, group, resource, namespace, name string) bool {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(user)
	if err != nil {
		t.Fatal(err)
	}
	resource, subresource, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Verb: verb, Group: group, Resource: resource, Subresource: subresource, Namespace: namespace, Name: name,
	}}}
	review, err = clientset.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

func TestOthersPayNothing(t *testing.T) {
	alice, err := garden.ConfigFor("alice")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("GAC-9 a user that is no gardenlet has the rights of RBAC only", func(t *testing.T) {
		if may(t, alice, "get", "", "secrets", "garden-a", "cloud") || !may(t, alice, "get", core.GroupName, "cloudprofiles", "", "profile") {
			t.Error("the rights differ")
		}
	})
	t.Run("GAC-8 an object that the seed needs no longer is refused at once", func(t *testing.T) {
		gardenlet := gardenletOf("a")
		shoot := &core.Shoot{}
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: "garden-a", Name: "shoot"}, shoot); err != nil {
			t.Fatal(err)
		}
		before := shoot.DeepCopy()
		shoot.Spec.Resources = append(shoot.Spec.Resources, reference("unrelated"))
		if err := admin.Patch(t.Context(), shoot, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if !may(t, gardenlet, "get", "", "secrets", "garden-a", "unrelated") { // waits for the graph
			t.Error("the new reference does not count")
		}
		before = shoot.DeepCopy()
		shoot.Spec.Resources = nil
		if err := admin.Patch(t.Context(), shoot, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if err := eventually(func() error {
			if may(t, gardenlet, "get", "", "secrets", "garden-a", "unrelated") {
				return http.ErrNoLocation
			}
			return nil
		}); err != nil {
			t.Error("the reference still counts")
		}
	})
}
