package kubeapi

import (
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/tools/cache"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	listers "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"
)

func apiService(name, service string, available apiregistrationv1.ConditionStatus) *apiregistrationv1.APIService {
	out := &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if service != "" {
		out.Spec.Service = &apiregistrationv1.ServiceReference{Namespace: "garden", Name: service}
	}
	out.Status.Conditions = []apiregistrationv1.APIServiceCondition{{Type: apiregistrationv1.Available, Status: available}}
	return out
}

func TestShortcut(t *testing.T) {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, service := range []*apiregistrationv1.APIService{
		apiService("v1.ours", "server", apiregistrationv1.ConditionTrue),
		apiService("v1.down", "server", apiregistrationv1.ConditionFalse),
		apiService("v1.theirs", "another", apiregistrationv1.ConditionTrue),
		apiService("v1.local", "", apiregistrationv1.ConditionTrue),
	} {
		if err := store.Add(service); err != nil {
			t.Fatal(err)
		}
	}
	lister := listers.NewAPIServiceLister(store)
	answer := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
	}
	resource := func(group string) request.RequestInfo {
		return request.RequestInfo{IsResourceRequest: true, APIGroup: group, APIVersion: "v1", Resource: "things"}
	}
	for name, tc := range map[string]struct {
		info      request.RequestInfo
		starting  bool // the kube-apiserver
		down      bool // the aggregated server
		anonymous bool
		want      string
	}{
		"a request for an available group takes the shortcut":               {info: resource("ours"), want: "shortcut"},
		"a request for a group that is not available goes the usual way":    {info: resource("down"), want: "usual"},
		"a request for a group of another server goes the usual way":        {info: resource("theirs"), want: "usual"},
		"a request for a group of the kube-apiserver goes the usual way":    {info: resource("local"), want: "usual"},
		"a request for an unregistered group goes the usual way":            {info: resource("unknown"), want: "usual"},
		"a request for the core group goes the usual way":                   {info: resource(""), want: "usual"},
		"discovery goes the usual way":                                      {info: request.RequestInfo{APIGroup: "ours", APIVersion: "v1"}, want: "usual"},
		"before the kube-apiserver knows its groups, all go the usual way":  {info: resource("ours"), starting: true, want: "usual"},
		"while the server does not serve, all go the usual way":             {info: resource("ours"), down: true, want: "usual"},
		"a request without a user goes the usual way, which will refuse it": {info: resource("ours"), anonymous: true, want: "usual"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shortcut{Aggregated: Aggregated{Namespace: "garden", Service: "server", Handler: func() http.Handler {
				if tc.down {
					return nil
				}
				return answer("shortcut")
			}}}
			if !tc.starting {
				s.services.Store(&lister)
			}
			ctx := request.WithRequestInfo(t.Context(), &tc.info)
			if !tc.anonymous {
				ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "alice"})
			}
			w := httptest.NewRecorder()
			s.before(answer("usual")).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
			if got := w.Body.String(); got != tc.want {
				t.Errorf("went the way %q", got)
			}
		})
	}
}
