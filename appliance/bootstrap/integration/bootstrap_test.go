package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/apply"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/condition"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/examine"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/remove"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func inputs() examine.Inputs {
	return examine.Inputs{Cluster: runtime, Garden: "garden", Pods: "10.244.0.0/16", Lookup: func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil }}
}

// finding is the state and the message of a check.
func finding(t *testing.T, in examine.Inputs, check string) (doctor.State, string) {
	t.Helper()
	findings, _ := examine.All(t.Context(), in)
	at := slices.IndexFunc(findings, func(f doctor.Finding) bool { return f.Check == check })
	if at < 0 {
		t.Fatalf("there is no check %q among %v", check, findings)
	}
	if f := findings[at]; f.State == doctor.Problem && f.Cure == "" {
		t.Errorf("%s: %s: there is no cure", f.Check, f.Message)
	}
	return findings[at].State, findings[at].Message
}

func expect(t *testing.T, in examine.Inputs, check string, state doctor.State, text string) {
	t.Helper()
	if got, message := finding(t, in, check); got != state || !strings.Contains(message, text) {
		t.Errorf("%s: %s %q, want %s with %q", check, got, message, state, text)
	}
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := runtime.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runtime.Client.Delete(context.Background(), object); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
}

func aNode(t *testing.T, name string, ready corev1.ConditionStatus) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: "zone-a"}}, Spec: corev1.NodeSpec{PodCIDR: "10.1.0.0/24"}}
	create(t, node)
	node.Spec.Taints = nil // the API server adds one until the node is ready
	if err := runtime.Client.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Status = corev1.NodeStatus{
		NodeInfo:    corev1.NodeSystemInfo{Architecture: "amd64"},
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
	}
	if err := runtime.Client.Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

func TestExamine(t *testing.T) {
	t.Run("APP-25 a cluster that does not answer is named", func(t *testing.T) {
		in := inputs()
		config := *runtime.Config
		config.Host = "https://127.0.0.1:1"
		var err error
		if in.Cluster, err = cluster.For(&config); err != nil {
			t.Fatal(err)
		}
		expect(t, in, "API server", doctor.Problem, "https://127.0.0.1:1 does not answer")
	})
	t.Run("APP-25 rights that are missing are named, and nothing more is looked at", func(t *testing.T) {
		create(t, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "test-viewer"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "viewer"}},
		})
		config, err := env.ConfigFor("viewer")
		if err != nil {
			t.Fatal(err)
		}
		in := inputs()
		if in.Cluster, err = cluster.For(config); err != nil {
			t.Fatal(err)
		}
		env.Until(t, "the binding works", func(ctx context.Context) error {
			findings, _ := examine.All(ctx, in)
			if last := findings[len(findings)-1]; last.Check != "rights" || last.State != doctor.Problem || !strings.Contains(last.Message, "may not do everything") {
				return fmt.Errorf("last finding %+v", last)
			}
			return nil
		})
	})
	t.Run("APP-25 a cluster without nodes", func(t *testing.T) { expect(t, inputs(), "nodes", doctor.Problem, "none of 0 nodes") })
	t.Run("APP-25 a cluster without volumes", func(t *testing.T) {
		expect(t, inputs(), "storage class", doctor.Problem, "no storage class")
	})
	t.Run("APP-25 a network that nobody can find out", func(t *testing.T) {
		in := inputs()
		in.Pods = ""
		expect(t, in, "network of pods", doctor.Problem, "does not say")
	})
	t.Run("APP-25 a network that is none", func(t *testing.T) {
		in := inputs()
		in.Pods = "10.0.0.0"
		expect(t, in, "network of pods", doctor.Problem, `"10.0.0.0" is not one range`)
	})
	t.Run("APP-25 the network of Services is that of the API server", func(t *testing.T) {
		expect(t, inputs(), "network of Services", doctor.OK, "/")
	})
	t.Run("APP-25 a node that is not ready is named", func(t *testing.T) {
		aNode(t, "good", corev1.ConditionTrue)
		aNode(t, "bad", corev1.ConditionFalse)
		expect(t, inputs(), "nodes", doctor.Warning, "not ready: bad")
	})
	t.Run("APP-25 a cluster with all that a Garden needs", func(t *testing.T) {
		aNode(t, "good", corev1.ConditionTrue)
		create(t, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "slow"}, Provisioner: "example.org/slow"})
		expect(t, inputs(), "storage class", doctor.Problem, "none of slow is the default")
		in := inputs()
		in.StorageClass, in.Pods = "slow", ""
		findings, facts := examine.All(t.Context(), in)
		if err := doctor.Error(findings); err != nil {
			t.Error(err)
		}
		if facts.Pods != "10.1.0.0/24" || facts.Services == "" || facts.ID == "" || !slices.Equal(facts.Zones, []string{"zone-a"}) || !slices.Equal(facts.Architectures, []string{"amd64"}) {
			t.Errorf("facts %+v", facts)
		}
	})
	t.Run("APP-25 a cluster that is full", func(t *testing.T) {
		aNode(t, "good", corev1.ConditionTrue)
		create(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "big"}, Spec: corev1.PodSpec{NodeName: "good", Containers: []corev1.Container{{
			Name: "big", Image: "big", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("7900Mi")}},
		}}}})
		expect(t, inputs(), "capacity", doctor.Problem, "292Mi are not requested")
	})
}

