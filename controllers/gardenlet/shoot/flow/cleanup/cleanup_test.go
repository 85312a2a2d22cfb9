package cleanup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// polls is long enough for the clean-up to look several times.
	polls = 700 * time.Millisecond
	// limit is how long a clean-up may take once nothing holds it up.
	limit = 2 * time.Minute
)

const (
	webhook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard, finalizers: [example.org/stuck]}
webhooks:
- name: guard.example.org
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [services], scope: "*"}]
  admissionReviewVersions: [v1]
  sideEffects: None
`
	apiService = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metrics.example.org, finalizers: [example.org/stuck]}
spec: {group: metrics.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: none, namespace: default}}
`
	widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
	widget = `
apiVersion: example.org/v1
kind: Widget
metadata: {name: stuck, namespace: default, finalizers: [example.org/stuck]}
`
	claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default, finalizers: [example.org/stuck]}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
	service = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {ports: [{port: 80}]}
`
	// lost is a pod on a node that does not answer any more.
	lost = `
apiVersion: v1
kind: Pod
metadata: {name: lost, namespace: default}
spec: {nodeName: gone, containers: [{name: web, image: nginx}]}
`
	deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  selector: {matchLabels: {app: NAME}}
  template: {metadata: {labels: {app: NAME}}, spec: {containers: [{name: web, image: nginx}]}}
`
	snapshots1 = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: volumesnapshots.snapshot.storage.k8s.io, labels: {shoot.gardener.cloud/no-cleanup: "true"}, annotations: {api-approved.kubernetes.io: "https://example.org"}}
spec:
  group: snapshot.storage.k8s.io
  scope: Namespaced
  names: {plural: volumesnapshots, singular: volumesnapshot, kind: VolumeSnapshot, listKind: VolumeSnapshotList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
	snapshots2 = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: volumesnapshotcontents.snapshot.storage.k8s.io, labels: {shoot.gardener.cloud/no-cleanup: "true"}, annotations: {api-approved.kubernetes.io: "https://example.org"}}
spec:
  group: snapshot.storage.k8s.io
  scope: Cluster
  names: {plural: volumesnapshotcontents, singular: volumesnapshotcontent, kind: VolumeSnapshotContent, listKind: VolumeSnapshotContentList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
	snapshot = `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: daily, namespace: default, finalizers: [example.org/csi]}
`
	content = `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotContent
metadata: {name: daily, finalizers: [example.org/csi]}
`
)

// fixture is one clean-up with a clock of its own.
type fixture struct {
	t     *testing.T
	clock *clocktesting.FakePassiveClock
	shoot *gardencorev1beta1.Shoot
	done  chan error
}

func newFixture(t *testing.T, annotations map[string]string) *fixture {
	return &fixture{t: t, clock: clocktesting.NewFakePassiveClock(time.Now().Add(10 * time.Second)), done: make(chan error, 1), shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}}
}

// create creates an object, and removes it after the test whatever holds it.
func (f *fixture) create(manifest string) *unstructured.Unstructured {
	f.t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), object); err != nil {
		f.t.Fatal(err)
	}
	wanted := object.DeepCopy()
	f.eventually("the cluster knows the kind "+object.GetKind(), func() error {
		*object = *wanted.DeepCopy()
		return cluster.Create(f.t.Context(), object)
	})
	f.t.Cleanup(func() {
		ctx := context.Background()
		_ = cluster.Patch(ctx, object.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
		f.eventually("removing "+object.GetName(), func() error {
			err := cluster.Delete(ctx, object.DeepCopy(), client.GracePeriodSeconds(0))
			if meta.IsNoMatchError(err) {
				return nil
			}
			return client.IgnoreNotFound(err)
		})
	})
	return object
}

func (f *fixture) eventually(what string, check func() error) {
	f.t.Helper()
	if err := testwait.Try(context.Background(), limit, check); err != nil { // also after the test
		f.t.Fatalf("%s: %v", what, err)
	}
}

// start runs a stage in the background.
func (f *fixture) start(stage func(Cleanup, context.Context, connection.Connection) error) {
	ctx, cancel := context.WithTimeout(f.t.Context(), limit)
	f.t.Cleanup(cancel)
	go func() {
		f.done <- stage(Cleanup{Shoot: f.shoot, Clock: f.clock}, ctx, connection.Connection{Client: cluster})
	}()
}

// after sets the clock to a time after the beginning.
func (f *fixture) after(d time.Duration) { f.clock.SetTime(time.Now().Add(d)) }

