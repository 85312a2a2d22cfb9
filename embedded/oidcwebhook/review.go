package oidcwebhook

import (
	"encoding/json"
	"fmt"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authenticationv1beta1 "k8s.io/api/authentication/v1beta1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// Path of the reviews.
const Path = "/validate-token"

// maxReview is more than the headers of a request to an API server can have.
const maxReview = 1 << 20

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
	if in.Spec.Token != "" {
		info, err := r.providers.authenticate(req.Context(), in.Spec.Token)
		out.Status = status(info, err)
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
