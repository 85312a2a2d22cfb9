package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAPI(t *testing.T) {
	t.Setenv("GREETING", "from a test")
	get := func(path string) (int, map[string]any) {
		recorder := httptest.NewRecorder()
		handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		document := map[string]any{}
		_ = json.Unmarshal(recorder.Body.Bytes(), &document) // errors are no documents
		return recorder.Code, document
	}
	for path, kind := range map[string]string{
		"/apis": "APIGroupList", "/apis/echo.e2e.test": "APIGroup", "/apis/echo.e2e.test/v1": "APIResourceList",
		"/apis/echo.e2e.test/v1/greetings": "GreetingList", "/apis/echo.e2e.test/v1/greetings/hello": "Greeting",
	} {
		if code, document := get(path); code != http.StatusOK || document["kind"] != kind {
			t.Errorf("%s answers %d with %v, want a %s", path, code, document, kind)
		}
	}
	if _, object := get("/apis/echo.e2e.test/v1/greetings/hello"); object["message"] != "from a test" {
		t.Errorf("the object is %v", object)
	}
	if code, _ := get("/apis/echo.e2e.test/v1/greetings/nobody"); code != http.StatusNotFound {
		t.Errorf("an unknown object answers %d", code)
	}
}
