package integration

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

func TestScale(t *testing.T) {
	c, ctx := admin(t), t.Context()
	if err := seedmanagement.AddToScheme(c.Scheme()); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"set": "a"}
	set := &seedmanagement.ManagedSeedSet{
		ObjectMeta: metav1.ObjectMeta{Name: "set", Namespace: constants.GardenNamespace},
		Spec:       seedmanagement.ManagedSeedSetSpec{Selector: metav1.LabelSelector{MatchLabels: labels}},
	}
	set.Spec.Template.Labels, set.Spec.ShootTemplate.Labels = labels, labels
	set.Spec.Template.Spec.Gardenlet = &seedmanagement.GardenletConfig{}
	set.Spec.ShootTemplate.Spec = newShoot(project(t), cloudProfile(t)).Spec
	if err := c.Create(ctx, set); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(ctx, set) })

	t.Run("API-37 a set shows its scale", func(t *testing.T) {
		scale := &autoscalingv1.Scale{}
		if err := c.SubResource("scale").Get(ctx, set, scale); err != nil {
			t.Fatal(err)
		}
		if scale.Spec.Replicas != 1 || scale.Status.Selector != "set=a" {
			t.Errorf("scale is %+v", scale)
		}
	})
	t.Run("API-37 the scale can be changed", func(t *testing.T) {
		scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
		if err := c.SubResource("scale").Update(ctx, set, client.WithSubResourceBody(scale)); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			t.Fatal(err)
		}
		if *set.Spec.Replicas != 3 || set.Generation != 2 {
			t.Errorf("replicas %d, generation %d", *set.Spec.Replicas, set.Generation)
		}
	})
	t.Run("API-37 kubectl scale finds and changes it", func(t *testing.T) {
		scales := scaleClient(t, c.RESTMapper()).Scales(set.Namespace)
		sets := seedmanagement.SchemeGroupVersion.WithResource("managedseedsets")
		scale, err := scales.Patch(ctx, sets, set.Name, types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			t.Fatal(err)
		}
		if scale.Spec.Replicas != 2 || *set.Spec.Replicas != 2 {
			t.Errorf("the scale has %d replicas, the set %d", scale.Spec.Replicas, *set.Spec.Replicas)
		}
	})
	t.Run("API-37 it cannot be negative", func(t *testing.T) {
		wantStatus(t, tryMerge(t, c, set.DeepCopy(), `{"spec":{"replicas":-1}}`, "scale"), 422, "spec.replicas")
	})
}

// scaleClient is what kubectl scale uses: it discovers the form of the scale.
func scaleClient(t *testing.T, mapper meta.RESTMapper) scale.ScalesGetter {
	t.Helper()
	discoverer, err := discovery.NewDiscoveryClientForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	scales, err := scale.NewForConfig(garden.Config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(discoverer))
	if err != nil {
		t.Fatal(err)
	}
	return scales
}

// keyFile is a key that can sign tokens.
func keyFile(t *testing.T) (string, *ecdsa.PrivateKey) {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, content, err := pki.Client("tokens")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tokens.key")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(content)
	var key any
	if key, err = x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
		if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	return file, key.(*ecdsa.PrivateKey)
}

