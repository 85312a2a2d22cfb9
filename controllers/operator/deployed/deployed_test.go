package deployed

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestDeployed(t *testing.T) {
	b := newBench(t)
	b.deploy(aGarden())
	t.Run("OPR-8 OPR-16 OPR-34 the virtual garden is Etcds and Deployments", func(t *testing.T) {
		etcds, deployments := &druidv1alpha1.EtcdList{}, &appsv1.DeploymentList{}
		if err := errors.Join(b.List(t.Context(), etcds), b.List(t.Context(), deployments)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, etcd := range etcds.Items {
			got = append(got, etcd.Name+" "+*etcd.Spec.PriorityClassName)
		}
		for _, deployment := range deployments.Items {
			got = append(got, deployment.Name+" "+deployment.Spec.Template.Spec.PriorityClassName)
		}
		want := []string{
			"virtual-garden-etcd-events gardener-garden-system-500", "virtual-garden-etcd-main gardener-garden-system-500",
			"gardener-admission-controller gardener-garden-system-400", "gardener-apiserver gardener-garden-system-500",
			"gardener-controller-manager gardener-garden-system-200", "gardener-resource-manager gardener-system-critical",
			"gardener-scheduler gardener-garden-system-200", "virtual-garden-gardener-resource-manager gardener-garden-system-400",
			"virtual-garden-kube-apiserver gardener-garden-system-500", "virtual-garden-kube-controller-manager gardener-garden-system-300",
			"vpa-admission-controller gardener-garden-system-300", "vpa-recommender gardener-garden-system-300", "vpa-updater gardener-garden-system-300",
			"istio-ingressgateway gardener-garden-system-critical",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("components (-want +got):\n%s", diff)
		}
	})
	t.Run("OPR-6 OPR-8 OPR-16 all components serve then", func(t *testing.T) {
		for _, c := range b.host.Components {
			if c.Serves == nil {
				continue
			}
			if err := c.Serves(t.Context()); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	})
	t.Run("OPR-8 OPR-16 pods run on nodes with Linux only", func(t *testing.T) {
		etcds, deployments := &druidv1alpha1.EtcdList{}, &appsv1.DeploymentList{}
		if err := errors.Join(b.List(t.Context(), etcds), b.List(t.Context(), deployments)); err != nil {
			t.Fatal(err)
		}
		for _, deployment := range deployments.Items {
			if got := deployment.Spec.Template.Spec.NodeSelector["kubernetes.io/os"]; got != "linux" {
				t.Errorf("%s: %q", deployment.Name, got)
			}
		}
		set := &appsv1.StatefulSet{}
		b.read(prometheus.Garden, set)
		if got := set.Spec.Template.Spec.NodeSelector["kubernetes.io/os"]; got != "linux" {
			t.Errorf("%s: %q", set.Name, got)
		}
		for _, etcd := range etcds.Items {
			term := etcd.Spec.SchedulingConstraints.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
			if one := term.MatchExpressions[0]; one.Key != "kubernetes.io/os" || !slices.Equal(one.Values, []string{"linux"}) {
				t.Errorf("%s: %v", etcd.Name, term)
			}
		}
	})
	t.Run("OPR-7 pods have the priority classes of a garden", func(t *testing.T) {
		class := &schedulingv1.PriorityClass{}
		if err := b.Get(t.Context(), client.ObjectKey{Name: "gardener-garden-system-500"}, class); err != nil || class.Value != 999999500 {
			t.Errorf("%+v, %v", class, err)
		}
	})
	t.Run("secrets have the names of Gardener", func(t *testing.T) {
		secrets := &corev1.SecretList{}
		if err := b.List(t.Context(), secrets, client.MatchingLabels{"manager-identity": "gardener-operator"}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, secret := range secrets.Items {
			got = append(got, secret.Labels["name"])
		}
		for _, want := range []string{"ca", "ca-client", "ca-front-proxy", "service-account-key", "kube-apiserver-etcd-encryption-key", "gardener-apiserver-etcd-encryption-key"} {
			if !slices.Contains(got, want) {
				t.Errorf("no secret has the name %s: %v", want, got)
			}
		}
	})
	t.Run("OPR-13 the first domain is in the flags, and all are in the certificate", func(t *testing.T) {
		b.wantArgs(apiServer, "--bind-address=0.0.0.0", "--external-hostname=api.garden.example.org", "--service-account-issuer=https://api.garden.example.org")
		certificate := parse(t, b.file(apiServer, "/pki/server", "tls.crt"))
		for _, name := range []string{"api.garden.example.org", "api.old.example.org", "virtual-garden-kube-apiserver.garden.svc", "10.2.0.7", "100.64.0.1"} {
			if err := certificate.VerifyHostname(name); err != nil {
				t.Error(err)
			}
		}
		if access := b.host.Access(aGarden()); access.Server != "https://api.garden.example.org" || access.ForPods != "https://virtual-garden-kube-apiserver.garden.svc:6443" {
			t.Errorf("access %+v", access)
		}
	})
	t.Run("OPR-10 OPR-14 OPR-15 the API server has the version, the range and the etcds of the Garden", func(t *testing.T) {
		b.wantArgs(apiServer, "--emulated-version=1.34", "--service-cluster-ip-range=100.64.0.0/16", "--etcd-servers=https://virtual-garden-etcd-main-client.garden.svc:2379")
		b.wantArgs(gardenerAPIServer, "--etcd-servers=https://virtual-garden-etcd-main-client.garden.svc:2379", "--cluster-identity=example", "--reserved-domains=garden.example.org")
	})
	t.Run("OPR-4 users of the virtual garden do not reach the runtime cluster through it", func(t *testing.T) {
		if args := strings.Join(b.args(apiServer), " "); !strings.Contains(args, "=10.1.0.0/16,10.2.0.0/16") || !strings.Contains(args, "gardener-apiserver.garden.svc:8443") {
			t.Error(args)
		}
	})
	t.Run("OPR-11 no controller makes tokens that do not expire", func(t *testing.T) {
		args := strings.Join(b.args(controllerManager), " ")
		if strings.Contains(args, "serviceaccount-token") || !strings.Contains(args, "--controllers=namespace-controller,") {
			t.Error(args)
		}
	})
	t.Run("OPR-38 the operator reaches the virtual garden as an administrator", func(t *testing.T) {
		config, err := b.inputs.connect(t.Context())
		if err != nil || config.Host != "https://virtual-garden-kube-apiserver.garden.svc:6443" || len(config.CertData) == 0 {
			t.Fatal(config, err)
		}
		if user := parse(t, config.CertData).Subject; user.Organization[0] != "system:masters" {
			t.Error(user)
		}
	})
	t.Run("a second run changes nothing", func(t *testing.T) {
		before := b.deployment(apiServer)
		secrets := &corev1.SecretList{}
		if err := b.List(t.Context(), secrets); err != nil {
			t.Fatal(err)
		}
		b.deploy(aGarden())
		again := &corev1.SecretList{}
		if err := b.List(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before.Spec, b.deployment(apiServer).Spec); diff != "" || len(again.Items) != len(secrets.Items) {
			t.Errorf("%d secrets instead of %d, pods (-before +after):\n%s", len(again.Items), len(secrets.Items), diff)
		}
	})
}

func TestStopped(t *testing.T) {
	b := newBench(t)
	b.deploy(aGarden())
	t.Run("OPR-20 a component without replicas does not serve", func(t *testing.T) {
		deployment := b.deployment(controllerManager)
		deployment.Spec.Replicas = ptr.To[int32](0)
		if err := b.Update(t.Context(), deployment); err != nil {
			t.Fatal(err)
		}
		if err := b.component(controllerManager).Serves(t.Context()); !errors.Is(err, errScaledDown) {
			t.Error(err)
		}
	})
	t.Run("a lost key is not made again while there are data", func(t *testing.T) {
		keys := client.MatchingLabels{"name": "kube-apiserver-etcd-encryption-key"}
		if err := b.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(namespace), keys); err != nil {
			t.Fatal(err)
		}
		if err := b.host.Deploy(t.Context(), aGarden(), "virtual garden"); err == nil || !strings.Contains(err.Error(), "lost its Secrets with the labels name=[kube-apiserver-etcd-encryption-key]") {
			t.Error(err)
		}
	})
	t.Run("OPR-39 a lost kubeconfig does not look like a garden that has never served", func(t *testing.T) {
		if err := b.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gardener-internal"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.inputs.connect(t.Context()); err == nil || apierrors.IsNotFound(err) {
			t.Error(err)
		}
		if _, err := newBench(t).inputs.connect(t.Context()); !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
	t.Run("OPR-20 an Etcd that is gone does not serve", func(t *testing.T) {
		if err := b.Delete(t.Context(), &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: etcdMain}}); err != nil {
			t.Fatal(err)
		}
		if err := b.component(etcdMain).Serves(t.Context()); err == nil {
			t.Error("it serves")
		}
	})
}

func TestHighAvailability(t *testing.T) {
	var nodes []client.Object
	for _, zone := range []string{"a", "b", "c"} {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: zone, Labels: map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelHostname: zone}}})
	}
	b := newBench(t, nodes...)
	b.deploy(aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.VirtualCluster.ControlPlane = &operatorv1alpha1.ControlPlane{HighAvailability: &operatorv1alpha1.HighAvailability{}}
		g.Spec.RuntimeCluster.Provider.Zones = []string{"a", "b", "c"}
	}))
	etcd := &druidv1alpha1.Etcd{}
	b.read(etcdMain, etcd)
	t.Run("OPR-9 each etcd has three members, and both API servers know them", func(t *testing.T) {
		if etcd.Spec.Replicas != 3 {
			t.Errorf("%d members", etcd.Spec.Replicas)
		}
		urls := "--etcd-servers=https://virtual-garden-etcd-main-0.virtual-garden-etcd-main-peer.garden.svc:2379,https://virtual-garden-etcd-main-1.virtual-garden-etcd-main-peer.garden.svc:2379,https://virtual-garden-etcd-main-2.virtual-garden-etcd-main-peer.garden.svc:2379"
		b.wantArgs(apiServer, urls)
		b.wantArgs(gardenerAPIServer, urls)
		if replicas := *b.deployment(gardenerScheduler).Spec.Replicas; replicas != 2 {
			t.Errorf("%d schedulers", replicas)
		}
	})
	t.Run("OPR-4 components are spread over zones", func(t *testing.T) {
		for name, constraints := range map[string][]corev1.TopologySpreadConstraint{
			etcdMain: etcd.Spec.SchedulingConstraints.TopologySpreadConstraints, apiServer: b.deployment(apiServer).Spec.Template.Spec.TopologySpreadConstraints,
			gardenerAPIServer: b.deployment(gardenerAPIServer).Spec.Template.Spec.TopologySpreadConstraints,
		} {
			if !slices.ContainsFunc(constraints, func(c corev1.TopologySpreadConstraint) bool { return c.TopologyKey == corev1.LabelTopologyZone }) {
				t.Errorf("%s: %v", name, constraints)
			}
		}
	})
}

