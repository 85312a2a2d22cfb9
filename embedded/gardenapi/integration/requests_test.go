package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
)

func TestAudit(t *testing.T) {
	dir := t.TempDir()
	policy, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	content := `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["RequestReceived"],"rules":[
		{"level":"RequestResponse","verbs":["create"],"resources":[{"group":"core.gardener.cloud","resources":["shootstates"]}]},
		{"level":"None"}]}`
	if err := os.WriteFile(policy, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, direct := another(t, func(c *gardenapi.Config) { c.AuditPolicyFile, c.AuditLogFile = policy, log })
	c := clientFor(t, direct)
	state := &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: "audited", Namespace: "default", Labels: map[string]string{"who": "me"}}}
	if err := c.Create(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, admin(t), state) })
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(state), state); err != nil {
		t.Fatal(err)
	}
	t.Run("API-34 what the policy names is logged with its body, everything else is not", func(t *testing.T) {
		var text []byte
		eventually(t, func() (err error) {
			if text, err = os.ReadFile(log); err == nil && len(text) == 0 {
				err = errNotYet
			}
			return err
		})
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != 1 || !strings.Contains(lines[0], `"verb":"create"`) || !strings.Contains(lines[0], `"requestObject":{`) || !strings.Contains(lines[0], `"who":"me"`) {
			t.Errorf("log is %s", text)
		}
	})
	t.Run("a policy without log is a mistake", func(t *testing.T) {
		config := garden.ServerConfig
		config.AuditPolicyFile = policy
		if err := gardenapi.New(config).Start(t.Context()); err == nil || !strings.Contains(err.Error(), "audit policy") {
			t.Errorf("got %v", err)
		}
	})
}

func TestPriorityAndFairness(t *testing.T) {
	_, direct := another(t, func(*gardenapi.Config) {})
	c, err := client.New(garden.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "greedy"}, Spec: flowcontrolv1.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "greedy"}, MatchingPrecedence: 2,
		Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
			Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "greedy"}}},
			ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
				Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true, Namespaces: []string{"*"},
			}},
		}},
	}}
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "greedy"}, Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
		Type: flowcontrolv1.PriorityLevelEnablementLimited,
		Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: ptr.To[int32](1), LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
		},
	}}
	for _, object := range []client.Object{level, schema} {
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), object) })
	}
	greedy := rest.CopyConfig(direct)
	greedy.Impersonate = rest.ImpersonationConfig{UserName: "greedy"}
	t.Run("API-41 the garden's schemas say whose share a request is of", func(t *testing.T) {
		eventually(t, func() error { // the schema gets here by an informer
			if got := header(t, greedy, flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID); got != string(schema.UID) {
				return fmt.Errorf("%w: flow schema %q instead of %q", errNotYet, got, schema.UID)
			}
			return nil
		})
		if got := header(t, greedy, flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID); got != string(level.UID) {
			t.Errorf("priority level is %q, want %q", got, level.UID)
		}
	})
	t.Run("API-41 administrators have a share of their own", func(t *testing.T) {
		if got := header(t, direct, flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID); got == string(schema.UID) {
			t.Errorf("flow schema is %q", got)
		}
	})
}

// header returns a header of the answer to a list.
func header(t *testing.T, config *rest.Config, name string) string {
	t.Helper()
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Get(config.Host + "/apis/core.gardener.cloud/v1beta1/namespaces/default/shootstates")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.Header.Get(name)
}

func TestDiscoveryOfTokens(t *testing.T) {
	file, _ := keyFile(t)
	const issuer = "https://issuer.example.org/garden"
	_, direct := another(t, func(c *gardenapi.Config) {
		c.WorkloadIdentity = gardenapi.WorkloadIdentity{KeyFile: file, Issuer: issuer}
	})
	anyone := rest.AnonymousClientConfig(direct)
	anyone.TLSClientConfig = rest.TLSClientConfig{CAFile: direct.CAFile, ServerName: direct.ServerName}
	fetch := func(t *testing.T, path string, into any) {
		t.Helper()
		status, answer := send(t, anyone, http.MethodGet, path, "", nil)
		if status != http.StatusOK {
			t.Fatalf("got %d with %.200s", status, answer)
		}
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			t.Fatal(err)
		}
	}
	var document struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	fetch(t, "/garden/.well-known/openid-configuration", &document)
	if document.Issuer != issuer || document.Keys != issuer+"/jwks" {
		t.Errorf("document is %+v", document)
	}
	var keys struct {
		Keys []struct{ Kid, Kty, Crv, X, Y string }
	}
	fetch(t, "/garden/jwks", &keys)

	t.Run("tokens can be checked by what anybody may read", func(t *testing.T) {
		identity := create(t, &security.WorkloadIdentity{
			ObjectMeta: metav1.ObjectMeta{Name: "discovered", Namespace: "default"},
			Spec:       security.WorkloadIdentitySpec{Audiences: []string{"cloud"}, TargetSystem: security.TargetSystem{Type: "local"}},
		})
		token := &security.TokenRequest{}
		if err := clientFor(t, direct).SubResource("token").Create(t.Context(), identity, token); err != nil {
			t.Fatal(err)
		}
		_, err := jwt.Parse(token.Status.Token, func(parsed *jwt.Token) (any, error) {
			for _, key := range keys.Keys {
				if key.Kid == parsed.Header["kid"] && key.Kty == "EC" && key.Crv == "P-256" {
					return &ecdsa.PublicKey{Curve: elliptic.P256(), X: coordinate(t, key.X), Y: coordinate(t, key.Y)}, nil
				}
			}
			return nil, fmt.Errorf("no key %v in %v", parsed.Header["kid"], keys)
		}, jwt.WithIssuer(document.Issuer), jwt.WithAudience("cloud"))
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("they cannot be written, and nothing else is public", func(t *testing.T) {
		if status, _ := send(t, anyone, http.MethodPost, "/garden/jwks", "", nil); status != http.StatusMethodNotAllowed {
			t.Errorf("got %d", status)
		}
		if status, _ := send(t, anyone, http.MethodGet, "/apis/core.gardener.cloud/v1beta1/shoots", "", nil); status != http.StatusForbidden {
			t.Errorf("got %d", status)
		}
	})
	t.Run("by the issuer's name there is nothing but the documents, whoever asks", func(t *testing.T) {
		named := rest.CopyConfig(direct)
		named.TLSClientConfig.ServerName, named.TLSClientConfig.Insecure = "issuer.example.org", true
		named.TLSClientConfig.CAFile, named.TLSClientConfig.CAData = "", nil
		for path, want := range map[string]int{
			"/garden/jwks": http.StatusOK, "/garden/.well-known/openid-configuration": http.StatusOK,
			"/healthz": http.StatusNotFound, "/apis/core.gardener.cloud/v1beta1/shoots": http.StatusNotFound, "/": http.StatusNotFound,
		} {
			if status, answer := send(t, named, http.MethodGet, path, "", nil); status != want {
				t.Errorf("%s: got %d with %.200s, want %d", path, status, answer, want)
			}
		}
		if status, _ := send(t, direct, http.MethodGet, "/apis/core.gardener.cloud/v1beta1/shoots", "", nil); status != http.StatusOK {
			t.Errorf("by its own name the server answers %d", status)
		}
	})
}

func coordinate(t *testing.T, text string) *big.Int {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(raw)
}
