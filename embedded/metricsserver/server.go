package metricsserver

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/metrics/pkg/apis/metrics"
	"k8s.io/metrics/pkg/apis/metrics/install"
	"k8s.io/metrics/pkg/apis/metrics/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// Config of a server. All files are read when it starts.
type Config struct {
	// Kubeconfig of the cluster; empty for the service account of the pod. Cluster is the client configuration made
	// from it.
	Kubeconfig string
	Cluster    *clientrest.Config
	// BindAddress and Port to listen on, with the certificate in CertFile and KeyFile.
	BindAddress       net.IP
	Port              int
	CertFile, KeyFile string
	// Kubelet says how this server and kubelets authenticate each other. Without a certificate, kubelets see the user
	// of Cluster.
	Kubelet Kubelet
	// Interval between two requests to the same kubelet.
	Interval time.Duration
	Log      logr.Logger
}

// Kubelet configures the connections to kubelets.
type Kubelet struct {
	CAFile, CertFile, KeyFile string
	// Name has the addresses of the kubelets, whatever addresses users write into Nodes. Without it all addresses are asked.
	Name string
}

// resync is long: nothing acts on resync events.
const resync = 10 * time.Hour

// Run serves until ctx ends.
func Run(ctx context.Context, c Config) error {
	kube, err := kubernetes.NewForConfig(c.Cluster)
	if err != nil {
		return fmt.Errorf("make client of the cluster: %w", err)
	}
	meta, err := metadata.NewForConfig(c.Cluster)
	if err != nil {
		return fmt.Errorf("make client of metadata: %w", err)
	}
	kubelets, err := clientrest.HTTPClientFor(c.kubelets())
	if err != nil {
		return fmt.Errorf("make client of kubelets: %w", err)
	}
	clusterInformers := informers.NewSharedInformerFactoryWithOptions(kube, resync, informers.WithTransform(strip))
	podInformers := metadatainformer.NewSharedInformerFactoryWithOptions(meta, resync, metadatainformer.WithTransform(strip))
	nodeLister := clusterInformers.Core().V1().Nodes().Lister()
	podLister := podInformers.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Lister()

	data := newStore()
	loop := &scraper{nodes: nodeLister, client: kubelets, store: data, interval: c.Interval, log: c.Log}
	server, err := build(c, map[string]rest.Storage{"nodes": nodes{data, nodeLister}, "pods": pods{data, podLister}}, loop)
	if err != nil {
		return err
	}
	clusterInformers.Start(ctx.Done())
	podInformers.Start(ctx.Done())
	go func() {
		clusterInformers.WaitForCacheSync(ctx.Done())
		podInformers.WaitForCacheSync(ctx.Done())
		loop.run(ctx)
	}()
	if err := server.PrepareRun().RunWithContext(ctx); err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}

// kubelets is the client configuration for kubelets. Idle connections are kept, one per node.
func (c Config) kubelets() *clientrest.Config {
	out := &clientrest.Config{Timeout: c.Interval, TLSClientConfig: clientrest.TLSClientConfig{CAFile: c.Kubelet.CAFile, Insecure: c.Kubelet.CAFile == ""}}
	if c.Kubelet.Name != "" {
		out.Dial, out.Proxy = guardeddial.Named{Name: c.Kubelet.Name, Port: kubeletmetrics.DefaultPort}.DialContext, guardeddial.NoProxy
	}
	if c.Kubelet.CertFile != "" {
		out.CertFile, out.KeyFile = c.Kubelet.CertFile, c.Kubelet.KeyFile
		return out
	}
	out.BearerToken, out.BearerTokenFile = c.Cluster.BearerToken, c.Cluster.BearerTokenFile
	return out
}

// build assembles the server: it already listens, but does not respond.
func build(c Config, resources map[string]rest.Storage, loop *scraper) (*genericapiserver.GenericAPIServer, error) {
	config, group := configuration(resources)
	if err := secure(config, c); err != nil {
		return nil, err
	}
	config.AddReadyzChecks(healthz.NamedCheck("kubelets", loop.ready))
	return assemble(config, group)
}

// configuration is that of an API server without storage. It publishes no schemas, not even those of its own group.
func configuration(resources map[string]rest.Storage) (*genericapiserver.Config, *genericapiserver.APIGroupInfo) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs := serializer.NewCodecFactory(scheme)

	config := genericapiserver.NewConfig(codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.EnableProfiling = false
	none := func(common.ReferenceCallback) map[string]common.OpenAPIDefinition { return nil }
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(none, apiopenapi.NewDefinitionNamer(scheme))
	config.OpenAPIV3Config.IgnorePrefixes = []string{genericapiserver.APIGroupPrefix + "/" + metrics.GroupName}
	config.SkipOpenAPIInstallation = true

	group := genericapiserver.NewDefaultAPIGroupInfo(metrics.GroupName, scheme, metav1.ParameterCodec, codecs)
	group.VersionedResourcesStorageMap[v1beta1.SchemeGroupVersion.Version] = resources
	return config, &group
}

func assemble(config *genericapiserver.Config, group *genericapiserver.APIGroupInfo) (*genericapiserver.GenericAPIServer, error) {
	server, err := config.Complete(nil).New("metrics-server", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("build API server: %w", err)
	}
	if err := server.InstallAPIGroup(group); err != nil {
		return nil, fmt.Errorf("install API group: %w", err)
	}
	return server, nil
}

// secure opens the port and delegates authentication and authorization to the cluster.
func secure(config *genericapiserver.Config, c Config) error {
	serving := options.NewSecureServingOptions().WithLoopback()
	serving.BindAddress, serving.BindPort = c.BindAddress, c.Port
	serving.ServerCert.CertKey.CertFile, serving.ServerCert.CertKey.KeyFile = c.CertFile, c.KeyFile
	if err := serving.ApplyTo(&config.SecureServing, &config.LoopbackClientConfig); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	authentication := options.NewDelegatingAuthenticationOptions()
	authentication.RemoteKubeConfigFile = c.Kubeconfig
	if err := authentication.ApplyTo(&config.Authentication, config.SecureServing, nil); err != nil {
		return fmt.Errorf("set up authentication: %w", err)
	}
	authorization := options.NewDelegatingAuthorizationOptions().WithAlwaysAllowPaths("/livez", "/readyz", "/healthz")
	authorization.RemoteKubeConfigFile = c.Kubeconfig
	if err := authorization.ApplyTo(&config.Authorization); err != nil {
		return fmt.Errorf("set up authorization: %w", err)
	}
	return nil
}

// strip removes large fields that nothing reads.
func strip(object any) (any, error) {
	switch o := object.(type) {
	case *corev1.Node:
		o.ManagedFields, o.Status.Images, o.Annotations = nil, nil, nil
	case *metav1.PartialObjectMetadata:
		o.ManagedFields, o.Annotations, o.OwnerReferences = nil, nil, nil
	}
	return object, nil
}
