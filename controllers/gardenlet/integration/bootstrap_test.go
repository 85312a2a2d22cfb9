package integration

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap/again"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// environment is garden and seed.
var environment *gardenapitest.Garden

func toGarden(seed string) config.GardenClientConnection {
	return config.GardenClientConnection{
		BootstrapKubeconfig: &corev1.SecretReference{Namespace: "garden", Name: "bootstrap-" + seed},
		KubeconfigSecret:    &corev1.SecretReference{Namespace: "garden", Name: "kubeconfig-" + seed},
	}
}

func secretOf(ref *corev1.SecretReference) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name}}
}

// invite writes a bootstrap kubeconfig with a token that belongs to another object than the seed if owner differs.
func invite(t *testing.T, seed, owner string) {
	t.Helper()
	token := bootstraptoken.New(bootstraptoken.ID("", owner), "test", time.Now().Add(time.Hour))
	_ = cluster.Delete(t.Context(), token.DeepCopy())
	create(t, token)
	garden := bootstrap.Garden{Server: environment.Config.Host, CA: environment.Config.CAData}
	kubeconfig, err := garden.TokenKubeconfig(bootstraptoken.Token(token))
	if err != nil {
		t.Fatal(err)
	}
	if err := bootstrap.Write(t.Context(), cluster, *toGarden(seed).BootstrapKubeconfig, kubeconfig); err != nil {
		t.Fatal(err)
	}
}

func userOf(t *testing.T, access *rest.Config) string {
	t.Helper()
	c, err := kubernetes.NewForConfig(access)
	if err != nil {
		t.Fatal(err)
	}
	review, err := c.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.UserInfo.Username + " " + strings.Join(review.Status.UserInfo.Groups, " ")
}

func requests(t *testing.T, seed string) int {
	t.Helper()
	list := &certificatesv1.CertificateSigningRequestList{}
	if err := cluster.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range list.Items {
		block, _ := pem.Decode(list.Items[i].Spec.Request)
		if parsed, err := x509.ParseCertificateRequest(block.Bytes); err == nil && parsed.Subject.CommonName == "gardener.cloud:system:seed:"+seed {
			if !strings.HasPrefix(list.Items[i].Name, "seed-csr-") {
				t.Errorf("request is called %q", list.Items[i].Name)
			}
			found++
		}
	}
	return found
}

