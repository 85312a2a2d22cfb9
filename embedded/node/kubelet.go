package node

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/google/go-containerregistry/pkg/authn"
	noop "go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	criapi "k8s.io/cri-api/pkg/apis"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubernetes_kubelet "k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node/images"
	"github.com/gardener-up/gardener-up/embedded/node/machine"
	"github.com/gardener-up/gardener-up/embedded/node/pods"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
	"github.com/gardener-up/gardener-up/embedded/node/volume"
)

// kubelet is the kubelet of Kubernetes and the parts it was built from.
type kubelet struct {
	*kubernetes_kubelet.Kubelet
	name         string
	client       kubernetes.Interface
	base         *rest.Config // of the client
	server       *options.KubeletServer
	dependencies *kubernetes_kubelet.Dependencies
	source       *podSource
}

// newKubelet waits for a client certificate if the node has to get one.
func newKubelet(ctx context.Context, c Config, sandboxes *openSandboxes, run *runtime.Runtime, index *pods.Index) (*kubelet, error) {
	server, err := serverFor(c)
	if err != nil {
		return nil, err
	}
	if err := usable(server); err != nil {
		return nil, err
	}
	if err := readableKernelLog(); err != nil {
		return nil, err
	}
	clients, err := newClients(ctx, c, server)
	if err != nil {
		return nil, err
	}
	awaiting := newReadiness(index, hasSandbox(ctx, run))
	dependencies, err := dependenciesFor(ctx, c, sandboxes, server, clients, run)
	if err != nil {
		return nil, err
	}
	dependencies.Recorder = patient{EventRecorderLogger: dependencies.Recorder, readiness: awaiting}
	source := newPodSource(ctx, c, clients.kube, dependencies, index)
	kubernetes_kubelet.ContainerLogsDir = server.PodLogsDir // this process has one kubelet
	klet, err := construct(ctx, c, server, dependencies)
	if err != nil {
		return nil, fmt.Errorf("create kubelet: %w", err)
	}
	awaiting.begin(ctx, klet)
	run.OnChange(func(podUID string) {
		klet.RequestPodRelist(types.UID(podUID))
		awaiting.add(podUID)
	})
	run.OnMissingImage(missingImages(dependencies.Recorder))
	return &kubelet{Kubelet: klet, name: c.Name, client: clients.kube, base: clients.base, server: server, dependencies: dependencies, source: source}, nil
}

// usable checks the directories before the kubelet does, because the kubelet would end the process.
func usable(server *options.KubeletServer) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(server.Address, strconv.Itoa(int(server.Port))))
	if err != nil {
		return fmt.Errorf("listen for the kubelet's API: %w", err)
	}
	return listener.Close()
}

func dependenciesFor(ctx context.Context, c Config, sandboxes *openSandboxes, server *options.KubeletServer, clients *clients, run *runtime.Runtime) (*kubernetes_kubelet.Dependencies, error) {
	if err := ensureServingCertificate(c, server); err != nil {
		return nil, err
	}
	tlsOptions, err := app.InitializeTLS(ctx, &server.KubeletFlags, &server.KubeletConfiguration)
	if err != nil {
		return nil, fmt.Errorf("configure TLS of kubelet: %w", err)
	}
	auth, reloadCA, err := app.BuildAuth(types.NodeName(c.Name), clients.kube, server.KubeletConfiguration)
	if err != nil {
		return nil, fmt.Errorf("configure authentication of kubelet: %w", err)
	}
	reloadCA(ctx.Done())
	advisor := machine.NewAdvisor(c.Name, c.RootDir)
	return &kubernetes_kubelet.Dependencies{
		Auth:                      auth,
		CAdvisorInterface:         advisor,
		ContainerManager:          machine.NewContainerManager(advisor),
		EventClient:               clients.events,
		HeartbeatClient:           clients.heartbeat,
		OnHeartbeatFailure:        clients.onHeartbeatFailure,
		KubeClient:                clients.kube,
		Mounter:                   volume.Mounter{},
		HostUtil:                  volume.NewHost(c.RootDir, c.SharedVolumes),
		Subpather:                 volume.Subpaths{HostPaths: c.hostPaths()},
		VolumePlugins:             volume.Plugins(volume.Directories{Volumes: c.Volumes, Shared: c.SharedVolumes, HostPaths: c.hostPaths()}),
		OOMAdjuster:               oom.NewFakeOOMAdjuster(),
		OSInterface:               system{},
		Recorder:                  recorder(ctx, c.Name, clients.events),
		TracerProvider:            noop.NewTracerProvider(),
		TLSOptions:                tlsOptions,
		RemoteRuntimeService:      run,
		RemoteImageService:        imagesOf(c, sandboxes, run),
		PodStartupLatencyTracker:  util.NewPodStartupLatencyTracker(),
		NodeStartupLatencyTracker: util.NewNodeStartupLatencyTracker(),
	}, nil
}