// stays checks that the stage waits for the objects, whose deletion has begun.
func (f *fixture) stays(objects ...*unstructured.Unstructured) {
	f.t.Helper()
	for _, object := range objects {
		f.eventually("the deletion of "+object.GetName()+" begins", func() error {
			current := object.DeepCopy()
			if err := cluster.Get(f.t.Context(), client.ObjectKeyFromObject(object), current); err != nil {
				return err
			}
			if current.GetDeletionTimestamp() == nil {
				return context.DeadlineExceeded
			}
			return nil
		})
	}
	testwait.Stays(f.t, polls, "the stage waits", func() error {
		for _, object := range objects {
			if !f.exists(object) {
				return fmt.Errorf("%s %s was not waited for", object.GetKind(), object.GetName())
			}
		}
		select {
		case err := <-f.done:
			return fmt.Errorf("it has ended with %w", errors.Join(errEnded, err))
		default:
			return nil
		}
	})
}

var errEnded = errors.New("a stage that has nothing to wait for")

// ends checks that the stage succeeds, and that the objects are gone.
func (f *fixture) ends(objects ...*unstructured.Unstructured) {
	f.t.Helper()
	if err := <-f.done; err != nil {
		f.t.Fatal(err)
	}
	for _, object := range objects {
		if f.exists(object) {
			f.t.Errorf("%s %s is left", object.GetKind(), object.GetName())
		}
	}
}

func (f *fixture) exists(object *unstructured.Unstructured) bool {
	f.t.Helper()
	err := cluster.Get(f.t.Context(), client.ObjectKeyFromObject(object), object.DeepCopy())
	if client.IgnoreNotFound(err) != nil {
		f.t.Fatal(err)
	}
	return err == nil
}

// untouched checks that nobody has begun to delete an object.
func (f *fixture) untouched(object *unstructured.Unstructured) {
	f.t.Helper()
	current := object.DeepCopy()
	if err := cluster.Get(f.t.Context(), client.ObjectKeyFromObject(object), current); err != nil || current.GetDeletionTimestamp() != nil {
		f.t.Errorf("%s %s is touched: %v", object.GetKind(), object.GetName(), err)
	}
}

func TestWebhooks(t *testing.T) {
	t.Run("CLN-1 finalizers of webhooks are removed after five minutes", func(t *testing.T) {
		f := newFixture(t, nil)
		hook := f.create(webhook)
		f.start(Cleanup.Webhooks)
		f.after(4*time.Minute + 45*time.Second)
		f.stays(hook)
		f.after(5*time.Minute + time.Second)
		f.ends(hook)
	})
	t.Run("CLN-6 an annotation shortens the time", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds": "60"})
		hook := f.create(webhook)
		f.start(Cleanup.Webhooks)
		f.after(50 * time.Second)
		f.stays(hook)
		f.after(61 * time.Second)
		f.ends(hook)
	})
	t.Run("CLN-6 an annotation lengthens the time", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds": "1200"})
		hook := f.create(webhook)
		f.start(Cleanup.Webhooks)
		f.after(19 * time.Minute)
		f.stays(hook)
		f.after(20*time.Minute + time.Second)
		f.ends(hook)
	})
	t.Run("CLN-6 zero removes finalizers at once", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds": "0"})
		hook := f.create(webhook)
		f.start(Cleanup.Webhooks)
		f.ends(hook)
	})
}

func TestExtendedAPIs(t *testing.T) {
	t.Run("CLN-2 finalizers of API extensions are removed after an hour", func(t *testing.T) {
		f := newFixture(t, nil)
		service, definition := f.create(apiService), f.create(widgets)
		f.create(widget)
		f.start(Cleanup.ExtendedAPIs)
		f.after(59 * time.Minute)
		f.stays(service, definition)
		f.after(time.Hour + time.Second)
		f.ends(service, definition)
	})
	t.Run("CLN-6 an annotation shortens the time", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds": "600"})
		service := f.create(apiService)
		f.start(Cleanup.ExtendedAPIs)
		f.after(9 * time.Minute)
		f.stays(service)
		f.after(10*time.Minute + time.Second)
		f.ends(service)
	})
}