func TestWorkloadIdentityToken(t *testing.T) {
	file, key := keyFile(t)
	_, direct := another(t, func(c *gardenapi.Config) {
		c.WorkloadIdentity = gardenapi.WorkloadIdentity{KeyFile: file, Issuer: "https://issuer.example.org"}
	})
	s := shoot(t)
	identity := create(t, &security.WorkloadIdentity{
		ObjectMeta: metav1.ObjectMeta{Name: "identity", Namespace: s.Namespace},
		Spec:       security.WorkloadIdentitySpec{Audiences: []string{"cloud"}, TargetSystem: security.TargetSystem{Type: "local"}},
	})
	ask := func(config *rest.Config, spec security.TokenRequestSpec) (*security.TokenRequest, error) {
		body := &security.TokenRequest{Spec: spec}
		return body, clientFor(t, config).SubResource("token").Create(t.Context(), identity, body)
	}
	gardenlet := rest.CopyConfig(direct)
	// This garden has no seed authorizer, so the second group allows what the authorizer would.
	gardenlet.Impersonate = rest.ImpersonationConfig{UserName: "gardener.cloud:system:seed:a", Groups: []string{constants.SeedsGroup, "system:masters"}}

	t.Run("the subject is made of the identity and cannot be changed", func(t *testing.T) {
		want := fmt.Sprintf("gardener.cloud:workloadidentity:%s:identity:%s", s.Namespace, identity.UID)
		merge(t, identity, `{"metadata":{"labels":{"a":"b"}},"status":{"sub":"other"}}`)
		if identity.Status.Sub != want {
			t.Errorf("subject is %q, want %q", identity.Status.Sub, want)
		}
	})
	t.Run("a token names identity and context, and lives no longer than allowed", func(t *testing.T) {
		answer, err := ask(gardenlet, security.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](1 << 30), ContextObject: &security.ContextObject{
			APIVersion: "core.gardener.cloud/v1beta1", Kind: "Shoot", Name: s.Name, Namespace: &s.Namespace, UID: s.UID}})
		if err != nil {
			t.Fatal(err)
		}
		claims := jwt.MapClaims{}
		if _, err := jwt.ParseWithClaims(answer.Status.Token, claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil },
			jwt.WithIssuer("https://issuer.example.org"), jwt.WithAudience("cloud"), jwt.WithSubject(identity.Status.Sub), jwt.WithExpirationRequired()); err != nil {
			t.Fatal(err)
		}
		about := claims["gardener.cloud"].(map[string]any)
		if about["shoot"].(map[string]any)["uid"] != string(s.UID) || about["workloadIdentity"].(map[string]any)["name"] != "identity" || about["project"] == nil {
			t.Errorf("claim is %v", about)
		}
		if left := time.Until(answer.Status.ExpirationTimestamp.Time); left > 48*time.Hour || left < 47*time.Hour {
			t.Errorf("it ends in %s", left)
		}
	})
	t.Run("only gardenlets may name a context", func(t *testing.T) {
		_, err := ask(direct, security.TokenRequestSpec{ContextObject: &security.ContextObject{APIVersion: "v1", Kind: "Shoot", Name: "s", UID: "u"}})
		wantStatus(t, err, 403, "gardenlets")
	})
	t.Run("the context has to be the object that is meant", func(t *testing.T) {
		_, err := ask(gardenlet, security.TokenRequestSpec{ContextObject: &security.ContextObject{
			APIVersion: "core.gardener.cloud/v1beta1", Kind: "Shoot", Name: s.Name, Namespace: &s.Namespace, UID: "other"}})
		wantStatus(t, err, 409, "UID")
	})
	t.Run("too short a life is refused", func(t *testing.T) {
		_, err := ask(direct, security.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](1)})
		wantStatus(t, err, 422, "spec.expirationSeconds")
	})
	t.Run("without a key there are no tokens", func(t *testing.T) {
		_, err := ask(garden.Config, security.TokenRequestSpec{})
		wantStatus(t, err, 503, "key")
	})
}

func TestViewerKubeconfig(t *testing.T) {
	s := reachableShoot(t)
	ask := func(c client.Client) string {
		t.Helper()
		if err := authentication.AddToScheme(c.Scheme()); err != nil {
			t.Fatal(err)
		}
		body := &authentication.ViewerKubeconfigRequest{}
		if err := c.SubResource("viewerkubeconfig").Create(t.Context(), s, body); err != nil {
			t.Fatal(err)
		}
		return clientCertificate(t, body.Status.Kubeconfig).Subject.String()
	}
	t.Run("who may list all Secrets is a viewer of the landscape", func(t *testing.T) {
		if got, want := ask(admin(t)), "CN=gardener.cloud:viewer:admin,O=gardener.cloud:system:viewers"; got != want {
			t.Errorf("subject is %q, want %q", got, want)
		}
	})
	t.Run("others are viewers of the project", func(t *testing.T) {
		viewer := user(t, "somebody", s.Namespace, "gardener.cloud:system:project-viewer-aggregation")
		if got, want := ask(viewer), "CN=gardener.cloud:viewer:somebody,O=gardener.cloud:project:viewers"; got != want {
			t.Errorf("subject is %q, want %q", got, want)
		}
	})
}

func TestKubeconfigFromState(t *testing.T) {
	s := reachableShoot(t)
	secret := &core.InternalSecret{ObjectMeta: metav1.ObjectMeta{Name: s.Name + ".ca-client", Namespace: s.Namespace}}
	if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		t.Fatal(err)
	}
	remove(t, admin(t), secret)
	t.Run("AKC-6 a missing ShootState is told", func(t *testing.T) {
		_, err := request(t, admin(t), s, nil)
		wantStatus(t, err, 500, "ShootState")
	})
	state := &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace}}
	state.Spec.Gardener = []core.GardenerResourceData{{Name: "ca-client", Type: "secret"}}
	state.Spec.Gardener[0].Data.Raw = mustJSON(t, secret.Data)
	create(t, state)
	t.Run("AKC-6 the CA is taken from the ShootState", func(t *testing.T) {
		if _, err := request(t, admin(t), s, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestOldVersion(t *testing.T) {
	c, ctx := admin(t), t.Context()
	state := create(t, &core.ShootState{ObjectMeta: metav1.ObjectMeta{GenerateName: "state-", Namespace: "default"}})
	t.Run("API-1 a ShootState is served as v1alpha1, too", func(t *testing.T) {
		old := rawObject("core.gardener.cloud/v1alpha1", "ShootState", "default", state.Name)
		if err := c.Get(ctx, client.ObjectKeyFromObject(old), old); err != nil {
			t.Fatal(err)
		}
		if old.GetUID() != state.UID || old.GetAPIVersion() != "core.gardener.cloud/v1alpha1" {
			t.Errorf("got %v", old.Object)
		}
	})
	t.Run("API-30 what is written as v1alpha1 can be read as v1beta1", func(t *testing.T) {
		plant := rawObject("core.gardener.cloud/v1alpha1", "Plant", "default", "plant")
		plant.Object["spec"] = map[string]any{"secretRef": map[string]any{"name": "access"},
			"endpoints": []any{map[string]any{"name": "console", "url": "https://example.org", "purpose": "management"}}}
		if err := c.Create(ctx, plant); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove(t, admin(t), plant) })
		now := &core.Plant{}
		if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "plant"}, now); err != nil {
			t.Fatal(err)
		}
		if now.Spec.SecretRef.Name != "access" || now.Spec.Endpoints[0].URL != "https://example.org" {
			t.Errorf("got %+v", now.Spec)
		}
		merge(t, now, `{"status":{"clusterInfo":{"cloud":{"type":"a","region":"b"},"kubernetes":{"version":"1.20.0"}}}}`, "status")
		if now.Status.ClusterInfo.Kubernetes.Version != "1.20.0" || now.Generation != 1 {
			t.Errorf("got %+v", now)
		}
	})
	t.Run("API-30 a Plant needs a Secret", func(t *testing.T) {
		wantStatus(t, c.Create(ctx, &core.Plant{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}}), 422, "spec.secretRef.name")
	})
}

