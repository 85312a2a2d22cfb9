package network

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/shortanswers"
	"github.com/gardener-up/gardener-up/local/network/connectivity"
)

// longestAnswer of a pod, in bytes.
const longestAnswer = 1 << 16

// shootScheme knows the kinds that are read in shoots.
var shootScheme = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	return scheme
})

// shootMapper saves the requests for what an API server serves.
var shootMapper = sync.OnceValue(func() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Service"), meta.RESTScopeNamespace)
	mapper.Add(appsv1.SchemeGroupVersion.WithKind("DaemonSet"), meta.RESTScopeNamespace)
	return mapper
})

// connection to the API server of a shoot.
type connection struct {
	client client.Client
	http   *http.Client
	host   string
}

// connect must be followed by release.
func (h *Health) connect(ctx context.Context, namespace string) (*connection, error) {
	secret := &corev1.Secret{}
	if err := h.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: constants.SecretNameGardenerInternal}, secret); err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config, err := h.ShootConfig(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config = shortanswers.Only(config)                                       // users of the shoot choose how long answers are
	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } // client-go keeps the connections of others for ever
	made := &connection{host: config.Host}
	if made.http, err = rest.HTTPClientFor(config); err != nil {
		return nil, fmt.Errorf("connect to the shoot: %w", err)
	}
	if made.client, err = client.New(config, client.Options{HTTPClient: made.http, Scheme: shootScheme(), Mapper: shootMapper()}); err != nil {
		return nil, fmt.Errorf("connect to the shoot: %w", err)
	}
	return made, nil
}

func (c *connection) release() { utilnet.CloseIdleConnectionsFor(c.http.Transport) }

// ask is an asker: it requests the pod through the API server.
func (c *connection) ask(ctx context.Context, pod string, addresses []string) (connectivity.Result, error) {
	path := c.host + "/api/v1/namespaces/kube-system/pods/" + net.JoinHostPort(pod, strconv.Itoa(connectivity.Port)) + "/proxy" + connectivity.Path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, path+"?"+url.Values{connectivity.Param: addresses}.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return nil, fmt.Errorf("read answer of pod %s: %w", pod, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("pod %s answers %s: %.200s", pod, response.Status, body)
	}
	result := connectivity.Result{}
	if err := json.Unmarshal(body, &result); err != nil {
		return nil, fmt.Errorf("read answer of pod %s: %w", pod, err)
	}
	return result, nil
}
