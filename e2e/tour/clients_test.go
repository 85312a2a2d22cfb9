package tour

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	authenticationv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// tools are gardenctl, gardenlogin and the dashboard as the landscape sees them: their requests, with what they expect of the answers.
type tools struct {
	t        *testing.T
	l        *framework.Landscape
	garden   client.Client
	config   *rest.Config
	identity string
}

// noWarnings drops the warnings of API servers.
type noWarnings struct{}

func (noWarnings) HandleWarningHeader(int, string, string) {}

// clients makes the requests of the tools for the shoot local of the project local.
func clients(t *testing.T, l *framework.Landscape) {
	var config struct {
		Gardens []struct{ Identity, Name, Kubeconfig string }
	}
	if err := yaml.Unmarshal([]byte(l.Gardener("gardenctl-config")), &config); err != nil || len(config.Gardens) != 1 {
		t.Fatalf("gardenctl-config prints %+v, %v", config, err)
	}
	found := config.Gardens[0]
	// the ordinary user of the landscape may be another one than that of this test, so the plugin in that kubeconfig is not run here
	if found.Kubeconfig != l.Garden() {
		t.Errorf("gardenctl-config names kubeconfig %s, not %s", found.Kubeconfig, l.Garden())
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9_-]*[a-zA-Z0-9])?$`).MatchString(found.Identity) { // that of gardenlogin
		t.Errorf("gardenlogin does not accept the identity %q", found.Identity)
	}
	rest, err := clientcmd.RESTConfigFromKubeConfig([]byte(l.Gardener("kubeconfig", "garden")))
	if err != nil {
		t.Fatal(err)
	}
	rest.WarningHandler = noWarnings{}
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	garden, err := client.New(rest, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	all := tools{t: t, l: l, garden: garden, config: rest, identity: found.Identity}
	t.Run("APP-31 gardenctl finds the garden, the project and the shoot", func(t *testing.T) {
		follow.Sentence(t, "docs/clients.md", "gardenctl target")
		all.on(t).target()
	})
	t.Run("APP-31 gardenlogin finds the advertised server in what it requests", func(t *testing.T) {
		follow.Sentence(t, "docs/clients.md", "gardenctl kubectl-env")
		all.on(t).login()
	})
	t.Run("APP-31 gardenctl reaches the control plane by the login of the seed", func(t *testing.T) { all.on(t).controlPlane() })
	t.Run("APP-31 the dashboard may and sees what it asks for", func(t *testing.T) { all.on(t).dashboard() })
	t.Run("ARC-11 APP-31 the backend of the dashboard fills its caches from the garden alone", func(t *testing.T) { all.on(t).backend() })
}

func (c tools) on(t *testing.T) tools {
	c.t = t
	return c
}

func (c tools) get(object client.Object, namespace, name string) {
	c.t.Helper()
	if err := c.garden.Get(c.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		c.t.Fatal(err)
	}
}

// shoot is found as gardenctl does it for a target of garden, project and shoot.
func (c tools) shoot() *gardencorev1beta1.Shoot {
	c.t.Helper()
	project, shoots := &gardencorev1beta1.Project{}, &gardencorev1beta1.ShootList{}
	c.get(project, "", "local")
	if err := c.garden.List(c.t.Context(), shoots, client.InNamespace(*project.Spec.Namespace), client.MatchingFields{"metadata.name": "local"}, client.Limit(2)); err != nil {
		c.t.Fatal(err)
	}
	if len(shoots.Items) != 1 {
		c.t.Fatalf("%d shoots", len(shoots.Items))
	}
	return &shoots.Items[0]
}

func (c tools) target() {
	identity := &corev1.ConfigMap{}
	if c.get(identity, "kube-system", "cluster-identity"); identity.Data["cluster-identity"] != c.identity {
		c.t.Errorf("the garden has identity %q, gardenctl-config says %q", identity.Data["cluster-identity"], c.identity)
	}
	shoot, projects, shoots := c.shoot(), &gardencorev1beta1.ProjectList{}, &gardencorev1beta1.ShootList{}
	if err := c.garden.List(c.t.Context(), projects, client.MatchingFields{"spec.namespace": shoot.Namespace}, client.Limit(1)); err != nil || len(projects.Items) != 1 || projects.Items[0].Name != "local" {
		c.t.Errorf("projects by their namespace: %d, %v", len(projects.Items), err)
	}
	if err := c.garden.List(c.t.Context(), shoots, client.MatchingFields{"metadata.name": "local", "spec.seedName": *shoot.Spec.SeedName}, client.Limit(2)); err != nil || len(shoots.Items) != 1 {
		c.t.Errorf("shoots by their seed: %d, %v", len(shoots.Items), err)
	}
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.garden.Create(c.t.Context(), review); err != nil || review.Status.UserInfo.Username != "gardener-admin" {
		c.t.Errorf("the user is %q, %v", review.Status.UserInfo.Username, err)
	}
	version, err := kubernetes.NewForConfigOrDie(c.config).Discovery().ServerVersion()
	if err != nil || version.Major != "1" {
		c.t.Errorf("version %v, %v", version, err)
	}
}

// login does what kubectl does with the kubeconfig of gardenctl: it runs gardenlogin, which requests a kubeconfig, looks for the server in
// it and hands over the certificate.
func (c tools) login() {
	shoot, secret := c.shoot(), &corev1.Secret{}
	c.get(secret, shoot.Namespace, shoot.Name+".ca-cluster")
	authority := secret.Data["ca.crt"]
	if len(shoot.Status.AdvertisedAddresses) == 0 || len(authority) == 0 {
		c.t.Fatalf("addresses %v, authority %q", shoot.Status.AdvertisedAddresses, authority)
	}
	for _, access := range []client.Object{&authenticationv1alpha1.AdminKubeconfigRequest{}, &authenticationv1alpha1.ViewerKubeconfigRequest{}} {
		kubeconfig := c.request(shoot, access)
		config, err := clientcmd.Load(kubeconfig)
		if err != nil {
			c.t.Fatal(err)
		}
		servers := map[string]string{} // user by server
		for _, context := range config.Contexts {
			servers[config.Clusters[context.Cluster].Server] = context.AuthInfo
		}
		for i, address := range shoot.Status.AdvertisedAddresses {
			parsed, err := url.Parse(address.URL)
			if err != nil {
				c.t.Fatal(err)
			}
			if address.Name == "service-account-issuer" {
				continue
			}
			user, matches := servers["https://"+parsed.Host]
			if !matches {
				c.t.Errorf("%T: no matching cluster found for server %s, only %v", access, address.URL, servers)
				continue
			}
			auth := config.AuthInfos[user]
			c.checkPEM("CERTIFICATE", auth.ClientCertificateData)
			c.checkPEM("RSA PRIVATE KEY", auth.ClientKeyData)
			if i > 0 {
				continue // only the first is one that this machine knows
			}
			direct := &rest.Config{Host: address.URL, TLSClientConfig: rest.TLSClientConfig{CAData: authority, CertData: auth.ClientCertificateData, KeyData: auth.ClientKeyData}}
			if _, err := kubernetes.NewForConfigOrDie(direct).CoreV1().Pods("kube-system").List(c.t.Context(), metav1.ListOptions{}); err != nil {
				c.t.Errorf("%T at %s: %v", access, address.URL, err)
			}
		}
	}
}

// request sends the body of gardenlogin, with its validity.
func (c tools) request(shoot *gardencorev1beta1.Shoot, body client.Object) []byte {
	c.t.Helper()
	seconds := int64(900)
	var kubeconfig []byte
	var expires metav1.Time
	var err error
	switch body := body.(type) {
	case *authenticationv1alpha1.AdminKubeconfigRequest:
		body.Spec.ExpirationSeconds = &seconds
		err = c.garden.SubResource("adminkubeconfig").Create(c.t.Context(), shoot, body)
		kubeconfig, expires = body.Status.Kubeconfig, body.Status.ExpirationTimestamp
	case *authenticationv1alpha1.ViewerKubeconfigRequest:
		body.Spec.ExpirationSeconds = &seconds
		err = c.garden.SubResource("viewerkubeconfig").Create(c.t.Context(), shoot, body)
		kubeconfig, expires = body.Status.Kubeconfig, body.Status.ExpirationTimestamp
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if left := time.Until(expires.Time); left <= 0 || left > 15*time.Minute {
		c.t.Errorf("%T is valid for %s", body, left)
	}
	return kubeconfig
}

// checkPEM is how strict gardenlogin is: exactly one block of the type, without headers.
func (c tools) checkPEM(kind string, text []byte) {
	c.t.Helper()
	block, rest := pem.Decode(text)
	if block == nil || block.Type != kind || len(block.Headers) != 0 || len(bytes.TrimSpace(rest)) != 0 || !bytes.HasPrefix(text, []byte("-----BEGIN ")) {
		c.t.Errorf("this is not one block %s", kind)
		return
	}
	var err error
	if kind == "CERTIFICATE" {
		_, err = x509.ParseCertificate(block.Bytes)
	} else {
		_, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		c.t.Errorf("%s: %v", kind, err)
	}
}

// controlPlane does what gardenctl does for "target control-plane".
func (c tools) controlPlane() {
	shoot := c.shoot()
	seed := *shoot.Spec.SeedName
	err := c.garden.Get(c.t.Context(), client.ObjectKey{Namespace: "garden", Name: seed}, &seedmanagementv1alpha1.ManagedSeed{})
	if client.IgnoreNotFound(err) != nil || err == nil {
		c.t.Fatalf("the seed is managed: %v", err)
	}
	secret := &corev1.Secret{}
	c.l.Eventually(time.Minute, "the login of the seed exists", func() (bool, string) {
		err := c.garden.Get(c.t.Context(), client.ObjectKey{Namespace: "garden", Name: seed + ".login"}, secret)
		return err == nil, "no error but none found"
	})
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	if err != nil {
		c.t.Fatal(err)
	}
	pods, err := kubernetes.NewForConfigOrDie(config).CoreV1().Pods(shoot.Status.TechnicalID).List(c.t.Context(), metav1.ListOptions{LabelSelector: "app=kubernetes,role=apiserver"})
	if err != nil || len(pods.Items) == 0 {
		c.t.Errorf("%d API servers in the control plane, %v", len(pods.Items), err)
	}
	pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
	if err != nil {
		c.t.Fatal(err)
	}
	if left := time.Until(pair.Leaf.NotAfter); left < 3*time.Hour || left > 8*time.Hour {
		c.t.Errorf("the login is valid for %s", left)
	}
	if groups := pair.Leaf.Subject.Organization; strings.Join(groups, " ") != "gardener.cloud:landscape:operators" {
		c.t.Errorf("the login is one of %v, whom RBAC may not bind", groups)
	}
}

// dashboard makes the requests of its backend: as the user for what the user does, and for the shoot's page.
func (c tools) dashboard() {
	ctx := c.t.Context()
	api := kubernetes.NewForConfigOrDie(c.config)
	token, err := api.CoreV1().ServiceAccounts("garden-local").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot-dashboard", Annotations: map[string]string{"dashboard.gardener.cloud/description": "made by a test"}}}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() {
		_ = api.CoreV1().ServiceAccounts("garden-local").Delete(context.WithoutCancel(ctx), token.Name, metav1.DeleteOptions{})
	}()
	c.member(token.Name)
	seconds := int64(7776000)
	issued, err := api.CoreV1().ServiceAccounts("garden-local").CreateToken(ctx, token.Name, &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	review, err := api.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: issued.Status.Token}}, metav1.CreateOptions{})
	if err != nil || !review.Status.Authenticated || review.Status.User.Username != "system:serviceaccount:garden-local:robot-dashboard" {
		c.t.Errorf("the user of the token is %+v, %v", review, err)
	}
	as := rest.AnonymousClientConfig(c.config)
	as.BearerToken = issued.Status.Token
	c.asMember(kubernetes.NewForConfigOrDie(as), as)
}

// member adds a robot to the project, as the page of members does.
func (c tools) member(name string) {
	c.t.Helper()
	project := &gardencorev1beta1.Project{}
	c.get(project, "", "local")
	before := project.DeepCopy()
	project.Spec.Members = append(project.Spec.Members, gardencorev1beta1.ProjectMember{
		Subject: rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "garden-local", Name: name}, Role: "admin",
	})
	if err := c.garden.Patch(c.t.Context(), project, client.MergeFrom(before)); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		ctx, now := context.WithoutCancel(c.t.Context()), &gardencorev1beta1.Project{}
		if err := c.garden.Get(ctx, client.ObjectKey{Name: "local"}, now); err == nil {
			changed := now.DeepCopy()
			changed.Spec.Members = before.Spec.Members
			_ = c.garden.Patch(ctx, changed, client.MergeFrom(now))
		}
	})
}

func (c tools) asMember(api kubernetes.Interface, config *rest.Config) {
	may := func(verb, group, resource, namespace string) (bool, string) {
		review, err := api.AuthorizationV1().SelfSubjectAccessReviews().Create(c.t.Context(), &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource, Namespace: namespace},
		}}, metav1.CreateOptions{})
		if err != nil {
			return false, err.Error()
		}
		return review.Status.Allowed, "not allowed"
	}
	const core = "core.gardener.cloud"
	c.l.Eventually(time.Minute, "the new member may list shoots", func() (bool, string) { return may("list", core, "shoots", "garden-local") })
	for _, q := range []struct {
		verb, group, resource, namespace string
		want                             bool
	}{
		{"get", "", "secrets", "", false}, // this is how the dashboard recognises an administrator
		{"list", core, "shoots", "", false},
		{"list", core, "projects", "", false},
		{"list", core, "seeds", "", true},
		{"list", core, "cloudprofiles", "", true},
		{"get", "", "secrets", "garden-local", true},
		{"list", "", "resourcequotas", "garden-local", true},
	} {
		if allowed, said := may(q.verb, q.group, q.resource, q.namespace); allowed != q.want {
			c.t.Errorf("may %s %s in namespace %q: %t, %s", q.verb, q.resource, q.namespace, allowed, said)
		}
	}
	rules, err := api.AuthorizationV1().SelfSubjectRulesReviews().Create(c.t.Context(), &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "garden-local"}}, metav1.CreateOptions{})
	if err != nil || len(rules.Status.ResourceRules) == 0 {
		c.t.Errorf("rules %+v, %v", rules, err)
	}
	member, err := client.NewWithWatch(config, client.Options{Scheme: c.garden.Scheme()})
	if err != nil {
		c.t.Fatal(err)
	}
	c.garden = member
	c.pages(member)
	shoot, authority := c.shoot(), &corev1.ConfigMap{}
	if c.get(authority, shoot.Namespace, shoot.Name+".ca-cluster"); !strings.HasPrefix(authority.Data["ca.crt"], "-----BEGIN CERTIFICATE") {
		c.t.Errorf("the authority of the shoot is %q", authority.Data["ca.crt"])
	}
	if address := shoot.Status.AdvertisedAddresses[0].Name; address != "external" && address != "internal" && address != "unmanaged" {
		c.t.Errorf("the first address is %q, for which the dashboard makes no context", address)
	}
	c.request(shoot, &authenticationv1alpha1.AdminKubeconfigRequest{})
	purpose := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"purpose":"testing"}}`))
	if err := member.Patch(c.t.Context(), shoot, purpose); err != nil || *shoot.Spec.Purpose != "testing" {
		c.t.Errorf("the purpose is %v, %v", shoot.Spec.Purpose, err)
	}
	version := client.RawPatch("application/json-patch+json", []byte(`[{"op":"replace","path":"/spec/kubernetes/version","value":"`+shoot.Spec.Kubernetes.Version+`"}]`))
	if err := member.Patch(c.t.Context(), shoot, version); err != nil {
		c.t.Errorf("the version cannot be set: %v", err)
	}
}
