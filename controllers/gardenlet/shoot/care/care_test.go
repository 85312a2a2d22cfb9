package care

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/watchdog"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

var now = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func running() *objects {
	o := &objects{}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "gardener-resource-manager", "machine-controller-manager"} {
		o.deployments = append(o.deployments, appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"gardener.cloud/role": "controlplane"}},
			Status:     appsv1.DeploymentStatus{AvailableReplicas: 1},
		})
	}
	for _, name := range []string{"etcd-main", "etcd-events"} {
		o.etcds = append(o.etcds, druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: druidv1alpha1.EtcdStatus{Ready: ptr.To(true), ObservedGeneration: ptr.To[int64](0)}})
	}
	return o
}

func TestControlPlane(t *testing.T) {
	for name, tc := range map[string]struct {
		change     func(*objects)
		workerless bool
		want       string
	}{
		"all parts are there and serve":                  {want: "ControlPlaneRunning"},
		"GLT-39 a Deployment without a pod":              {change: func(o *objects) { o.deployments[1].Status.AvailableReplicas = 0 }, want: "DeploymentUnhealthy"},
		"a Deployment that rolls out and serves is well": {change: func(o *objects) { o.deployments[0].Status.UnavailableReplicas = 1 }, want: "ControlPlaneRunning"},
		"a Deployment that the watchdog has stopped": {change: func(o *objects) {
			o.deployments[1].Spec.Replicas, o.deployments[1].Annotations = ptr.To[int32](0), map[string]string{watchdog.Replicas: "1"}
		}, want: "DeploymentStopped"},
		"a Deployment that is missing":                       {change: func(o *objects) { o.deployments = o.deployments[1:] }, want: "DeploymentMissing"},
		"a Deployment that is not part of the control plane": {change: func(o *objects) { o.deployments = append(o.deployments, appsv1.Deployment{}) }, want: "ControlPlaneRunning"},
		"without workers there is no machine controller":     {change: func(o *objects) { o.deployments = o.deployments[:4] }, workerless: true, want: "ControlPlaneRunning"},
		"an etcd that is not ready":                          {change: func(o *objects) { o.etcds[0].Status.Ready = nil }, want: "EtcdUnhealthy"},
		"ETC-8 an etcd whose backups fail": {change: func(o *objects) {
			o.etcds[0].Status.Conditions = []druidv1alpha1.Condition{{Type: druidv1alpha1.ConditionTypeBackupReady, Status: druidv1alpha1.ConditionFalse}}
		}, want: "EtcdUnhealthy"},
		"an etcd that has not been backed up yet is healthy": {change: func(o *objects) {
			o.etcds[0].Status.Conditions = []druidv1alpha1.Condition{{Type: druidv1alpha1.ConditionTypeBackupReady, Status: druidv1alpha1.ConditionUnknown}}
		}, want: "ControlPlaneRunning"},
		"an etcd that is missing": {change: func(o *objects) { o.etcds = o.etcds[:1] }, want: "EtcdMissing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := running()
			if tc.change != nil {
				tc.change(o)
			}
			if got := ControlPlane(o, availability.Setting{}, tc.workerless); got.Reason != tc.want {
				t.Errorf("reason is %s (%s), want %s", got.Reason, got.Message, tc.want)
			}
		})
	}
}

func TestShortfallOfTheSeed(t *testing.T) {
	got := ControlPlane(running(), availability.Of(gardencorev1beta1.FailureToleranceTypeNode, []corev1.Node{{}}), false)
	if got.Status != gardencorev1beta1.ConditionTrue || !strings.Contains(got.Message, "1 of the 3 nodes") {
		t.Errorf("a healthy control plane on too few nodes: %+v", got)
	}
}

func nodeOf(version string, ready corev1.ConditionStatus, more ...corev1.NodeCondition) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node" + version + string(ready), Labels: map[string]string{"worker.gardener.cloud/pool": "ray"}},
		Status: corev1.NodeStatus{
			Conditions: append([]corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}, more...),
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: version},
		},
	}
}

