package kubecontroller_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/testr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
	"github.com/gardener-up/gardener-up/embedded/kubescheduler"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// component is the contract of the appliance.
type component interface {
	Name() string
	Start(ctx context.Context) error
	Ready(ctx context.Context) error
	Done() <-chan struct{}
	Stop(ctx context.Context) error
}

const address = "127.0.0.1"

// landscape is two etcds and two clusters, all in this process.
type landscape struct {
	dir          string
	pki          *testpki.PKI
	etcd, events etcd.Config
	log          logr.Logger
}

// TestServersSideBySide is the one test that links the Kubernetes servers, since they take long to link.
func TestServersSideBySide(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l := newLandscape(t)

	f := flags.Flags{MaxRequests: ptr.To[int32](requestsAtOnce / 2), MaxMutatingRequests: ptr.To[int32](requestsAtOnce / 2)}
	garden, gardenClient := l.apiServer(t, "garden", f.WithoutNodes(), limited)
	seed, seedClient := l.apiServer(t, "seed", f, limited)
	gardenControllers := l.controllers("garden-controllers", gardenClient, kubecontroller.GardenControllers())
	seedControllers := l.controllers("seed-controllers", seedClient, kubecontroller.SeedControllers())
	scheduler := kubescheduler.New(kubescheduler.Config{Name: "scheduler", Client: seedClient, Log: l.log})

	all := []component{etcd.New(l.etcd), etcd.New(l.events), garden, seed, gardenControllers, seedControllers, scheduler}
	begin := time.Now()
	for _, c := range all { // nothing waits for anything: each server waits for what it needs
		if err := c.Start(ctx); err != nil {
			t.Fatalf("start %s: %v", c.Name(), err)
		}
	}
	for _, c := range all {
		waitReady(ctx, t, c)
		t.Logf("%s ready after %s", c.Name(), time.Since(begin).Round(10*time.Millisecond))
	}
	inGarden, inSeed := kubernetes.NewForConfigOrDie(gardenClient), kubernetes.NewForConfigOrDie(seedClient)

	t.Run("each API server has the groups of its own flags", func(t *testing.T) {
		if _, err := inSeed.AppsV1().Deployments("default").List(ctx, metav1.ListOptions{}); err != nil {
			t.Errorf("apps/v1 of the seed: %v", err)
		}
		if _, err := inGarden.AppsV1().Deployments("default").List(ctx, metav1.ListOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("apps/v1 is served although it is off: %v", err)
		}
	})

	t.Run("a namespace of the garden gets its service account and root CA and goes away", func(t *testing.T) {
		namespaces := inGarden.CoreV1().Namespaces()
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden-dev"}}
		if _, err := namespaces.Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, "service account and root CA", func() error {
			if _, err := inGarden.CoreV1().ServiceAccounts(ns.Name).Get(ctx, "default", metav1.GetOptions{}); err != nil {
				return err
			}
			_, err := inGarden.CoreV1().ConfigMaps(ns.Name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			return err
		})
		if err := namespaces.Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, "end of the namespace", func() error {
			_, err := namespaces.Get(ctx, ns.Name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("still there: %w", err)
		})
	})

	for name, server := range map[string]*rest.Config{"garden": gardenClient, "seed": seedClient} {
		t.Run("APP-19 a flood of tenants keeps neither the landscape nor another tenant from the "+name, func(t *testing.T) { flood(ctx, t, server) })
	}
	for name, server := range map[string]*rest.Config{"garden": gardenClient, "seed": seedClient} {
		t.Run("APP-19 the "+name+" reads no request of more than 3 MiB", func(t *testing.T) { hugeRequest(ctx, t, server) })
	}
	t.Run("APP-19 tenants together do not take all watches", func(t *testing.T) { watchesTogether(ctx, t, gardenClient) })

	t.Run("a deployment of the seed becomes a pod that is placed on a node", func(t *testing.T) {
		makeNode(ctx, t, inSeed)
		makeDeployment(ctx, t, inSeed)
		testwait.Until(t, "pod on a node", func() error {
			pods, err := inSeed.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			if len(pods.Items) != 1 || pods.Items[0].Spec.NodeName != "node" {
				return fmt.Errorf("%d pods, none on the node", len(pods.Items))
			}
			return nil
		})
	})

	t.Run("controllers start again after a stop", func(t *testing.T) {
		if err := seedControllers.Stop(ctx); err != nil {
			t.Fatalf("stop: %v", err)
		}
		if err := seedControllers.Start(ctx); err != nil {
			t.Fatal(err)
		}
		waitReady(ctx, t, seedControllers)
	})

	begin = time.Now()
	for i := len(all) - 1; i >= 0; i-- {
		if err := all[i].Stop(ctx); err != nil {
			t.Errorf("stop %s: %v", all[i].Name(), err)
		}
		<-all[i].Done()
		t.Logf("%s stopped after %s", all[i].Name(), time.Since(begin).Round(10*time.Millisecond))
	}
}

