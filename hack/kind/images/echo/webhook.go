package main

import (
	"encoding/json"
	"net/http"
)

// The label or annotation names by which a test recognises that the webhook was called.
const (
	denyLabel  = "echo.e2e/deny"   // objects with this label are refused by /validate
	seenLabel  = "echo.e2e/seen"   // /mutate sets it to "true"
	denyReason = "denied by echo"  // the message of a refusal
	reviewKind = "AdmissionReview" // kind of request and answer
	reviewAPI  = "admission.k8s.io/v1"
)

// review is the part of an AdmissionReview of admission.k8s.io/v1 that the webhook reads and writes.
type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID    string `json:"uid"`
	Object struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	} `json:"object"`
}

type response struct {
	UID       string  `json:"uid"`
	Allowed   bool    `json:"allowed"`
	Status    *status `json:"status,omitempty"`
	Patch     []byte  `json:"patch,omitempty"`
	PatchType string  `json:"patchType,omitempty"`
}

type status struct {
	Message string `json:"message"`
}

// validate refuses objects that carry denyLabel.
func validate(w http.ResponseWriter, r *http.Request) {
	answer(w, r, func(in *request) *response {
		if _, deny := in.Object.Metadata.Labels[denyLabel]; deny {
			return &response{UID: in.UID, Status: &status{Message: denyReason}}
		}
		return &response{UID: in.UID, Allowed: true}
	})
}

// mutate sets seenLabel.
func mutate(w http.ResponseWriter, r *http.Request) {
	answer(w, r, func(in *request) *response {
		patch := []map[string]any{{"op": "add", "path": "/metadata/labels/echo.e2e~1seen", "value": "true"}}
		if in.Object.Metadata.Labels == nil {
			patch = []map[string]any{{"op": "add", "path": "/metadata/labels", "value": map[string]string{seenLabel: "true"}}}
		}
		data, _ := json.Marshal(patch) // strings only: cannot fail
		return &response{UID: in.UID, Allowed: true, Patch: data, PatchType: "JSONPatch"}
	})
}

func answer(w http.ResponseWriter, r *http.Request, decide func(*request) *response) {
	in := review{}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
		http.Error(w, "no admission review", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review{APIVersion: reviewAPI, Kind: reviewKind, Response: decide(in.Request)})
}