func TestInlineDeployment(t *testing.T) {
	c, ctx := admin(t), t.Context()
	registration := rawObject("core.gardener.cloud/v1beta1", "ControllerRegistration", "", "inline")
	registration.Object["spec"] = map[string]any{
		"resources":  []any{map[string]any{"kind": "OperatingSystemConfig", "type": "inline"}},
		"deployment": map[string]any{"type": "helm", "providerConfig": map[string]any{"chart": "Y2hhcnQ=", "values": map[string]any{"a": "b"}}},
	}
	if err := c.Create(ctx, registration); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, admin(t), registration) })
	deployment := &core.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "inline"}}
	t.Cleanup(func() { remove(t, admin(t), deployment) })

	t.Run("API-33 a chart in the registration becomes a deployment", func(t *testing.T) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil {
			t.Fatal(err)
		}
		if deployment.Type != "helm" || !strings.Contains(string(deployment.ProviderConfig.Raw), `"chart":"Y2hhcnQ="`) || !metav1.IsControlledBy(deployment, registration) {
			t.Errorf("deployment is %+v", deployment)
		}
		now := &core.ControllerRegistration{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(registration), now); err != nil {
			t.Fatal(err)
		}
		if refs := now.Spec.Deployment.DeploymentRefs; len(refs) != 1 || refs[0].Name != "inline" {
			t.Errorf("references are %v", refs)
		}
	})
	t.Run("API-33 a change of the chart reaches the deployment", func(t *testing.T) {
		merge(t, registration, `{"spec":{"deployment":{"providerConfig":{"values":{"a":"c"}}}}}`)
		if err := c.Get(ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(deployment.ProviderConfig.Raw), `"a":"c"`) {
			t.Errorf("content is %s", deployment.ProviderConfig.Raw)
		}
	})
	t.Run("API-33 a foreign deployment of the name is left alone", func(t *testing.T) {
		create(t, &core.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}, Type: "custom"})
		other := rawObject("core.gardener.cloud/v1beta1", "ControllerRegistration", "", "foreign")
		other.Object["spec"] = map[string]any{"deployment": map[string]any{"type": "custom"}}
		wantStatus(t, c.Create(ctx, other), 409, "does not belong")
	})
}

func TestProfileWithoutExpired(t *testing.T) {
	t.Run("VER-2 expired versions leave a profile that is written", func(t *testing.T) {
		profile := cloudProfile(t)
		next := &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: profile.Name + "-next"}, Spec: *profile.Spec.DeepCopy()}
		next.Spec.Kubernetes.Versions[2].ExpirationDate = &metav1.Time{Time: time.Now().Add(-time.Hour)}
		create(t, next)
		if got := len(next.Spec.Kubernetes.Versions); got != 3 {
			t.Errorf("%d versions are left of a new profile with one expired of four", got)
		}
		merge(t, profile, `{"spec":{"kubernetes":{"versions":[{"version":"1.36.3"},{"version":"1.35.9","expirationDate":"2020-01-01T00:00:00Z"}]}}}`)
		if got := len(profile.Spec.Kubernetes.Versions); got != 2 {
			t.Errorf("%d versions are left after a change, want 2", got)
		}
	})
}

func TestRolesOfOldKinds(t *testing.T) {
	role := &rbacv1.ClusterRole{}
	if err := admin(t).Get(t.Context(), client.ObjectKey{Name: "gardener.cloud:system:project-member-aggregation"}, role); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(role.Rules), "plants") {
		t.Error("API-30 members may not write Plants")
	}
}
