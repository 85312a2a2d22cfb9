package apiserver

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	namespace     = "shoot--sky--sun"
	encryptionKey = "kube-apiserver-etcd-encryption-key"
	tokenKey      = "service-account-key"
)

// keysOf returns the keys of a shoot, with old ones if they are being rotated.
func keysOf(t *testing.T, cluster client.Client, rotated bool) credentials.Made {
	t.Helper()
	generate := func(rotations map[string]time.Time) credentials.Made {
		manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
			Reader: cluster, Writer: cluster, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: namespace, Identity: "test", Rotations: rotations,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, config := range []secretsmanager.Config{secretsmanager.EncryptionKey{Name: encryptionKey, Bytes: 32}, secretsmanager.Key{Name: tokenKey}} {
			if _, err := manager.Generate(t.Context(), config, secretsmanager.Rotate(secretsmanager.KeepOld)); err != nil {
				t.Fatal(err)
			}
		}
		return credentials.Made{Manager: manager}
	}
	made := generate(nil)
	if rotated {
		made = generate(map[string]time.Time{encryptionKey: time.Unix(4000, 0), tokenKey: time.Unix(4000, 0)})
	}
	return made
}

// TestWhichKeysAreUsed is about two API servers that run at a time: none may write what the other cannot read, and none may
// sign what the other cannot verify.
func TestWhichKeysAreUsed(t *testing.T) {
	for name, tc := range map[string]struct {
		rotated             bool
		phase               gardencorev1beta1.CredentialsRotationPhase // of the service account key
		encryption, signing string                                     // annotations of the Deployment; "current" stands for the name of the new key
		noServer            bool
		marked              bool
		encrypts, signs     string // the encryption keys by age, of which the first encrypts, and the age of the key that signs
	}{
		"the only keys are": {encrypts: "new", signs: "new"},
		"CAR-14 the old ones are as long as an API server may lack the new": {rotated: true, phase: "Preparing", encrypts: "old new", signs: "old"},
		"CAR-14 the new ones are when all API servers have them": {
			rotated: true, phase: "Preparing", encryption: "current", signing: "current", encrypts: "new old", signs: "new",
		},
		"CAR-14 each key is by itself": {rotated: true, phase: "Preparing", encryption: "current", encrypts: "new old", signs: "old"},
		"CAR-14 what was known in an earlier rotation does not count": {
			rotated: true, phase: "PreparingWithoutWorkersRollout", encryption: "earlier", signing: "earlier", encrypts: "old new", signs: "old",
		},
		"CAR-14 without a Deployment nobody has the new ones":             {rotated: true, phase: "Preparing", noServer: true, encrypts: "old new", signs: "old"},
		"CAR-14 where every object is rewritten the new key encrypts":     {rotated: true, phase: "Preparing", noServer: true, marked: true, encrypts: "new old", signs: "old"},
		"CAR-14 where a rotation is prepared the new key goes on signing": {rotated: true, phase: "Prepared", noServer: true, marked: true, encrypts: "new old", signs: "new"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientBuilder().Build()
			made := keysOf(t, cluster, tc.rotated)
			key, tokens := made.Current(encryptionKey), made.Current(tokenKey)
			if tc.marked {
				key.Annotations = map[string]string{"credentials.gardener.cloud/objects-rewritten": "true"}
			}
			if !tc.noServer {
				deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "kube-apiserver", Namespace: namespace, Annotations: map[string]string{
					"credentials.gardener.cloud/new-encryption-key-populated":      strings.ReplaceAll(tc.encryption, "current", key.Name),
					"credentials.gardener.cloud/new-service-account-key-populated": strings.ReplaceAll(tc.signing, "current", tokens.Name),
				}}}
				if err := cluster.Create(t.Context(), deployment); err != nil {
					t.Fatal(err)
				}
			}
			server := Server{Shoot: &gardencorev1beta1.Shoot{}, Space: seed.Space{Name: namespace, Client: cluster}}
			server.Shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
				ServiceAccountKey: &gardencorev1beta1.ServiceAccountKeyRotation{Phase: tc.phase},
			}}
			used, err := server.usedKeys(t.Context(), made)
			if err != nil {
				t.Fatal(err)
			}
			values := kubeapiserver.Values{Secrets: kubeapiserver.Secrets{ServiceAccount: tokens.Name}}
			used.choose(made, &values)
			age := func(current bool) string {
				if current {
					return "new"
				}
				return "old"
			}
			var got []string
			for _, one := range values.Encryption {
				got = append(got, age(one.Secret == string(key.Data["secret"])))
			}
			if strings.Join(got, " ") != tc.encrypts {
				t.Errorf("encryption keys are %v, want %s", got, tc.encrypts)
			}
			if signs := age(values.Secrets.ServiceAccount == tokens.Name); signs != tc.signs {
				t.Errorf("the %s key signs, want the %s one", signs, tc.signs)
			}
		})
	}
}

// TestFormerServersEnd is about an API server that ends slowly after a roll-out: whoever asks it for a token gets one with the old key.
func TestFormerServersEnd(t *testing.T) {
	labels := kubeapiserver.Labels()
	former := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "former", Namespace: namespace, Labels: labels, Finalizers: []string{"example.org/ending"}}}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "etcd", Namespace: namespace, Finalizers: []string{"example.org/ending"}}}
	present := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "present", Namespace: namespace, Labels: labels}}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-apiserver", Namespace: namespace},
		Spec:       appsv1.DeploymentSpec{Replicas: ptr.To(int32(1))},
		Status:     appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1},
	}
	cluster := fake.NewClientBuilder().WithObjects(former, other, present, deployment).WithStatusSubresource(deployment).Build()
	for _, pod := range []*corev1.Pod{former, other} {
		if err := cluster.Delete(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
	}
	server := Server{Space: seed.Space{Name: namespace, Client: cluster}}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := server.awaitFormer(ctx); err == nil || !strings.Contains(err.Error(), `pod "former" has not ended yet`) {
			t.Errorf("CAR-8 while a former API server ends: %v", err)
		}
	})
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(former), former); err != nil {
		t.Fatal(err)
	}
	former.Finalizers = nil
	if err := cluster.Update(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	if err := server.awaitFormer(t.Context()); err != nil {
		t.Errorf("CAR-8 when it has ended: %v", err)
	}
}