// follow runs the controller that follows the Secrets of the gardenlet until the test ends.
func follow(t *testing.T, access *bootstrap.Access, seed string) {
	t.Helper()
	mgr, err := manager.New(environment.Config, manager.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&again.Reconciler{Access: access, SeedName: seed}).AddToManager(mgr, workers.Insistent(1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestBootstrap(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &signer{}
	s.validity.Store(int64(time.Hour))
	go s.run(ctx, t)
	renewing := "gardenlets-renew-certificates" // instead of the seed authorizer
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: renewing}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"certificatesigningrequests", "certificatesigningrequests/seedclient"}, Verbs: []string{"create", "get"},
	}}})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: renewing}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: renewing},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "gardener.cloud:system:seeds"}},
	})
	const seed = "bootstrapped"
	now := clocktesting.NewFakeClock(time.Now())
	in := bootstrap.Inputs{Name: seed, Seed: cluster, Connection: toGarden(seed), Clock: ticking{now}}
	open := func(t *testing.T) *bootstrap.Access {
		t.Helper()
		access, err := bootstrap.Open(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return access
	}
	t.Run("GLT-1 without bootstrap kubeconfig the error says what is missing", func(t *testing.T) {
		if _, err := bootstrap.Open(t.Context(), in); err == nil || !strings.Contains(err.Error(), "garden/bootstrap-"+seed) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("GLT-1 GLT-3 a bootstrap token becomes a certificate of the seed", func(t *testing.T) {
		invite(t, seed, seed)
		access := open(t)
		if user := userOf(t, access.Config()); !strings.HasPrefix(user, "gardener.cloud:system:seed:"+seed+" gardener.cloud:system:seeds") {
			t.Errorf("user is %q", user)
		}
		if _, err := get(t.Context(), secretOf(in.Connection.KubeconfigSecret)); err != nil {
			t.Error(err)
		}
		if err := isGone(secretOf(in.Connection.BootstrapKubeconfig))(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GLT-1 the next start uses the stored certificate", func(t *testing.T) {
		before := requests(t, seed)
		open(t)
		if after := requests(t, seed); after != before {
			t.Errorf("%d requests more", after-before)
		}
	})
	t.Run("GLT-5 an annotation of the Secret renews it at the next start", func(t *testing.T) {
		secret, err := get(t.Context(), secretOf(in.Connection.KubeconfigSecret))
		if err != nil {
			t.Fatal(err)
		}
		before := string(secret.Data["kubeconfig"])
		merge(t, secret, `{"metadata":{"annotations":{"gardener.cloud/operation":"renew"}}}`)
		open(t)
		if _, err := get(t.Context(), secret); err != nil || string(secret.Data["kubeconfig"]) == before || len(secret.Annotations) > 0 {
			t.Errorf("kubeconfig is the same, or annotations %v, %v", secret.Annotations, err)
		}
	})
	t.Run("GLT-4 clients follow a renewal", func(t *testing.T) {
		access := open(t)
		config := access.Config()
		userOf(t, config)
		s.validity.Store(int64(2 * time.Hour))
		if err := access.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		userOf(t, config)
		if time.Until(access.Expires()) < 90*time.Minute {
			t.Errorf("certificate expires at %s", access.Expires())
		}
	})
	t.Run("GLT-7 a renewal writes the authorities of the configuration", func(t *testing.T) {
		stored := func() []byte {
			secret, err := get(t.Context(), secretOf(in.Connection.KubeconfigSecret))
			if err != nil {
				t.Fatal(err)
			}
			config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
			if err != nil {
				t.Fatal(err)
			}
			return config.CAData
		}
		before := stored()
		in.Connection.GardenClusterCACert = slices.Concat(before, []byte("\n"), before) // another bundle with the authority of the garden
		defer func() { in.Connection.GardenClusterCACert = nil }()
		access := open(t)
		if err := access.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		userOf(t, access.Config())
		if !bytes.Equal(stored(), in.Connection.GardenClusterCACert) {
			t.Errorf("the Secret has other authorities:\n%s", stored())
		}
	})
	t.Run("GLT-4 the certificate is renewed after 70 to 90 percent of its life", func(t *testing.T) {
		access := open(t)
		running, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- access.Start(running) }()
		before := requests(t, seed)
		now.Step(2 * time.Hour * 69 / 100)
		testwait.Stays(t, 200*time.Millisecond, "the certificate", func() error {
			if requests(t, seed) != before {
				return errors.New("it was renewed too early")
			}
			return nil
		})
		now.Step(2 * time.Hour * 22 / 100)
		eventually(t, "renewal", func(context.Context) error {
			if requests(t, seed) == before {
				return errors.New("no request")
			}
			return nil
		})
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		now.SetTime(time.Now())
	})
	t.Run("GLT-1 a certificate that the garden does not know needs another token", func(t *testing.T) {
		secret, err := get(t.Context(), secretOf(in.Connection.KubeconfigSecret))
		if err != nil {
			t.Fatal(err)
		}
		kubeconfig := foreignKubeconfig(t, seed)
		secret.Data["kubeconfig"] = kubeconfig
		if err := cluster.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if _, err := bootstrap.Open(t.Context(), in); err == nil {
			t.Fatal("it was used")
		}
		invite(t, seed, seed)
		userOf(t, open(t).Config())
	})
	t.Run("MSD-9 a gardenlet that runs bootstraps again when it has lost its kubeconfig and has another token", func(t *testing.T) {
		access := open(t)
		follow(t, access, seed)
		config, expires, before := access.Config(), access.Expires(), requests(t, seed)
		s.validity.Store(int64(3 * time.Hour))
		kubeconfig := secretOf(in.Connection.KubeconfigSecret)
		if err := cluster.Delete(t.Context(), kubeconfig.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		testwait.Stays(t, 200*time.Millisecond, "the certificate without a token", func() error {
			if !access.Expires().Equal(expires) || requests(t, seed) != before {
				return errors.New("it was replaced")
			}
			return nil
		})
		invite(t, seed, seed)
		eventually(t, "another certificate", func(ctx context.Context) error {
			if access.Expires().Equal(expires) {
				return errors.New("the certificate is the former one")
			}
			if err := isGone(secretOf(in.Connection.BootstrapKubeconfig))(ctx); err != nil {
				return err
			}
			_, err := get(ctx, kubeconfig)
			return err
		})
		if user := userOf(t, config); !strings.HasPrefix(user, "gardener.cloud:system:seed:"+seed+" ") || requests(t, seed) != before+1 {
			t.Errorf("user is %q after %d requests", user, requests(t, seed)-before)
		}
	})
	t.Run("GLT-2 with a ready kubeconfig nothing is requested", func(t *testing.T) {
		before := requests(t, seed)
		ready := in
		ready.Connection.Kubeconfig = environment.Kubeconfig
		config, access, err := bootstrap.Connect(t.Context(), ready)
		if err != nil || access != nil {
			t.Fatalf("access %v, %v", access, err)
		}
		if user := userOf(t, config); !strings.HasPrefix(user, "admin ") {
			t.Errorf("user is %q", user)
		}
		if after := requests(t, seed); after != before {
			t.Errorf("%d requests", after-before)
		}
	})
	t.Run("GLT-1 the token of another seed gets nothing", func(t *testing.T) {
		const victim = "victim"
		invite(t, victim, "local") // a Seed that exists
		stolen := in
		stolen.Name, stolen.Connection = victim, toGarden(victim)
		if _, err := bootstrap.Open(t.Context(), stolen); err == nil || !strings.Contains(err.Error(), `belongs to seed "local"`) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("GLT-6 a request that nobody answers for 15 minutes is followed by another one, which a person may approve", func(t *testing.T) {
		const taken = "local"
		token := bootstraptoken.New("abcdef", "of an operator", time.Now().Add(time.Hour))
		create(t, token)
		garden := bootstrap.Garden{Server: environment.Config.Host, CA: environment.Config.CAData}
		kubeconfig, err := garden.TokenKubeconfig(bootstraptoken.Token(token))
		if err != nil {
			t.Fatal(err)
		}
		waiting := in
		waiting.Name, waiting.Connection = taken, toGarden("waiting")
		if err := bootstrap.Write(t.Context(), cluster, *waiting.Connection.BootstrapKubeconfig, kubeconfig); err != nil {
			t.Fatal(err)
		}
		opened := make(chan error, 1)
		before := requests(t, taken)
		go func() {
			_, err := bootstrap.Open(t.Context(), waiting)
			opened <- err
		}()
		count := func(want int) func(context.Context) error {
			return func(context.Context) error {
				if got := requests(t, taken) - before; got != want {
					return fmt.Errorf("%d requests", got)
				}
				return nil
			}
		}
		eventually(t, "first request", count(1))
		now.Step(15*time.Minute + time.Second)
		eventually(t, "second request", count(2))
		approveAll(t)
		if err := <-opened; err != nil {
			t.Error(err)
		}
	})
}