func TestResources(t *testing.T) {
	t.Run("CLN-3 finalizers of claims are removed, and lost pods, after five minutes", func(t *testing.T) {
		f := newFixture(t, nil)
		volume, pod := f.create(claim), f.create(lost)
		gone := []*unstructured.Unstructured{f.create(service), f.create(strings.ReplaceAll(deployment, "NAME", "web"))}
		f.start(Cleanup.Resources)
		f.after(4*time.Minute + 45*time.Second)
		f.stays(volume, pod)
		for _, object := range gone {
			if f.exists(object) {
				t.Errorf("%s is left", object.GetKind())
			}
		}
		f.after(5*time.Minute + time.Second)
		f.ends(volume, pod)
	})
	t.Run("CLN-6 an annotation shortens the time", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds": "60"})
		volume, pod := f.create(claim), f.create(lost)
		f.start(Cleanup.Resources)
		f.after(50 * time.Second)
		f.stays(volume, pod)
		f.after(61 * time.Second)
		f.ends(volume, pod)
	})
	t.Run("CLN-6 zero waits for nothing", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds": "0"})
		volume, pod := f.create(claim), f.create(lost)
		f.start(Cleanup.Resources)
		f.ends(volume, pod)
	})
	t.Run("CLN-4 a user who skips the clean-up of workloads skips no other", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/skip-cleanup": "true", "shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds": "0"})
		service := f.create(apiService)
		f.start(Cleanup.ExtendedAPIs)
		f.ends(service)
	})
	t.Run("CLN-4 a user may have only Services and claims deleted", func(t *testing.T) {
		f := newFixture(t, map[string]string{"shoot.gardener.cloud/skip-cleanup": "true", "shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds": "0"})
		kept, volume, balanced := f.create(strings.ReplaceAll(deployment, "NAME", "web")), f.create(claim), f.create(service)
		f.start(Cleanup.Resources)
		f.ends(volume, balanced)
		f.untouched(kept)
	})
	t.Run("CLN-5 CLN-7 snapshots go last, and their finalizers after an hour", func(t *testing.T) {
		f := newFixture(t, nil)
		f.create(snapshots1)
		f.create(snapshots2)
		volume, daily, stored := f.create(claim), f.create(snapshot), f.create(content)
		f.start(Cleanup.Resources)
		f.stays(volume)
		f.untouched(daily)
		f.untouched(stored)
		f.after(5*time.Minute + time.Second)
		f.stays(daily, stored)
		if f.exists(volume) {
			t.Error("the claim is left")
		}
		f.after(time.Hour + 10*time.Second)
		f.ends(daily, stored)
	})
	t.Run("CLN-9 a labelled driver stays and finishes its snapshots", func(t *testing.T) {
		f := newFixture(t, nil)
		definition := f.create(snapshots1)
		driver := f.create(strings.Replace(strings.ReplaceAll(deployment, "NAME", "csi"), "namespace: default", `namespace: default, labels: {shoot.gardener.cloud/no-cleanup: "true"}`, 1))
		daily := f.create(snapshot)
		f.start(Cleanup.ExtendedAPIs)
		f.ends()
		f.untouched(definition)
		f.start(Cleanup.Resources)
		f.stays(daily)
		f.untouched(driver)
		if err := cluster.Patch(t.Context(), daily.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil { // as the driver does
			t.Fatal(err)
		}
		f.ends(daily)
		f.untouched(driver)
	})
	t.Run("CLN-8 Gardener's own objects stay", func(t *testing.T) {
		f := newFixture(t, nil)
		own := f.create(strings.Replace(strings.ReplaceAll(deployment, "NAME", "coredns"), "namespace: default", `namespace: default, labels: {gardener.cloud/role: system-component}`, 1))
		f.start(Cleanup.Resources)
		f.ends()
		f.untouched(own)
	})
}

// policy keeps everybody from deleting a Service.
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: keep}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [services]}]}
  validations: [{expression: "oldObject.metadata.name != 'a-kept'", message: "nobody deletes this"}]
`

const binding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: keep}
spec: {policyName: keep, validationActions: [Deny]}
`

func TestRefusedDeletion(t *testing.T) {
	f := newFixture(t, nil)
	kept, other := f.create(strings.Replace(service, "web", "a-kept", 1)), f.create(strings.Replace(service, "web", "other", 1))
	f.create(policy) // removed before the Services
	f.create(binding)
	f.eventually("the policy is in force", func() error {
		if err := cluster.Delete(t.Context(), kept.DeepCopy(), client.DryRunAll); err == nil {
			return context.DeadlineExceeded
		}
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*polls)
	defer cancel()
	err := Cleanup{Shoot: f.shoot, Clock: f.clock}.Resources(ctx, connection.Connection{Client: cluster})
	if err == nil || !slices.Contains(contract.Codes(err), gardencorev1beta1.ErrorCleanupClusterResources) ||
		!strings.Contains(err.Error(), "Service default/a-kept") || !strings.Contains(err.Error(), "nobody deletes this") {
		t.Errorf("CLN-3: error is %v, codes %v", err, contract.Codes(err))
	}
	if f.exists(other) {
		t.Error("an object that may be deleted is left, since another one must not be")
	}
}
