package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/local/cloudcontroller"
	"github.com/gardener-up/gardener-up/local/cloudcontroller/deploy"
)

// pod is a directory with the files of a pod of the cloud controller. Its API server is that of seed and shoot.
func pod(t *testing.T, namespace string) string {
	dir := t.TempDir()
	write := func(path, content string) {
		file := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	token := func(namespace string) string {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cloud-controller-manager"}}
		if err := seed.Create(t.Context(), account); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
		request := &authenticationv1.TokenRequest{}
		if err := seed.SubResource("token").Create(t.Context(), account, request); err != nil {
			t.Fatal(err)
		}
		return request.Status.Token
	}
	ca, err := os.ReadFile(filepath.Join(environment.Dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	write(incluster.Dir+"/token", token(namespace))
	write(incluster.Dir+"/namespace", namespace)
	write(incluster.Dir+"/ca.crt", string(ca))
	const access = "var/run/secrets/gardener.cloud/shoot/generic-kubeconfig"
	write(access+"/token", token("kube-system"))
	write(access+"/ca.crt", string(ca))
	write(access+"/kubeconfig", fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: shoot, contexts: [{name: shoot, context: {cluster: shoot, user: shoot}}],
  clusters: [{name: shoot, cluster: {server: %q, certificate-authority: %q}}], users: [{name: shoot, user: {tokenFile: /%s/token}}]}`,
		restConfig.Host, filepath.Join(dir, access, "ca.crt"), access))
	return dir
}

// startCloudController runs the component as an embedded node would, with the rights of its pod, until the test ends.
func startCloudController(t *testing.T, namespace, volumes string) {
	server, err := url.Parse(restConfig.Host)
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{
		"KUBERNETES_SERVICE_HOST": server.Hostname(), "KUBERNETES_SERVICE_PORT": server.Port(), "GARDENER_SHOOT_VOLUMES": volumes,
	}
	cmd := cloudcontroller.Command(incluster.Surroundings{Dir: pod(t, namespace), Getenv: func(name string) string { return variables[name] }})
	cmd.SetArgs([]string{"--kubeconfig=var/run/secrets/gardener.cloud/shoot/generic-kubeconfig/kubeconfig"})
	cmd.SetOut(io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
}

func TestCloudController(t *testing.T) {
	const own = "shoot--local--cloud"
	worker := &extensionsv1alpha1.Worker{
		ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "cloud"},
		Spec:       extensionsv1alpha1.WorkerSpec{DefaultSpec: spec("local"), Region: "local", SecretRef: credentials, Pools: newWorker().Spec.Pools},
	}
	lost := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "lost"}, Spec: corev1.NodeSpec{ProviderID: "local:///" + own + "/lost"}}
	ready := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "ready"}, Spec: corev1.NodeSpec{ProviderID: "local:///" + own + "/ready"}}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "web"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}},
	}}
	class := "default"
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "cloud"}, Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: &class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	objects := append([]client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}}}, deploy.ShootObjects()...)
	seedObjects := deploy.SeedObjects(deploy.Values{Namespace: own})
	objects = append(objects, seedObjects[:len(seedObjects)-1]...)
	for _, object := range append(objects, worker, lost, ready, service, claim) {
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T: %v", object, err)
		}
	}
	worker.Status.LastOperation = lastOperation("Create", "Succeeded")
	ready.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	ready.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.9.9.9"}}
	if err := errors.Join(seed.Status().Update(t.Context(), worker), seed.Status().Update(t.Context(), ready)); err != nil {
		t.Fatal(err)
	}
	volumes := t.TempDir()
	startCloudController(t, own, volumes)

	t.Run("GLT-30 it removes a node without a machine, with the rights of its pod", func(t *testing.T) {
		eventually(t, "the node is gone", func() bool { return !found(t.Context(), lost, "", "lost") })
		if !found(t.Context(), ready, "", "ready") {
			t.Error("so is a node that is ready")
		}
	})
	t.Run("GLT-30 it gives load balancers addresses", func(t *testing.T) {
		addressed := func(want string) func() bool {
			return func() bool {
				if !found(t.Context(), service, own, "web") || len(service.Status.LoadBalancer.Ingress) != 1 {
					return want == "" && len(service.Status.LoadBalancer.Ingress) == 0
				}
				return service.Status.LoadBalancer.Ingress[0].IP == want
			}
		}
		eventually(t, "the service has the address of the node", addressed("127.9.9.9"))
		ready.Status.Addresses[0].Address = "127.9.9.8"
		if err := seed.Status().Update(t.Context(), ready); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the address follows", addressed("127.9.9.8"))
		if err := seed.Delete(t.Context(), ready); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the service has none without a node", addressed(""))
	})
	t.Run("GLT-30 it makes volumes and takes them back", func(t *testing.T) {
		pv, dir := &corev1.PersistentVolume{}, filepath.Join(volumes, own, "pvc-"+string(claim.UID))
		eventually(t, "there is a volume", func() bool { return found(t.Context(), pv, "", "pvc-"+string(claim.UID)) })
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
		pv.Status.Phase = corev1.VolumeReleased // as kube-controller-manager does when the claim is gone
		if err := seed.Status().Update(t.Context(), pv); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the directory is gone", func() bool {
			_, err := os.Stat(dir)
			return os.IsNotExist(err)
		})
	})
}

func lastOperation(kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *gardencorev1beta1.LastOperation {
	return &gardencorev1beta1.LastOperation{Type: kind, State: state, LastUpdateTime: metav1.Now(), Description: "done"}
}