func newLandscape(t *testing.T) *landscape {
	t.Helper()
	l := &landscape{dir: t.TempDir(), log: testr.New(t)}
	if os.Getenv("VERBOSE") == "" {
		l.log = logr.Discard()
	}
	var err error
	if l.pki, err = testpki.New(l.dir, address); err != nil {
		t.Fatal(err)
	}
	l.etcd, l.events = l.etcdConfig(t, "etcd-main"), l.etcdConfig(t, "etcd-events")
	l.etcd.Socket, l.events.Socket = filepath.Join(l.dir, "main.sock"), filepath.Join(l.dir, "events.sock")
	return l
}

func (l *landscape) etcdConfig(t *testing.T, name string) etcd.Config {
	return etcd.Config{
		Name: name, DataDir: filepath.Join(l.dir, name), ClientPort: freePort(t), Log: l.log,
		CAFile: l.pki.Path("ca.crt"), CertFile: l.pki.Path("server.crt"), KeyFile: l.pki.Path("server.key"),
	}
}

func (l *landscape) apiServer(t *testing.T, name string, f flags.Flags, change ...func(*kubeapi.Config)) (*kubeapi.Server, *rest.Config) {
	f.BindAddress, f.AdvertiseAddress, f.Port = address, address, freePort(t)
	f.Etcd.Servers, f.Etcd.EventsServers = []string{l.etcd.SocketEndpoint()}, []string{l.events.SocketEndpoint()}
	f.Etcd.Prefix = "/" + name
	f.ServingCert, f.ServingKey = l.pki.Path("server.crt"), l.pki.Path("server.key")
	f.ClientCA = l.pki.Path("ca.crt")
	f.Tokens.Issuer = "https://kubernetes.default.svc"
	f.Tokens.Keys, f.Tokens.SigningKey = []string{l.pki.Path("sa.key")}, l.pki.Path("sa.key")
	f.ServiceCIDR, f.EndpointReconciler = "127.96.0.0/16", "none"
	client := &rest.Config{
		Host: fmt.Sprintf("https://%s:%d", address, f.Port),
		TLSClientConfig: rest.TLSClientConfig{
			CAFile: l.pki.Path("ca.crt"), CertFile: l.pki.Path("admin.crt"), KeyFile: l.pki.Path("admin.key"),
		},
	}
	config := kubeapi.Config{Name: name, Args: f.Args(), Client: client, Log: l.log}
	for _, f := range change {
		f(&config)
	}
	return kubeapi.New(config), client
}

func (l *landscape) controllers(name string, client *rest.Config, controllers []string) *kubecontroller.Server {
	return kubecontroller.New(kubecontroller.Config{
		Name: name, Client: client, Controllers: controllers, Log: l.log,
		RootCA: l.pki.Path("ca.crt"), ServiceAccountKey: l.pki.Path("sa.key"),
	})
}

func makeNode(ctx context.Context, t *testing.T, client kubernetes.Interface) {
	t.Helper()
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	node.Status.Conditions = []corev1.NodeCondition{ready}
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}
	node.Status.Capacity = node.Status.Allocatable
	if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func makeDeployment(ctx context.Context, t *testing.T, client kubernetes.Interface) {
	t.Helper()
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
			},
		},
	}
	if _, err := client.AppsV1().Deployments("default").Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func waitReady(ctx context.Context, t *testing.T, c component) {
	t.Helper()
	testwait.Until(t, c.Name()+" ready", func() error {
		select {
		case <-c.Done():
			t.Fatalf("%s has ended: %v", c.Name(), c.Ready(ctx))
		default:
		}
		return c.Ready(ctx)
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