func TestNodes(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{
		Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
		Provider:   gardencorev1beta1.Provider{Workers: []gardencorev1beta1.Worker{{Name: "ray"}}},
	}}
	emulated := shoot.DeepCopy()
	emulated.Spec.Kubernetes.Version = "1.35.0"
	workers := []extensionsv1alpha1.Worker{{Status: extensionsv1alpha1.WorkerStatus{MachineDeployments: []extensionsv1alpha1.MachineDeployment{{Minimum: 1, Maximum: 3}}}}}
	well := nodeOf("v1.36.3", corev1.ConditionTrue)
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		nodes []corev1.Node
		want  string
	}{
		"as many nodes as at least wanted are enough": {shoot, []corev1.Node{well}, "EveryNodeReady"},
		"fewer are not":                               {shoot, nil, "MissingNodes"},
		"every node has to be ready":                  {shoot, []corev1.Node{well, nodeOf("v1.36.3", corev1.ConditionFalse)}, "NodeUnhealthy"},
		"a node under pressure is not well":           {shoot, []corev1.Node{nodeOf("v1.36.3", corev1.ConditionTrue, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})}, "NodeUnhealthy"},
		"ARC-9 a node has the version of its pool":    {shoot, []corev1.Node{nodeOf("v1.35.0", corev1.ConditionTrue)}, "KubeletVersionMismatch"},
		"ARC-9 also where the version is emulated":    {emulated, []corev1.Node{well}, "KubeletVersionMismatch"},
		"ARC-9 a node of an emulated version is well": {emulated, []corev1.Node{nodeOf("v1.35.0", corev1.ConditionTrue)}, "EveryNodeReady"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := &shootCluster{client: fake.NewClientBuilder().WithLists(&corev1.NodeList{Items: tc.nodes}).Build()}
			if got := cluster.nodes(t.Context(), tc.shoot, &objects{workers: workers}, now); got.Reason != tc.want {
				t.Errorf("reason is %s (%s), want %s", got.Reason, got.Message, tc.want)
			}
		})
	}
}

// A user of a shoot can make Nodes without machines.
func TestTooManyNodes(t *testing.T) {
	nodes := make([]corev1.Node, health.MostNodes+1)
	for i := range nodes {
		nodes[i].Name = fmt.Sprint("node-", i)
	}
	cluster := &shootCluster{client: fake.NewClientBuilder().WithLists(&corev1.NodeList{Items: nodes}).Build()}
	got := cluster.nodes(t.Context(), &gardencorev1beta1.Shoot{}, &objects{}, now)
	if got.Reason != "TooManyNodes" || got.Status != gardencorev1beta1.ConditionFalse || !strings.Contains(got.Message, "more than 10000 objects of kind Node. Delete those") {
		t.Errorf("finding is %+v", got)
	}
}

func TestOutdatedNodes(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{
		Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
		Provider:   gardencorev1beta1.Provider{Workers: []gardencorev1beta1.Worker{{Name: "ray"}}},
	}}
	manual := shoot.DeepCopy()
	manual.Spec.Provider.Workers[0].UpdateStrategy = ptr.To(gardencorev1beta1.ManualInPlaceUpdate)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "x", Labels: map[string]string{"gardener.cloud/role": "operating-system-config", "worker.gardener.cloud/pool": "ray"}},
		Data:       map[string][]byte{"osc.yaml": []byte("ok")},
	}
	node := nodeOf("v1.36.3", corev1.ConditionTrue)
	node.Name, node.Labels, node.Annotations = "n", map[string]string{"worker.gardener.cloud/pool": "ray"}, map[string]string{"checksum/cloud-config-data": "former"}
	cluster := &shootCluster{client: fake.NewClientBuilder().WithObjects(secret, &node).Build()}
	t.Run("BST-13 BST-15 a node with another configuration is outdated", func(t *testing.T) {
		if got := cluster.nodes(t.Context(), shoot, &objects{}, now); got.Reason != "OperatingSystemConfigOutdated" || got.Status != gardencorev1beta1.ConditionFalse {
			t.Errorf("finding is %+v", got)
		}
	})
	t.Run("a node that a user has to update is not", func(t *testing.T) {
		if got := cluster.nodes(t.Context(), manual, &objects{}, now); got.Reason != "EveryNodeReady" {
			t.Errorf("finding is %+v", got)
		}
	})
}

func TestExtensions(t *testing.T) {
	object := func(status gardencorev1beta1.ConditionStatus, kind gardencorev1beta1.ConditionType, age time.Duration) extensionsv1alpha1.Object {
		return &extensionsv1alpha1.Network{Status: extensionsv1alpha1.NetworkStatus{DefaultStatus: extensionsv1alpha1.DefaultStatus{Conditions: []gardencorev1beta1.Condition{
			{Type: kind, Status: status, LastUpdateTime: metav1.NewTime(now.Add(-age))},
		}}}}
	}
	for name, tc := range map[string]struct {
		object extensionsv1alpha1.Object
		want   string
	}{
		"EXT-16 an extension that reports a failure is heard": {object("False", SystemComponentsHealthy, 0), "NetworkUnhealthyReport"},
		"a report that all is well changes nothing":           {object("True", SystemComponentsHealthy, 0), ""},
		"a report that is too old is not believed":            {object("True", SystemComponentsHealthy, time.Hour), "NetworkOutdatedHealthCheckReport"},
		"a report about something else is none":               {object("False", "Created", 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Extensions([]extensionsv1alpha1.Object{tc.object}, 5*time.Minute, now)
			if got[SystemComponentsHealthy].Reason != tc.want {
				t.Errorf("finding is %+v, want reason %q", got, tc.want)
			}
		})
	}
}

