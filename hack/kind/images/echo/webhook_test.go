package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWebhook(t *testing.T) {
	for name, tc := range map[string]struct {
		path, object string
		allowed      bool
		patch        string
	}{
		"validate allows an ordinary object":          {path: "/validate", object: `{"metadata":{}}`, allowed: true},
		"validate refuses an object with the label":   {path: "/validate", object: `{"metadata":{"labels":{"echo.e2e/deny":""}}}`},
		"mutate gives an object without labels one":   {path: "/mutate", object: `{"metadata":{}}`, allowed: true, patch: `[{"op":"add","path":"/metadata/labels","value":{"echo.e2e/seen":"true"}}]`},
		"mutate adds its label to those of an object": {path: "/mutate", object: `{"metadata":{"labels":{"a":"b"}}}`, allowed: true, patch: `[{"op":"add","path":"/metadata/labels/echo.e2e~1seen","value":"true"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			body := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":` + tc.object + `}}`
			handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, tc.path, strings.NewReader(body)))
			got := review{}
			if err := json.Unmarshal(recorder.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if got.Response == nil || got.Response.UID != "u" || got.Response.Allowed != tc.allowed {
				t.Fatalf("response %+v, want allowed %t for u", got.Response, tc.allowed)
			}
			if diff := cmp.Diff(tc.patch, string(got.Response.Patch)); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("what is no review is refused", func(t *testing.T) {
		recorder := httptest.NewRecorder()
		handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/validate", strings.NewReader("{}")))
		if recorder.Code != http.StatusBadRequest {
			t.Errorf("status %d, want %d", recorder.Code, http.StatusBadRequest)
		}
	})
}
