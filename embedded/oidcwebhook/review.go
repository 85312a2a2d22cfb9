package oidcwebhook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authenticationv1beta1 "k8s.io/api/authentication/v1beta1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// Path of the reviews.
const Path = "/validate-token"

const (
	// maxReview is more than the headers of a request to an API server can have.
	maxReview = 1 << 20
	// maxToken limits the signature and thereby the size of the key that verifies it. The time of a verification grows with
	// the square of the size of the key, and issuers choose their keys.
	maxToken = 1 << 15
	// timeout limits how long an issuer without answer can hold a request.
	timeout = 10 * time.Second
)

// errTooLongToken means that a token is longer than maxToken.
var errTooLongToken = fmt.Errorf("the token is longer than %d bytes", maxToken)

// review answers TokenReviews. Their versions v1 and v1beta1 have the same fields.
type review struct{ providers *providers }

// ServeHTTP implements http.Handler.
func (r review) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		http.Error(w, "TokenReviews are posted", http.StatusMethodNotAllowed)
		return
	}
	in := authenticationv1.TokenReview{}
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxReview)).Decode(&in); err != nil {
		http.Error(w, fmt.Sprintf("the body is no TokenReview in JSON: %v", err), http.StatusBadRequest)
		return
	}
	known := in.APIVersion == authenticationv1.SchemeGroupVersion.String() || in.APIVersion == authenticationv1beta1.SchemeGroupVersion.String()
	if in.Kind != "TokenReview" || !known {
		http.Error(w, fmt.Sprintf("the body must be a TokenReview of %s or %s", authenticationv1.SchemeGroupVersion, authenticationv1beta1.SchemeGroupVersion), http.StatusBadRequest)
		return
	}
	out := authenticationv1.TokenReview{TypeMeta: in.TypeMeta}
	switch token := in.Spec.Token; {
	case len(token) > maxToken:
		out.Status = status(nil, errTooLongToken)
	case token != "":
		ctx, cancel := context.WithTimeout(req.Context(), timeout)
		defer cancel()
		out.Status = status(r.providers.authenticate(ctx, token))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // the caller is gone if this fails
}

func status(info user.Info, err error) authenticationv1.TokenReviewStatus {
	switch {
	case info == nil && err == nil:
		return authenticationv1.TokenReviewStatus{}
	case info == nil:
		return authenticationv1.TokenReviewStatus{Error: err.Error()}
	}
	extra := map[string]authenticationv1.ExtraValue{}
	for key, values := range info.GetExtra() {
		extra[key] = values
	}
	return authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
		Username: info.GetName(), UID: info.GetUID(), Groups: info.GetGroups(), Extra: extra,
	}}
}
