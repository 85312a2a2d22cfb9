package gardenapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/authorization/union"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/polled"
)

const (
	authenticationNamespace = "kube-system"
	authenticationConfigMap = "extension-apiserver-authentication"

	// decisionTTL is how long decisions of the garden's kube-apiserver are cached.
	decisionTTL    = 10 * time.Second
	requestTimeout = 10 * time.Second
)

// authenticate accepts client certificates and the aggregator's headers. The garden's kube-apiserver checks tokens.
// The server is not ready, and knows no user, until it has read the trusted certificates from the garden.
func authenticate(config *genericapiserver.Config, c Config, client kubernetes.Interface) error {
	clientCA, err := clientCA(c, client)
	if err != nil {
		return fmt.Errorf("client CA: %w", err)
	}
	header, err := requestHeader(c, client)
	if err != nil {
		return fmt.Errorf("request header CA: %w", err)
	}
	factory := authenticatorfactory.DelegatingAuthenticatorConfig{
		Anonymous:                          &apiserver.AnonymousAuthConfig{Enabled: true},
		TokenAccessReviewClient:            client.AuthenticationV1(),
		TokenAccessReviewTimeout:           requestTimeout,
		WebhookRetryBackoff:                options.DefaultAuthWebhookRetryBackoff(),
		CacheTTL:                           decisionTTL,
		ClientCertificateCAContentProvider: clientCA,
		RequestHeaderConfig:                header,
	}
	info := &config.Authentication
	if info.Authenticator, _, err = factory.New(); err != nil {
		return err
	}
	info.RequestHeaderConfig = header
	config.AddReadyzChecks(healthz.NamedCheck("authentication", func(*http.Request) error {
		_, knowsClients := clientCA.VerifyOptions()
		_, knowsProxies := header.CAContentProvider.VerifyOptions()
		if !knowsClients || !knowsProxies || len(header.UsernameHeaders.Value()) == 0 {
			return fmt.Errorf("the garden's ConfigMap %s/%s has not been read", authenticationNamespace, authenticationConfigMap)
		}
		return nil
	}))
	return errors.Join(info.ApplyClientCert(clientCA, config.SecureServing), info.ApplyClientCert(header.CAContentProvider, config.SecureServing))
}

// authorize asks the garden's kube-apiserver, except for probes, public paths and privileged groups.
func authorize(config *genericapiserver.Config, client kubernetes.Interface, public []string) error {
	open, err := path.NewAuthorizer(append([]string{"/healthz", "/livez", "/readyz"}, public...))
	if err != nil {
		return err
	}
	delegating := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: client.AuthorizationV1(),
		AllowCacheTTL:             decisionTTL,
		DenyCacheTTL:              decisionTTL,
		WebhookRetryBackoff:       options.DefaultAuthWebhookRetryBackoff(),
	}
	garden, err := delegating.New()
	if err != nil {
		return err
	}
	config.Authorization.Authorizer = union.New(authorizerfactory.NewPrivilegedGroups("system:masters"), open, garden)
	return nil
}

func clientCA(c Config, client kubernetes.Interface) (dynamiccertificates.CAContentProvider, error) {
	if c.ClientCAFile != "" {
		ca, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca", c.ClientCAFile)
		if err != nil {
			return nil, err
		}
		return polled.CA(ca), nil
	}
	return dynamiccertificates.NewDynamicCAFromConfigMapController("client-ca", authenticationNamespace, authenticationConfigMap, "client-ca-file", client)
}

func requestHeader(c Config, client kubernetes.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	if c.RequestHeader.CAFile != "" {
		ca, err := dynamiccertificates.NewDynamicCAContentFromFile("request-header", c.RequestHeader.CAFile)
		if err != nil {
			return nil, err
		}
		return &authenticatorfactory.RequestHeaderConfig{
			CAContentProvider:   polled.CA(ca),
			AllowedClientNames:  headerrequest.StaticStringSlice(c.RequestHeader.AllowedNames),
			UsernameHeaders:     headerrequest.StaticStringSlice{"X-Remote-User"},
			UIDHeaders:          headerrequest.StaticStringSlice{"X-Remote-Uid"},
			GroupHeaders:        headerrequest.StaticStringSlice{"X-Remote-Group"},
			ExtraHeaderPrefixes: headerrequest.StaticStringSlice{"X-Remote-Extra-"},
		}, nil
	}
	provider, err := newPublishedHeader(client)
	if err != nil {
		return nil, err
	}
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   provider,
		AllowedClientNames:  headerrequest.StringSliceProviderFunc(provider.AllowedClientNames),
		UsernameHeaders:     headerrequest.StringSliceProviderFunc(provider.UsernameHeaders),
		UIDHeaders:          headerrequest.StringSliceProviderFunc(provider.UIDHeaders),
		GroupHeaders:        headerrequest.StringSliceProviderFunc(provider.GroupHeaders),
		ExtraHeaderPrefixes: headerrequest.StringSliceProviderFunc(provider.ExtraHeaderPrefixes),
	}, nil
}

// publishedHeader watches the CA and the header names that the kube-apiserver publishes for its aggregator.
type publishedHeader struct {
	*dynamiccertificates.ConfigMapCAController
	*headerrequest.RequestHeaderAuthRequestController
}

func newPublishedHeader(client kubernetes.Interface) (*publishedHeader, error) {
	ca, err := dynamiccertificates.NewDynamicCAFromConfigMapController("request-header", authenticationNamespace, authenticationConfigMap, "requestheader-client-ca-file", client)
	if err != nil {
		return nil, err
	}
	return &publishedHeader{ca, headerrequest.NewRequestHeaderAuthRequestController(authenticationConfigMap, authenticationNamespace, client,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers", "requestheader-extra-headers-prefix", "requestheader-allowed-names")}, nil
}

// RunOnce resolves the ambiguity between two embedded RunOnce methods. Nothing is read before Run.
func (p *publishedHeader) RunOnce(ctx context.Context) error {
	return p.ConfigMapCAController.RunOnce(ctx)
}

func (p *publishedHeader) Run(ctx context.Context, workers int) {
	go p.ConfigMapCAController.Run(ctx, workers)
	p.RequestHeaderAuthRequestController.Run(ctx, workers)
}
