package deployed

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const namespace = "garden"

// bench is a runtime cluster in which all that is deployed serves at once.
type bench struct {
	*testing.T
	client.Client
	inputs Inputs
	host   host.Host
}

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{apiServer: "10.2.0.7", gardenerAPIServer: "10.2.0.8"} { // of the allocator
		objects = append(objects, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: corev1.ServiceSpec{ClusterIP: address}})
	}
	b := &bench{T: t}
	b.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&appsv1.Deployment{}, "metadata.name", func(object client.Object) []string {
		return []string{object.GetName()}
	}).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			err := c.Get(ctx, key, object, options...)
			serve(object)
			return err
		},
	}).Build()
	b.inputs = Inputs{
		Client: b.Client, Namespace: namespace, Image: "gardener:test", Clock: clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)),
		Registration: func(host string, _ int32, ca []byte) []client.Object {
			return []client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "registration"}, Data: map[string]string{"host": host, "ca": string(ca)}}}
		},
	}
	var err error
	if b.host, err = New(b.inputs); err != nil {
		t.Fatal(err)
	}
	password := observability.Password{Runtime: b.Client, Reader: b.Client, Clock: b.inputs.Clock} // of the operator
	if err := password.Deploy(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// serve plays the controllers of the cluster.
func serve(object client.Object) {
	switch object := object.(type) {
	case *appsv1.Deployment:
		replicas := ptr.Deref(object.Spec.Replicas, 1)
		object.Status = appsv1.DeploymentStatus{ObservedGeneration: object.Generation, Replicas: replicas, UpdatedReplicas: replicas, AvailableReplicas: replicas}
	case *appsv1.StatefulSet:
		object.Status.ReadyReplicas = ptr.Deref(object.Spec.Replicas, 1)
	case *druidv1alpha1.Etcd:
		delete(object.Annotations, "gardener.cloud/operation")
		object.Status.ObservedGeneration, object.Status.Ready = &object.Generation, ptr.To(true)
	case *resourcesv1alpha1.ManagedResource:
		object.Status.ObservedGeneration = object.Generation
		for _, kind := range []gardencorev1beta1.ConditionType{"ResourcesApplied", "ResourcesHealthy"} {
			object.Status.Conditions = append(object.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: "True"})
		}
	}
}

// deploy deploys all stages in their order.
func (b *bench) deploy(garden *operatorv1alpha1.Garden) {
	b.Helper()
	for _, stage := range host.Stages() {
		if err := b.host.Deploy(b.Context(), garden, stage); err != nil {
			b.Fatalf("stage %s: %v", stage, err)
		}
	}
}

func (b *bench) read(name string, object client.Object) {
	b.Helper()
	if err := b.Get(b.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) deployment(name string) *appsv1.Deployment {
	b.Helper()
	out := &appsv1.Deployment{}
	b.read(name, out)
	return out
}

func (b *bench) args(name string) []string {
	b.Helper()
	return b.deployment(name).Spec.Template.Spec.Containers[0].Args
}

// wantArgs expects arguments.
func (b *bench) wantArgs(name string, want ...string) {
	b.Helper()
	for _, arg := range want {
		if !slices.Contains(b.args(name), arg) {
			b.Errorf("%s lacks %s among\n%s", name, arg, strings.Join(b.args(name), "\n"))
		}
	}
}

// component returns a component of the host.
func (b *bench) component(name string) host.Component {
	b.Helper()
	at := slices.IndexFunc(b.host.Components, func(c host.Component) bool { return c.Name == name })
	if at < 0 {
		b.Fatalf("there is no component %q", name)
	}
	return b.host.Components[at]
}

// file is the content of a key of the first config map that the Deployment mounts at a directory.
func (b *bench) file(deployment, dir, key string) []byte {
	b.Helper()
	spec := b.deployment(deployment).Spec.Template.Spec
	for i, mount := range spec.Containers[0].VolumeMounts {
		if volume := spec.Volumes[i]; mount.MountPath == dir {
			if volume.ConfigMap != nil {
				configMap := &corev1.ConfigMap{}
				b.read(volume.ConfigMap.Name, configMap)
				return []byte(configMap.Data[key])
			}
			secret := &corev1.Secret{}
			b.read(volume.Secret.SecretName, secret)
			return secret.Data[key]
		}
	}
	b.Fatalf("%s mounts nothing at %s", deployment, dir)
	return nil
}

func aGarden(change ...func(*operatorv1alpha1.Garden)) *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "any", UID: "1"}, Spec: operatorv1alpha1.GardenSpec{
		RuntimeCluster: operatorv1alpha1.RuntimeCluster{
			Networking: operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}},
		},
		VirtualCluster: operatorv1alpha1.VirtualCluster{
			DNS:        operatorv1alpha1.DNS{Domains: []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}, {Name: "old.example.org"}}},
			Gardener:   operatorv1alpha1.Gardener{ClusterIdentity: "example"},
			Kubernetes: operatorv1alpha1.Kubernetes{Version: "1.34.1"},
			Networking: operatorv1alpha1.Networking{Services: []string{"100.64.0.0/16"}},
		},
	}}
	for _, f := range change {
		f(garden)
	}
	return garden
}

// managed are the keys of the objects of a ManagedResource.
func (b *bench) managed(name string) (keys []string) {
	b.Helper()
	secret := &corev1.Secret{}
	b.read("managedresource-"+name, secret)
	for key := range secret.Data {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