func TestBackup(t *testing.T) {
	backup := &operatorv1alpha1.Backup{Provider: "s3", BucketName: ptr.To("bucket"), SecretRef: corev1.LocalObjectReference{Name: "credentials"}}
	garden := aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.VirtualCluster.ETCD = &operatorv1alpha1.ETCD{Main: &operatorv1alpha1.ETCDMain{Backup: backup, Storage: &operatorv1alpha1.Storage{ClassName: ptr.To("fast")}}}
	})
	b := newBench(t)
	t.Run("OPR-33 etcd main is backed up to the bucket of the Garden", func(t *testing.T) {
		b.deploy(garden)
		main, events := &druidv1alpha1.Etcd{}, &druidv1alpha1.Etcd{}
		b.read(etcdMain, main)
		b.read(etcdEvents, events)
		store := main.Spec.Backup.Store
		if store == nil || *store.Container != "bucket" || string(*store.Provider) != "s3" || store.SecretRef.Name != "credentials" || *main.Spec.StorageClass != "fast" {
			t.Errorf("etcd main %+v", main.Spec)
		}
		if store.Prefix != "garden--virtual-garden/"+etcdMain { // the druid refuses others
			t.Errorf("prefix %s", store.Prefix)
		}
		if events.Spec.Backup.Store != nil {
			t.Error("events are backed up")
		}
	})
	t.Run("OPR-33 a store that nobody can write to is refused", func(t *testing.T) {
		backup.Provider = "swift-like"
		if err := b.host.Deploy(t.Context(), garden, "etcd"); err == nil || !strings.Contains(err.Error(), `"swift-like" is no object store`) {
			t.Error(err)
		}
		backup.Provider = "s3"
	})
	t.Run("OPR-20 OPR-33 an etcd without the backups that it should have serves, and complains", func(t *testing.T) {
		etcd := &druidv1alpha1.Etcd{}
		b.read(etcdMain, etcd)
		etcd.Status.Conditions = []druidv1alpha1.Condition{{Type: druidv1alpha1.ConditionTypeBackupReady, Status: druidv1alpha1.ConditionFalse, Message: "access denied"}}
		main := b.component(etcdMain)
		if err := main.Complains(t.Context()); err != nil {
			t.Errorf("with backups: %v", err)
		}
		if err := b.Update(t.Context(), etcd); err != nil {
			t.Fatal(err)
		}
		if err := main.Serves(t.Context()); err != nil {
			t.Error(err)
		}
		if err := main.Complains(t.Context()); err == nil || !strings.Contains(err.Error(), "access denied") {
			t.Error(err)
		}
	})
	t.Run("OPR-33 a bucket without a name is refused, since nobody would make it", func(t *testing.T) {
		backup.BucketName = nil
		if err := b.host.Deploy(t.Context(), garden, "etcd"); err == nil || !strings.Contains(err.Error(), "bucketName") {
			t.Error(err)
		}
	})
}