// registryTransport asks registries that users name. They must not be listeners of this machine, unless they are mirrors.
func registryTransport(mirrors Mirrors) http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = guardeddial.Rules{Hosts: mirrors.hosts()}.DialContext
	return transport
}

// imagesOf returns the image service: of the store if there are sandboxes, else one for which every image is present.
func imagesOf(c Config, sandboxes *openSandboxes, run *runtime.Runtime) criapi.ImageManagerService {
	if sandboxes == nil {
		return run.Images()
	}
	return images.New(images.Config{
		Store: sandboxes.images, Cluster: sandboxes.Cluster, Keychain: authn.DefaultKeychain, Transport: registryTransport(sandboxes.Mirrors), Mirrors: sandboxes.Mirrors.of,
		SimulateMissing: sandboxes.SimulateMissing,
		Real: func(name string, annotations map[string]string) bool {
			if image.Is(name, c.Image) {
				return false
			}
			if pods.HasSandboxes(annotations) {
				return true
			}
			_, err := sandboxes.images.Get(sandboxes.Cluster, name) // the kubelet also asks without naming the pod
			return err == nil
		},
	})
}

func recorder(ctx context.Context, node string, client typedcorev1.EventsGetter) record.EventRecorderLogger {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: node})
}

// construct gives the kubelet the node's address as its host name and no node addresses, because the kubelet refuses
// loopback addresses as node addresses. The Node still gets that address, and its label shows the name.
func construct(ctx context.Context, c Config, server *options.KubeletServer, dependencies *kubernetes_kubelet.Dependencies) (*kubernetes_kubelet.Kubelet, error) {
	labels := map[string]string{corev1.LabelHostname: c.Name}
	for key, value := range c.Labels {
		labels[key] = value
	}
	return kubernetes_kubelet.NewMainKubelet(ctx, &server.KubeletConfiguration, dependencies, &server.ContainerRuntimeOptions,
		c.NodeIP.String(), types.NodeName(c.Name), []net.IP{}, c.ProviderID, "", server.CertDirectory, server.RootDirectory, server.PodLogsDir,
		"", "", server.RegisterNode, server.RegisterWithTaints, nil, "", false, false,
		server.MinimumGCAge, server.MaxPerPodContainerCount, server.MaxContainerCount, labels, server.NodeStatusMaxImages, false)
}

// run returns when ctx has ended. Goroutines of the kubelet continue until the process ends, but the runtime starts
// nothing for them any more.
func (k *kubelet) run(ctx context.Context) error {
	k.BirthCry()
	k.StartGarbageCollection(ctx)
	go k.Run(ctx, k.dependencies.PodConfig.Updates())
	go k.ListenAndServe(ctx, &k.server.KubeletConfiguration, k.dependencies.TLSConfig, k.dependencies.Auth, k.dependencies.TracerProvider)
	k.source.run(ctx, k.Kubelet)
	<-ctx.Done()
	return ctx.Err()
}