func TestApply(t *testing.T) {
	r := &Reconciler{Clock: fixed{}, Settings: Settings{Thresholds: map[gardencorev1beta1.ConditionType]time.Duration{ControlPlaneHealthy: time.Minute}}}
	findings := map[gardencorev1beta1.ConditionType]conditions.Finding{
		APIServerAvailable: conditions.True("A", ""), ControlPlaneHealthy: conditions.False("B", ""), EveryNodeReady: conditions.True("C", ""), SystemComponentsHealthy: conditions.False("D", ""),
	}
	statuses := func(shoot *gardencorev1beta1.Shoot) (out []string) {
		for _, c := range shoot.Status.Conditions {
			out = append(out, string(c.Type)+"="+string(c.Status))
		}
		return out
	}
	t.Run("API-28 a shoot has four conditions, in order", func(t *testing.T) {
		shoot := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{Provider: gardencorev1beta1.Provider{Workers: []gardencorev1beta1.Worker{{}}}}}
		shoot.Status.Conditions = []gardencorev1beta1.Condition{{Type: APIServerAvailable, Status: "True"}, {Type: ControlPlaneHealthy, Status: "True"}}
		r.apply(shoot, findings)
		want := []string{"APIServerAvailable=True", "ControlPlaneHealthy=Progressing", "EveryNodeReady=True", "SystemComponentsHealthy=False"}
		if got := statuses(shoot); len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
			t.Errorf("conditions are %v, want %v", got, want)
		}
	})
	t.Run("one without workers has none about nodes", func(t *testing.T) {
		shoot := &gardencorev1beta1.Shoot{Status: gardencorev1beta1.ShootStatus{Conditions: []gardencorev1beta1.Condition{{Type: EveryNodeReady}}}}
		r.apply(shoot, findings)
		if conditions.Get(shoot.Status.Conditions, EveryNodeReady) != nil || len(shoot.Status.Conditions) != 3 {
			t.Errorf("conditions are %v", statuses(shoot))
		}
	})
}

func TestApplyConstraints(t *testing.T) {
	const transient, lasting = gardencorev1beta1.ShootCACertificateValiditiesAcceptable, gardencorev1beta1.ShootHibernationPossible
	shoot := &gardencorev1beta1.Shoot{}
	apply := func(findings constraintFindings) string {
		applyConstraints(shoot, findings, now)
		out := ""
		for _, c := range shoot.Status.Constraints {
			out += string(c.Type) + "=" + string(c.Status) + " "
		}
		return out
	}
	for _, step := range []struct {
		name     string
		findings constraintFindings
		want     string
	}{
		{"API-28 a lasting constraint is there in any case", constraintFindings{lasting: conditions.True("A", ""), transient: conditions.True("A", "")}, "HibernationPossible=True "},
		{"API-28 another one only while it is False", constraintFindings{transient: conditions.False("A", "")}, "HibernationPossible=True CACertificateValiditiesAcceptable=False "},
		{"what was not checked stays", constraintFindings{lasting: conditions.False("A", "")}, "HibernationPossible=False CACertificateValiditiesAcceptable=False "},
		{"it disappears when all is well", constraintFindings{transient: conditions.True("A", "")}, "HibernationPossible=False "},
	} {
		t.Run(step.name, func(t *testing.T) {
			if got := apply(step.findings); got != step.want {
				t.Errorf("constraints are %q, want %q", got, step.want)
			}
		})
	}
}

type fixed struct{}

func (fixed) Now() time.Time                  { return now }
func (fixed) Since(t time.Time) time.Duration { return now.Sub(t) }

func TestWorthwhile(t *testing.T) {
	shoot := func(kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState) *gardencorev1beta1.Shoot {
		return &gardencorev1beta1.Shoot{Status: gardencorev1beta1.ShootStatus{TechnicalID: "x", LastOperation: &gardencorev1beta1.LastOperation{Type: kind, State: state}}}
	}
	if Worthwhile(&gardencorev1beta1.Shoot{}) || Worthwhile(shoot("Create", "Processing")) || !Worthwhile(shoot("Create", "Succeeded")) || !Worthwhile(shoot("Reconcile", "Error")) {
		t.Error("only what has been created once is looked after")
	}
}

func TestNextLook(t *testing.T) {
	ago := func(d time.Duration, status gardencorev1beta1.ConditionStatus) []gardencorev1beta1.Condition {
		return []gardencorev1beta1.Condition{{Status: status, LastTransitionTime: metav1.NewTime(now.Add(-d))}}
	}
	if NextLook(ago(time.Second, "False"), time.Minute, now) != soon || NextLook(ago(time.Hour, "False"), time.Minute, now) != time.Minute || NextLook(ago(time.Second, "True"), time.Minute, now) != time.Minute {
		t.Error("only what has just changed for the worse is looked at soon")
	}
}
