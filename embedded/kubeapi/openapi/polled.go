package openapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"
	"k8s.io/kube-openapi/pkg/handler3"

	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
)

// polled serves the list of documents. The admission plugin MutatingAdmissionPolicy of each API server asks for it every five seconds. The
// list has a digest of each document, so it would keep all documents for ever. As long as there is no such policy, the plugins get the
// addresses without digests, which need no documents. They are still good for the first policy: behind them are the documents of the moment.
type polled struct {
	documents http.Handler
	services  listers.APIServiceLister // each version of a group has one
	// policies reports whether there is a MutatingAdmissionPolicy.
	policies func(ctx context.Context) (bool, error)
	log      logr.Logger
}

func (p polled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !polls(r) {
		p.documents.ServeHTTP(w, r)
		return
	}
	if found, err := p.policies(r.Context()); found || err != nil { // somebody may need them
		p.documents.ServeHTTP(w, r)
		return
	}
	services, err := p.services.List(labels.Everything())
	if err != nil {
		p.log.Error(err, "APIServices cannot be listed")
		p.documents.ServeHTTP(w, r)
		return
	}
	list := handler3.OpenAPIV3Discovery{Paths: map[string]handler3.OpenAPIV3DiscoveryGroupVersion{}}
	for _, service := range services {
		path := "apis/" + service.Spec.Group + "/" + service.Spec.Version
		if service.Spec.Group == "" {
			path = "api/" + service.Spec.Version
		}
		list.Paths[path] = handler3.OpenAPIV3DiscoveryGroupVersion{ServerRelativeURL: openapi.PathV3 + "/" + path}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list) // nobody else reads an answer that cannot be written
}

// polls reports whether the request is of an API server. Whoever else calls himself so gets addresses that work, too.
func polls(r *http.Request) bool {
	who, known := request.UserFrom(r.Context())
	return known && who.GetName() == user.APIServerUser || r.UserAgent() == openapi.GardenerUserAgent
}

// policiesOf asks an API server, which has them in a cache.
func policiesOf(client kubernetes.Interface) func(ctx context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		list, err := client.AdmissionregistrationV1().MutatingAdmissionPolicies().List(ctx, metav1.ListOptions{Limit: 1, ResourceVersion: "0"})
		if err != nil {
			return false, err
		}
		return len(list.Items) > 0, nil
	}
}
