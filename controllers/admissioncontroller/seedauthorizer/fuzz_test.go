package seedauthorizer

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// FuzzReview looks for a review that allows a request of somebody who is no gardenlet, or a Secret of seed b to another user.
func FuzzReview(f *testing.F) {
	for _, user := range []string{"gardener.cloud:system:seed:a", "gardener.cloud:system:seed:b", "gardener.cloud:system:seed:", "alice"} {
		for _, resource := range []string{"secrets", "shoots", "leases"} {
			text, err := json.Marshal(&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user, Groups: []string{"gardener.cloud:system:seeds"},
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: resource, Namespace: "garden-b", Name: "cloud"},
			}})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(bytes.Replace(text, []byte("{"), []byte(`{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",`), 1))
		}
	}
	f.Add([]byte("[]"))
	authorizer := New(landscape())
	f.Fuzz(func(t *testing.T, body []byte) {
		ended, end := context.WithCancel(t.Context())
		end() // so that refusals do not wait for the graph
		answer := httptest.NewRecorder()
		authorizer.ServeHTTP(answer, httptest.NewRequestWithContext(ended, http.MethodPost, Path, bytes.NewReader(body)))
		if answer.Code == http.StatusBadRequest {
			return
		}
		asked, told := authorizationv1.SubjectAccessReview{}, authorizationv1.SubjectAccessReview{}
		if err := json.Unmarshal(answer.Body.Bytes(), &told); err != nil || answer.Code != http.StatusOK || told.Status.Denied && told.Status.Allowed {
			t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Fatalf("an answer to no review: %v", err)
		}
		if !told.Status.Allowed {
			return
		}
		seed, isSeed := strings.CutPrefix(asked.Spec.User, "gardener.cloud:system:seed:")
		if !isSeed || seed == "" || !slices.Contains(asked.Spec.Groups, "gardener.cloud:system:seeds") || asked.Spec.ResourceAttributes == nil {
			t.Errorf("%q is allowed %s", asked.Spec.User, body)
		}
		if at := asked.Spec.ResourceAttributes; seed != "b" && at != nil && at.Group == "" && at.Resource == "secrets" && at.Namespace == "garden-b" && at.Name == "cloud" {
			t.Errorf("%q is allowed %s", asked.Spec.User, body)
		}
	})
}
