package settings

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// authorizers are the webhooks of a user, and the kubeconfig of one of them.
const authorizers = `apiVersion: v1
kind: ConfigMap
metadata: {name: authorizers, namespace: garden-local}
data:
  config.yaml: |
    apiVersion: apiserver.config.k8s.io/v1
    kind: AuthorizationConfiguration
    authorizers:
    - type: Webhook
      name: team
      webhook: {timeout: 5s, failurePolicy: NoOpinion, subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1}
---
apiVersion: v1
kind: Secret
metadata: {name: team, namespace: garden-local}
stringData:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters: [{name: team, cluster: {server: '%s', certificate-authority-data: %s}}]
    users: [{name: team, user: {token: t}}]
    contexts: [{name: team, context: {cluster: team, user: team}}]
    current-context: team
`

// newAuthorizer allows ada to list Secrets, and has no opinion about anything else.
func newAuthorizer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review := authorizationv1.SubjectAccessReview{}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.Header.Get("Authorization") != "Bearer t" {
			http.Error(w, "no review of this cluster", http.StatusBadRequest)
			return
		}
		asked := review.Spec.ResourceAttributes
		review.Status.Allowed = review.Spec.User == "ada" && asked != nil && asked.Verb == "list" && asked.Resource == "secrets"
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	return server
}

// addAuthorizer creates what a Shoot refers to.
func addAuthorizer(l logins, server *httptest.Server) {
	l.t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	l.Kubectl(l.Garden(), "create", "-f", l.File("authorizers.yaml", fmt.Sprintf(authorizers, server.URL, base64.StdEncoding.EncodeToString(ca))))
}

// authorized expects that the webhook allows more than RBAC, and nothing else.
func authorized(t *testing.T, l logins) {
	may := func(user, verb, resource string) string {
		r := l.TryKubectl(l.shoot, "auth", "can-i", verb, resource, "-n", "default", "--as", user)
		return strings.TrimSpace(r.Stdout)
	}
	l.Eventually(time.Minute, "the webhook allows ada to list Secrets", func() (bool, string) {
		answer := may("ada", "list", "secrets")
		return answer == "yes", answer
	})
	for _, no := range [][]string{{"eve", "list", "secrets"}, {"ada", "delete", "secrets"}} {
		if answer := may(no[0], no[1], no[2]); answer != "no" {
			t.Errorf("may %s: %s", strings.Join(no, " "), answer)
		}
	}
	l.Kubectl(l.shoot, "create", "clusterrolebinding", "eve", "--clusterrole=cluster-admin", "--user=eve")
	l.Eventually(time.Minute, "RBAC is asked, too", func() (bool, string) {
		answer := may("eve", "list", "secrets")
		return answer == "yes", answer
	})
}
