package seedauthorizer

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// Path is where API servers ask.
const Path = "/webhooks/auth/seed"

// maxReview is the size of the largest review that is read. Names and groups of users need a small part of it.
const maxReview = 1 << 20

// ServeHTTP answers a SubjectAccessReview of authorization.k8s.io/v1.
func (a *Authorizer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	review := &authorizationv1.SubjectAccessReview{}
	if err := decode(w, r, review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status := a.Review(r.Context(), &review.Spec)
	answer := &authorizationv1.SubjectAccessReview{TypeMeta: review.TypeMeta, Status: status}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client is gone if this fails
}

func decode(w http.ResponseWriter, r *http.Request, review *authorizationv1.SubjectAccessReview) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReview))
	if err != nil {
		return fmt.Errorf("read review: %w", err)
	}
	if err := json.Unmarshal(body, review); err != nil {
		return fmt.Errorf("decode review: %w", err)
	}
	if want := authorizationv1.SchemeGroupVersion.String(); review.APIVersion != want || review.Kind != "SubjectAccessReview" {
		return fmt.Errorf("this is a %s of %s instead of a SubjectAccessReview of %s", review.Kind, review.APIVersion, want)
	}
	return nil
}
