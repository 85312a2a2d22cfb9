package apiserver

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

// TestWhichKeyEncrypts is about two API servers that run at a time: none may write what the other cannot read.
func TestWhichKeyEncrypts(t *testing.T) {
	const namespace, key = "shoot--sky--sun", "kube-apiserver-etcd-encryption-key"
	for name, tc := range map[string]struct {
		rotated   bool
		populated string // annotation of the Deployment; "current" stands for the name of the new key
		noServer  bool
		marked    bool
		want      string // the keys by age, the first one encrypts
	}{
		"the only key does": {want: "new"},
		"CAR-14 the old key does as long as an API server may lack the new": {rotated: true, want: "old new"},
		"CAR-14 the new key does when all API servers have it":              {rotated: true, populated: "current", want: "new old"},
		"CAR-14 what was known in an earlier rotation does not count":       {rotated: true, populated: "earlier", want: "old new"},
		"CAR-14 without a Deployment nobody has the new key":                {rotated: true, noServer: true, want: "old new"},
		"CAR-14 where every object is rewritten the new key does":           {rotated: true, noServer: true, marked: true, want: "new old"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientBuilder().Build()
			made := func(rotations map[string]time.Time) credentials.Made {
				manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
					Reader: cluster, Writer: cluster, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: namespace, Identity: "test", Rotations: rotations,
				})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := manager.Generate(t.Context(), secretsmanager.EncryptionKey{Name: key, Bytes: 32}, secretsmanager.Rotate(secretsmanager.KeepOld)); err != nil {
					t.Fatal(err)
				}
				return credentials.Made{Manager: manager}
			}
			run := made(nil)
			if tc.rotated {
				run = made(map[string]time.Time{key: time.Unix(4000, 0)})
			}
			current := run.Current(key)
			if tc.marked {
				current.Annotations = map[string]string{"credentials.gardener.cloud/objects-rewritten": "true"}
			}
			if !tc.noServer {
				deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "kube-apiserver", Namespace: namespace, Annotations: map[string]string{
					"credentials.gardener.cloud/new-encryption-key-populated": strings.ReplaceAll(tc.populated, "current", current.Name),
				}}}
				if err := cluster.Create(t.Context(), deployment); err != nil {
					t.Fatal(err)
				}
			}
			server := Server{Space: seed.Space{Name: namespace, Client: cluster}}
			known, err := server.knowNewKey(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			keys, _ := encryptionKeys(run, known)
			var got []string
			for _, key := range keys {
				if key.Secret == string(current.Data["secret"]) {
					got = append(got, "new")
				} else {
					got = append(got, "old")
				}
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("keys are %v, want %s", got, tc.want)
			}
		})
	}
}
