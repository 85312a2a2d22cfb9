package openapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/transport"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// downloadTimeout limits the response of a server, which may have to build its documents first.
const downloadTimeout = 20 * time.Second

// handler forwards requests to the server behind an APIService with the identity of their user, as the aggregator does.
func (s *services) handler(service *apiregistration.APIService) (http.Handler, error) {
	spec := service.Spec
	config := &transport.Config{DialHolder: s.dial, TLS: transport.TLSConfig{
		Insecure: spec.InsecureSkipTLSVerify, CAData: spec.CABundle,
		ServerName: spec.Service.Name + "." + spec.Service.Namespace + ".svc",
	}}
	if s.ProxyClientCertFile != "" && s.ProxyClientKeyFile != "" {
		var err error
		if config.TLS.CertData, err = os.ReadFile(s.ProxyClientCertFile); err != nil {
			return nil, fmt.Errorf("read own certificate: %w", err)
		}
		if config.TLS.KeyData, err = os.ReadFile(s.ProxyClientKeyFile); err != nil {
			return nil, fmt.Errorf("read own key: %w", err)
		}
	}
	connections, err := transport.New(config)
	if err != nil {
		return nil, fmt.Errorf("make transport: %w", err)
	}
	port := int32(443)
	if spec.Service.Port != nil {
		port = *spec.Service.Port
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, found := request.UserFrom(r.Context())
		if !found {
			http.Error(w, "missing user", http.StatusInternalServerError)
			return
		}
		location, err := s.ServiceResolver.ResolveEndpoint(spec.Service.Namespace, spec.Service.Name, port)
		if err != nil {
			http.Error(w, "service unavailable", http.StatusServiceUnavailable)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), downloadTimeout)
		defer cancel()
		proxy := &httputil.ReverseProxy{
			Rewrite: func(p *httputil.ProxyRequest) {
				p.SetURL(&url.URL{Scheme: "https", Host: location.Host})
			},
			Transport: transport.NewAuthProxyRoundTripper(user.GetName(), user.GetUID(), user.GetGroups(), user.GetExtra(), connections),
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
				http.Error(w, "service unavailable", http.StatusServiceUnavailable)
			},
		}
		proxy.ServeHTTP(w, r.WithContext(ctx))
	}), nil
}