func TestSettingsOfKubernetes(t *testing.T) {
	policy := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "audit"}, Data: map[string]string{"policy": "the policy"}}
	b := newBench(t, policy)
	b.deploy(aGarden(func(g *operatorv1alpha1.Garden) {
		g.Spec.VirtualCluster.Kubernetes.KubeAPIServer = &operatorv1alpha1.KubeAPIServerConfig{KubeAPIServerConfig: &gardencorev1beta1.KubeAPIServerConfig{
			Requests:    &gardencorev1beta1.APIServerRequests{MaxNonMutatingInflight: ptr.To[int32](123)},
			AuditConfig: &gardencorev1beta1.AuditConfig{AuditPolicy: &gardencorev1beta1.AuditPolicy{ConfigMapRef: &corev1.ObjectReference{Name: "audit"}}},
		}}
		g.Spec.VirtualCluster.Kubernetes.KubeControllerManager = &operatorv1alpha1.KubeControllerManagerConfig{CertificateSigningDuration: &metav1.Duration{Duration: 5 * time.Hour}}
	}))
	t.Run("OPR-10 settings of the Kubernetes components go to their flags", func(t *testing.T) {
		b.wantArgs(apiServer, "--max-requests-inflight=123")
		b.wantArgs(controllerManager, "--cluster-signing-duration=5h0m0s")
		if got := b.file(apiServer, "/etc/kubernetes/audit", "audit-policy.yaml"); string(got) != "the policy" {
			t.Errorf("policy %q", got)
		}
	})
}
