package crds_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	istiov1beta1 "github.com/gardener-up/gardener-up/embedded/apis/istio/v1beta1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	var all definitions
	for _, group := range []func() (definitions, error){crds.Druid, crds.Extensions, crds.Istio, crds.Machine, crds.OpenIDConnect, crds.Operator, crds.Resources, crds.SelfHosted} {
		some, err := group()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		all = append(all, some...)
	}
	testenv.Main(m, testenv.Options{CRDs: all}, func(e *testenv.Env) { env = e })
}

// TestKindsSurvive writes objects with what is delicate in them: embedded metadata, documents of others, quantities,
// and empty values, which Go writes although nothing was said.
func TestKindsSurvive(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		druidv1alpha1.AddToScheme, extensionsv1alpha1.AddToScheme, istiov1beta1.AddToScheme, machinev1alpha1.AddToScheme, operatorv1alpha1.AddToScheme, resourcesv1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "default", Name: "x"}
	clusterMeta := metav1.ObjectMeta{Name: "x"}
	document := &runtime.RawExtension{Raw: []byte(`{"apiVersion":"local.provider/v1","deep":{"er":[1,2]},"kind":"Document"}`)}
	spec := extensionsv1alpha1.DefaultSpec{Type: "local", ProviderConfig: document}
	status := extensionsv1alpha1.DefaultStatus{
		ProviderStatus: document, State: document, ObservedGeneration: 1,
		LastOperation: &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded, Progress: 100,
			LastUpdateTime: metav1.NewTime(time.Date(2024, 1, 1, 0, 0, 0, 0, time.Local)),
		},
	}
	secret := corev1.SecretReference{Namespace: "garden", Name: "s"}
	nodes := machinev1alpha1.NodeTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}},
	}
	template := machinev1alpha1.MachineTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
		Spec: machinev1alpha1.MachineSpec{
			Class: machinev1alpha1.ClassSpec{Kind: "MachineClass", Name: "c"}, NodeTemplateSpec: nodes,
			MachineConfiguration: &machinev1alpha1.MachineConfiguration{MachineDrainTimeout: &metav1.Duration{Duration: time.Hour}},
		},
	}
	for _, object := range []client.Object{
		&extensionsv1alpha1.BackupBucket{ObjectMeta: clusterMeta, Spec: extensionsv1alpha1.BackupBucketSpec{DefaultSpec: spec, SecretRef: secret}, Status: extensionsv1alpha1.BackupBucketStatus{DefaultStatus: status}},
		&extensionsv1alpha1.BackupEntry{ObjectMeta: clusterMeta, Spec: extensionsv1alpha1.BackupEntrySpec{DefaultSpec: spec, BucketName: "b", SecretRef: secret}, Status: extensionsv1alpha1.BackupEntryStatus{DefaultStatus: status}},
		&extensionsv1alpha1.Bastion{ObjectMeta: meta, Spec: extensionsv1alpha1.BastionSpec{DefaultSpec: spec, UserData: []byte("#!"), Ingress: []extensionsv1alpha1.BastionIngressPolicy{}}, Status: extensionsv1alpha1.BastionStatus{DefaultStatus: status}},
		&extensionsv1alpha1.Cluster{ObjectMeta: clusterMeta, Spec: extensionsv1alpha1.ClusterSpec{CloudProfile: *document, Shoot: *document, Seed: *document}},
		&extensionsv1alpha1.ContainerRuntime{ObjectMeta: meta, Spec: extensionsv1alpha1.ContainerRuntimeSpec{DefaultSpec: spec}, Status: extensionsv1alpha1.ContainerRuntimeStatus{DefaultStatus: status}},
		&extensionsv1alpha1.ControlPlane{ObjectMeta: meta, Spec: extensionsv1alpha1.ControlPlaneSpec{DefaultSpec: spec, InfrastructureProviderStatus: document, SecretRef: secret}, Status: extensionsv1alpha1.ControlPlaneStatus{DefaultStatus: status}},
		&extensionsv1alpha1.DNSRecord{ObjectMeta: meta, Spec: extensionsv1alpha1.DNSRecordSpec{DefaultSpec: spec, RecordType: "A", Values: []string{"127.0.0.1"}, SecretRef: secret}, Status: extensionsv1alpha1.DNSRecordStatus{DefaultStatus: status}},
		&extensionsv1alpha1.Extension{ObjectMeta: meta, Spec: extensionsv1alpha1.ExtensionSpec{DefaultSpec: spec}, Status: extensionsv1alpha1.ExtensionStatus{DefaultStatus: status}},
		&extensionsv1alpha1.Infrastructure{ObjectMeta: meta, Spec: extensionsv1alpha1.InfrastructureSpec{DefaultSpec: spec, SecretRef: secret}, Status: extensionsv1alpha1.InfrastructureStatus{DefaultStatus: status}},
		&extensionsv1alpha1.Network{ObjectMeta: meta, Spec: extensionsv1alpha1.NetworkSpec{DefaultSpec: spec, PodCIDR: "10.0.0.0/8"}, Status: extensionsv1alpha1.NetworkStatus{DefaultStatus: status}},
		&extensionsv1alpha1.OperatingSystemConfig{ObjectMeta: meta, Spec: extensionsv1alpha1.OperatingSystemConfigSpec{
			DefaultSpec: spec, Purpose: extensionsv1alpha1.OperatingSystemConfigPurposeProvision,
			CRIConfig: &extensionsv1alpha1.CRIConfig{Name: extensionsv1alpha1.CRINameContainerD, Containerd: &extensionsv1alpha1.ContainerdConfig{
				Plugins: []extensionsv1alpha1.PluginConfig{{Path: []string{"a"}, Values: &apiextensionsv1.JSON{Raw: []byte(`{"x":1}`)}}},
			}},
			Files: []extensionsv1alpha1.File{{Path: "/x", Permissions: ptr.To[uint32](0o644), Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: "x"}}}},
		}, Status: extensionsv1alpha1.OperatingSystemConfigStatus{DefaultStatus: status}},
		&extensionsv1alpha1.SelfHostedShootExposure{ObjectMeta: meta, Spec: extensionsv1alpha1.SelfHostedShootExposureSpec{
			DefaultSpec: spec, CredentialsRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "garden", Name: "s"}, Port: 443,
			Endpoints: []extensionsv1alpha1.ControlPlaneEndpoint{{NodeName: "n", Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}}}},
		}, Status: extensionsv1alpha1.SelfHostedShootExposureStatus{DefaultStatus: status, Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}},
		&extensionsv1alpha1.Worker{ObjectMeta: meta, Spec: extensionsv1alpha1.WorkerSpec{DefaultSpec: spec, SecretRef: secret, Pools: []extensionsv1alpha1.WorkerPool{{
			Name: "p", MaxSurge: intstr.FromInt32(1), MaxUnavailable: intstr.FromString("10%"), ProviderConfig: document,
			KubeletConfig:                    &gardencorev1beta1.KubeletConfig{MaxPods: ptr.To[int32](5)},
			MachineControllerManagerSettings: &gardencorev1beta1.MachineControllerManagerSettings{MaxEvictRetries: ptr.To[int32](5)},
			NodeTemplate:                     &extensionsv1alpha1.NodeTemplate{Capacity: corev1.ResourceList{"cpu": resource.MustParse("1")}},
		}}}, Status: extensionsv1alpha1.WorkerStatus{DefaultStatus: status}},
		&resourcesv1alpha1.ManagedResource{ObjectMeta: meta, Spec: resourcesv1alpha1.ManagedResourceSpec{
			SecretRefs: []corev1.LocalObjectReference{{Name: "s"}}, Equivalences: [][]metav1.GroupKind{{{Group: "a", Kind: "B"}, {Group: "c", Kind: "B"}}},
		}},
		&druidv1alpha1.Etcd{ObjectMeta: meta, Spec: druidv1alpha1.EtcdSpec{
			Labels:                map[string]string{},
			SchedulingConstraints: druidv1alpha1.SchedulingConstraints{TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "k"}}},
			Etcd:                  druidv1alpha1.EtcdConfig{Resources: &corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}},
		}},
		&druidv1alpha1.EtcdCopyBackupsTask{ObjectMeta: meta},
		&druidv1alpha1.EtcdOpsTask{ObjectMeta: meta, Spec: druidv1alpha1.EtcdOpsTaskSpec{
			EtcdName: new("etcd-main"), TTLSecondsAfterFinished: new(int32(60)),
			Config: druidv1alpha1.EtcdOpsTaskConfig{OnDemandSnapshot: &druidv1alpha1.OnDemandSnapshotConfig{
				Type: druidv1alpha1.OnDemandSnapshotTypeFull, IsFinal: new(true), TimeoutSecondsDelta: new(int32(10)), TimeoutSecondsFull: new(int32(120)),
			}},
		}},
		&machinev1alpha1.MachineClass{ObjectMeta: meta, ProviderSpec: *document, NodeTemplate: &machinev1alpha1.NodeTemplate{Capacity: corev1.ResourceList{"cpu": resource.MustParse("1")}}},
		&machinev1alpha1.Machine{ObjectMeta: meta, Spec: template.Spec},
		&machinev1alpha1.MachineSet{ObjectMeta: meta, Spec: machinev1alpha1.MachineSetSpec{Template: template}},
		&machinev1alpha1.MachineDeployment{ObjectMeta: meta, Spec: machinev1alpha1.MachineDeploymentSpec{Template: template}},
		&operatorv1alpha1.Extension{ObjectMeta: clusterMeta, Spec: operatorv1alpha1.ExtensionSpec{Deployment: &operatorv1alpha1.Deployment{
			ExtensionDeployment: &operatorv1alpha1.ExtensionDeployment{Values: &apiextensionsv1.JSON{Raw: []byte(`{"x":1}`)}},
		}}},
		&istiov1beta1.Gateway{ObjectMeta: meta, Spec: istiov1beta1.GatewaySpec{Servers: []istiov1beta1.Server{{Port: istiov1beta1.Port{Number: 8443}, Hosts: []string{"*"}}}}},
		&istiov1beta1.VirtualService{ObjectMeta: meta, Spec: istiov1beta1.VirtualServiceSpec{TLS: []istiov1beta1.TLSRoute{{Match: []istiov1beta1.TLSMatchAttributes{{SniHosts: []string{"a"}}}}}}},
	} {
		t.Run(fmt.Sprintf("%T", object), func(t *testing.T) {
			want := object.DeepCopyObject().(client.Object)
			if err := c.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			if extension, ok := object.(extensionsv1alpha1.Object); ok {
				withStatus := want.DeepCopyObject().(client.Object)
				withStatus.SetResourceVersion(extension.GetResourceVersion())
				if err := c.Status().Update(t.Context(), withStatus); err != nil {
					t.Fatal(err)
				}
			}
			got := object.DeepCopyObject().(client.Object)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), got); err != nil {
				t.Fatal(err)
			}
			got.SetUID("")
			got.SetResourceVersion("")
			got.SetGeneration(0)
			got.SetCreationTimestamp(metav1.Time{})
			got.SetManagedFields(nil)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("object (-written +read):\n%s", diff)
			}
		})
	}
}