func wanted(t *testing.T, image string) []client.Object {
	t.Helper()
	return described(t, func(in *objects.Inputs) { in.Image = image })
}

func described(t *testing.T, change func(*objects.Inputs)) []client.Object {
	t.Helper()
	in := objects.Inputs{ServiceType: corev1.ServiceTypeClusterIP, Garden: objects.Garden{
		Name: "garden", Domain: "garden.example.org", Identity: "garden-1", Version: "1.36.3", Pods: "10.244.0.0/16", Services: "10.96.0.0/16", VirtualServices: objects.VirtualServices,
	}}
	change(&in)
	all, err := objects.All(in)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func quiet(client.Object) {}

func theGarden(t *testing.T) *operatorv1alpha1.Garden {
	t.Helper()
	garden := &operatorv1alpha1.Garden{}
	if err := runtime.Client.Get(t.Context(), client.ObjectKey{Name: "garden"}, garden); err != nil {
		t.Fatal(err)
	}
	return garden
}

// TestLife is one bootstrap from its first object to the last one that is removed.
func TestLife(t *testing.T) {
	c := runtime.Client
	t.Run("APP-25 what somebody else has installed is not taken over", func(t *testing.T) {
		foreign := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: objects.ClusterRole}}
		create(t, foreign)
		if err := apply.All(t.Context(), c, wanted(t, "a"), quiet); !errors.Is(err, apply.ErrForeign) || !strings.Contains(err.Error(), objects.ClusterRole) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-25 a bootstrap that was interrupted goes on, and the next one changes only what differs", func(t *testing.T) {
		for _, image := range []string{"a", "a", "b"} { // what the test before has left is the interruption
			if err := apply.All(t.Context(), c, wanted(t, image), quiet); err != nil {
				t.Fatal(err)
			}
		}
		deployment := &appsv1.Deployment{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: objects.Operator}, deployment); err != nil {
			t.Fatal(err)
		}
		if deployment.Generation != 2 || deployment.Spec.Template.Spec.Containers[0].Image != "b" {
			t.Errorf("generation %d, image %s", deployment.Generation, deployment.Spec.Template.Spec.Containers[0].Image)
		}
	})
	t.Run("ETC-2 the next bootstrap finds out whether the objects of the Garden's etcds are protected", func(t *testing.T) {
		aNode(t, "good", corev1.ConditionTrue)
		for _, protect := range []bool{true, false} {
			if err := apply.All(t.Context(), c, described(t, func(in *objects.Inputs) { in.Image, in.ProtectEtcds = "b", protect }), quiet); err != nil {
				t.Fatal(err)
			}
			if _, facts := examine.All(t.Context(), inputs()); facts.ProtectsEtcds != protect {
				t.Errorf("protection is %t, want %t", facts.ProtectsEtcds, protect)
			}
		}
	})
	t.Run("APP-25 a second bootstrap finds no other Gardener, and one for another Garden is refused", func(t *testing.T) {
		aNode(t, "good", corev1.ConditionTrue)
		expect(t, inputs(), "other Gardener", doctor.OK, "none")
		in := inputs()
		in.Pods = ""
		expect(t, in, "network of pods", doctor.OK, "10.244.0.0/16") // that of the Garden
		in.Garden = "second"
		expect(t, in, "other Gardener", doctor.Problem, `has the Garden "garden"`)
	})
	t.Run("APP-25 a bootstrap that the Garden would refuse is refused before it changes anything", func(t *testing.T) {
		for text, change := range map[string]func(*examine.Inputs){
			"has the domain garden.example.org":      func(in *examine.Inputs) { in.Domain = "other.example.org" },
			"has 1.35.9, which is older":             func(in *examine.Inputs) { in.Kubernetes = "1.35.9" },
			"has 1.38.0, which skips":                func(in *examine.Inputs) { in.Kubernetes = "1.38.0" },
			"this program is v1.1.0, which is older": func(in *examine.Inputs) { in.Version = "v1.1.0" },
		} {
			in := inputs()
			change(&in)
			garden := theGarden(t)
			garden.Status.Gardener = &gardencorev1beta1.Gardener{ID: "a", Name: "b", Version: "v1.2.0"}
			if err := c.Status().Update(t.Context(), garden); err != nil {
				t.Fatal(err)
			}
			expect(t, in, "earlier bootstrap", doctor.Problem, text)
		}
	})
	t.Run("APP-25 what users have changed in the Garden stays", func(t *testing.T) {
		garden := theGarden(t)
		garden.Spec.VirtualCluster.DNS.Domains = append(garden.Spec.VirtualCluster.DNS.Domains, operatorv1alpha1.DNSDomain{Name: "garden.example.com"})
		garden.Spec.VirtualCluster.Maintenance.TimeWindow.Begin, garden.Spec.VirtualCluster.Maintenance.TimeWindow.End = "010000+0000", "020000+0000"
		if err := c.Update(t.Context(), garden); err != nil {
			t.Fatal(err)
		}
		if err := apply.All(t.Context(), c, wanted(t, "b"), quiet); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(garden.Spec, theGarden(t).Spec); diff != "" {
			t.Errorf("the Garden (-before +after):\n%s", diff)
		}
	})
	t.Run("APP-25 a Garden of somebody else is neither changed nor removed", func(t *testing.T) {
		garden := theGarden(t)
		garden.Labels = nil
		if err := c.Update(t.Context(), garden); err != nil {
			t.Fatal(err)
		}
		if err := apply.All(t.Context(), c, wanted(t, "b"), quiet); !errors.Is(err, apply.ErrForeign) {
			t.Errorf("error %v", err)
		}
		if err := remove.All(t.Context(), remove.Inputs{Client: c, Tell: func(string) {}}); !errors.Is(err, remove.ErrForeign) {
			t.Errorf("error %v", err)
		}
		garden = theGarden(t)
		if garden.DeletionTimestamp != nil || len(garden.Annotations) > 0 {
			t.Errorf("deleted %v, annotations %v", garden.DeletionTimestamp, garden.Annotations)
		}
		garden.Labels = map[string]string{objects.LabelManagedBy: objects.ManagedBy}
		if err := c.Update(t.Context(), garden); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("APP-25 the state says what is waited for", func(t *testing.T) {
		state, err := condition.Look(t.Context(), c, "garden")
		if err != nil || state.Ready || state.Doing != "the operator is starting" {
			t.Errorf("state %+v, error %v", state, err)
		}
	})
	t.Run("APP-25 shoots whose control planes are in the cluster are protected", func(t *testing.T) {
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--a--b"}})
		etcd := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--a--b", Name: "etcd-main"}}
		etcd.Spec.Labels, etcd.Spec.Selector = map[string]string{"a": "b"}, &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		create(t, etcd)
		if err := remove.All(t.Context(), remove.Inputs{Client: c, Tell: func(string) {}}); !errors.Is(err, remove.ErrHosts) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-25 a removal leaves nothing", func(t *testing.T) {
		for _, of := range []share.Share{share.Operator, share.Landscape} {
			if err := (&protection.Member{Identity: "druid", Share: of}).Join(t.Context(), c, "druid"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- remove.All(ctx, remove.Inputs{Client: c, Tell: func(string) {}}) }()
		defer cancel()
		env.Until(t, "the namespace is deleted", func(ctx context.Context) error { return finalize(ctx, c) })
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		for _, object := range append(protection.Objects(share.Operator), wanted(t, "b")...) {
			if object.GetNamespace() != "" { // no controller collects what is in the namespace
				continue
			}
			if _, is := object.(*operatorv1alpha1.Garden); is {
				continue // its kind is gone
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
				t.Errorf("%s is still there: %v", objects.Describe(object), err)
			}
		}
		for _, object := range protection.Objects(share.Landscape) {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				t.Errorf("what the druid of a landscape keeps: %v", err)
			}
		}
	})
	t.Run("APP-25 a second removal has nothing to do, and definitions of others stay", func(t *testing.T) {
		definitions, err := objects.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		foreign := definitions[0].(*apiextensionsv1.CustomResourceDefinition)
		foreign.Labels = nil
		create(t, foreign)
		if err := remove.All(t.Context(), remove.Inputs{Client: c, Tell: func(string) {}}); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil || foreign.DeletionTimestamp != nil {
			t.Errorf("the definition of somebody else: %v, deleted %v", err, foreign.DeletionTimestamp)
		}
		expect(t, inputs(), "other Gardener", doctor.Problem, foreign.Name)
	})
}

// finalize does what the controller of namespaces does.
func finalize(ctx context.Context, c client.Client) error {
	namespace := &corev1.Namespace{}
	err := c.Get(ctx, client.ObjectKey{Name: "garden"}, namespace)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case namespace.DeletionTimestamp == nil:
		return errors.New("the namespace is not deleted yet")
	}
	namespace.Spec.Finalizers = nil
	if err := c.SubResource("finalize").Update(ctx, namespace); err != nil {
		return err
	}
	return errors.New("the namespace is still there")
}
