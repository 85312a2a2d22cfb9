package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
)

// newScheduledShoot creates a Shoot that a seed of its own has taken.
func newScheduledShoot(t *testing.T, name string) (*gardencorev1beta1.Shoot, *gardencorev1beta1.Seed) {
	t.Helper()
	seed := create(t, newSeed(name))
	ready(t, seed)
	shoot := newShootOf(t, name, func(s *gardencorev1beta1.Shoot) { s.Spec.SchedulerName = nil })
	shootIs(t, shoot, "seed name", func() (bool, any) { return shoot.Spec.SeedName != nil, shoot.Status.LastOperation })
	return shoot, seed
}

func TestBastion(t *testing.T) {
	t.Parallel()
	shoot, _ := newScheduledShoot(t, "bast")
	bastion := func(name string) *operationsv1alpha1.Bastion {
		b := &operationsv1alpha1.Bastion{ObjectMeta: metav1.ObjectMeta{Namespace: shoot.Namespace, Name: name}}
		b.Spec.ShootRef.Name = shoot.Name
		b.Spec.SSHPublicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPe9R0Q2EbOpoGLOxLJNEjCTRpDBVLw6Lr0QIXWQ0d2W test"
		b.Spec.Ingress = []operationsv1alpha1.BastionIngressPolicy{{}}
		b.Spec.Ingress[0].IPBlock.CIDR = "10.0.0.0/8"
		return create(t, b)
	}
	expiring, other := bastion("expiring"), bastion("other")
	t.Run("GCM-31 BST-10 a bastion without heartbeats is deleted, another is not", func(t *testing.T) {
		eventually(t, "expiration", func(ctx context.Context) error {
			if _, err := get(ctx, expiring); err != nil || expiring.Status.ExpirationTimestamp == nil {
				return fmt.Errorf("status %+v, %v", expiring.Status, err)
			}
			return nil
		})
		stays(t, 500*time.Millisecond, "not deleted before its time", func(ctx context.Context) error {
			_, err := get(ctx, expiring)
			return err
		})
		merge(t, expiring, `{"status":{"expirationTimestamp":"`+ago(time.Second)+`"}}`, "status")
		eventually(t, "bastion", isGone(expiring))
		if _, err := get(t.Context(), other); err != nil {
			t.Error(err)
		}
	})
	t.Run("GCM-31 it goes with its shoot", func(t *testing.T) {
		remove(t, shoot)
		eventually(t, "bastion", isGone(other))
	})
}

func TestShootsOfSilentSeeds(t *testing.T) {
	t.Parallel()
	shoot, seed := newScheduledShoot(t, "lost")
	now := ago(0)
	condition := func(kind string) string {
		return fmt.Sprintf(`{"type":%q,"status":"True","reason":"x","message":"x","lastTransitionTime":%q,"lastUpdateTime":%q}`, kind, now, now)
	}
	merge(t, shoot, fmt.Sprintf(`{"status":{"seedName":%q,"conditions":[%s],"constraints":[%s]}}`, seed.Name, condition("APIServerAvailable"), condition("HibernationPossible")), "status")
	t.Run("GCM-23 conditions and constraints become unknown after a while", func(t *testing.T) {
		lease := leaseOf(seed.Name)
		merge(t, lease, `{"spec":{"holderIdentity":"silent"}}`) // the test's gardenlet renews its own lease only
		shootIs(t, shoot, "unknown", func() (bool, any) {
			all := append(append([]gardencorev1beta1.Condition{}, shoot.Status.Conditions...), shoot.Status.Constraints...)
			for _, c := range all {
				if c.Status != gardencorev1beta1.ConditionUnknown || c.Reason != "StatusUnknown" {
					return false, all
				}
			}
			return len(all) == 2, all
		})
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	about := func(name, kind, apiVersion string) *corev1.Event {
		return create(t, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: name},
			InvolvedObject: corev1.ObjectReference{Kind: kind, APIVersion: apiVersion, Namespace: "default", Name: "x"}, LastTimestamp: metav1.Now(),
		})
	}
	shoot, pod := about("about-shoot", "Shoot", gardencorev1beta1.SchemeGroupVersion.String()), about("about-pod", "Pod", "v1")
	t.Run("GCM-15 old events are deleted, those about shoots stay", func(t *testing.T) {
		eventually(t, "event", isGone(pod))
		if _, err := get(t.Context(), shoot); err != nil {
			t.Error(err)
		}
	})
}

// requestAs requests a client certificate as the given user.
func requestAs(t *testing.T, user, group, name string, subject pkix.Name) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(access)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{group, "system:authenticated"}}
	c, err := client.New(config, client.Options{Scheme: garden.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	csr := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageClientAuth},
			ExpirationSeconds: ptr.To[int32](3600),
		},
	}
	if err := c.Create(t.Context(), csr); err != nil {
		t.Fatal(err)
	}
	return csr
}

func TestCertificateRequests(t *testing.T) {
	t.Parallel()
	for group, resources := range map[string][]string{
		"may-join": {"certificatesigningrequests", "certificatesigningrequests/seedclient"}, "may-ask": {"certificatesigningrequests"},
	} {
		create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: group}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"certificates.k8s.io"}, Resources: resources, Verbs: []string{"create", "get"}},
		}})
		create(t, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: group}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: group},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: group}},
		})
	}
	has := func(csr *certificatesv1.CertificateSigningRequest, kind certificatesv1.RequestConditionType) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, csr); err != nil {
				return err
			}
			for _, c := range csr.Status.Conditions {
				if c.Type == kind {
					return nil
				}
			}
			return fmt.Errorf("conditions %+v", csr.Status.Conditions)
		}
	}
	seed := pkix.Name{CommonName: "gardener.cloud:system:seed:x", Organization: []string{"gardener.cloud:system:seeds"}}
	foreign := requestAs(t, "u", "may-join", "foreign", pkix.Name{CommonName: "gardener.cloud:system:seed:x", Organization: []string{"system:masters2"}})
	t.Run("GCM-29 a gardenlet that may join is approved", func(t *testing.T) {
		eventually(t, "approved", has(requestAs(t, "u", "may-join", "gardenlet", seed), certificatesv1.CertificateApproved))
	})
	t.Run("GCM-29 one whose requester may not is not", func(t *testing.T) {
		denied := requestAs(t, "u", "may-ask", "stranger", seed)
		eventually(t, "denied", has(denied, certificatesv1.CertificateDenied))
		if err := has(denied, certificatesv1.CertificateApproved)(t.Context()); err == nil {
			t.Error("the request was approved")
		}
	})
	t.Run("GCM-29 a request of another organization stays pending", func(t *testing.T) {
		if _, err := get(t.Context(), foreign); err != nil || len(foreign.Status.Conditions) > 0 {
			t.Errorf("conditions %+v, %v", foreign.Status.Conditions, err)
		}
	})
}
