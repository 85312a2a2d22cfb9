package health_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
)

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		object  string
		healthy bool
	}{
		"GRM-17 an available, updated Deployment": {`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 1},
 status: {observedGeneration: 2, updatedReplicas: 1, conditions: [{type: Available, status: "True"}]}}`, true},
		"GRM-17 a Deployment whose status is old": {`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 1},
 status: {observedGeneration: 1, updatedReplicas: 1, conditions: [{type: Available, status: "True"}]}}`, false},
		"GRM-17 a Deployment without minimum availability": {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1},
 status: {updatedReplicas: 1, conditions: [{type: Available, status: "False"}]}}`, false},
		"GRM-17 a Deployment that is not updated": {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2},
 status: {updatedReplicas: 1, conditions: [{type: Available, status: "True"}]}}`, false},
		"GRM-17 a new Deployment without conditions": {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1}}`, false},
		"GRM-17 a Deployment scaled to zero":         {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0}}`, true},
		"GRM-17 a ready StatefulSet":                 {`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 1}, status: {readyReplicas: 1}}`, true},
		"GRM-17 a StatefulSet that is not ready":     {`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 1}}`, false},
		"GRM-17 a complete DaemonSet": {`{apiVersion: apps/v1, kind: DaemonSet,
 status: {desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2}}`, true},
		"GRM-17 a DaemonSet with a missing pod": {`{apiVersion: apps/v1, kind: DaemonSet,
 status: {desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberUnavailable: 1}}`, false},
		"GRM-17 a DaemonSet during an allowed roll-out": {`{apiVersion: apps/v1, kind: DaemonSet, spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 1}}},
 status: {desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1, numberUnavailable: 1}}`, true},
		"GRM-17 a DaemonSet without nodes":        {`{apiVersion: apps/v1, kind: DaemonSet}`, true},
		"GRM-17 a failed Job":                     {`{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: Failed, status: "True"}]}}`, false},
		"GRM-17 a running Job":                    {`{apiVersion: batch/v1, kind: Job}`, true},
		"GRM-17 a ready Pod":                      {`{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`, true},
		"GRM-17 a Pod that is not ready":          {`{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "False"}]}}`, false},
		"GRM-17 a pending Pod":                    {`{apiVersion: v1, kind: Pod, status: {phase: Pending}}`, false},
		"GRM-17 a Service inside the cluster":     {`{apiVersion: v1, kind: Service, spec: {type: ClusterIP}}`, true},
		"GRM-17 a Service without its address":    {`{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}}`, false},
		"GRM-17 a ReplicaSet that is not ready":   {`{apiVersion: apps/v1, kind: ReplicaSet, spec: {replicas: 1}}`, false},
		"GRM-17 a ready ReplicationController":    {`{apiVersion: v1, kind: ReplicationController, spec: {replicas: 1}, status: {readyReplicas: 1}}`, true},
		"GRM-17 a CRD that is not established":    {`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: NamesAccepted, status: "True"}]}}`, false},
		"GRM-17 an available APIService":          {`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, status: {conditions: [{type: Available, status: "True"}]}}`, true},
		"GRM-17 an APIService without backend":    {`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, status: {conditions: [{type: Available, status: "False"}]}}`, false},
		"GRM-17 a kind without a rule is healthy": {`{apiVersion: v1, kind: ConfigMap}`, true},
		"GRM-17 an extension object whose controller has finished": {`{apiVersion: extensions.gardener.cloud/v1alpha1, kind: Worker, metadata: {generation: 1},
 status: {observedGeneration: 1, lastOperation: {state: Succeeded}}}`, true},
		"GRM-17 an extension object of an older generation": {`{apiVersion: extensions.gardener.cloud/v1alpha1, kind: Worker, metadata: {generation: 2},
 status: {observedGeneration: 1, lastOperation: {state: Succeeded}}}`, false},
		"GRM-17 an extension object whose operation has not begun": {`{apiVersion: extensions.gardener.cloud/v1alpha1, kind: Network, metadata: {annotations: {gardener.cloud/operation: reconcile}},
 status: {lastOperation: {state: Succeeded}}}`, false},
		"GRM-17 an extension object with an error": {`{apiVersion: extensions.gardener.cloud/v1alpha1, kind: Network,
 status: {lastOperation: {state: Succeeded}, lastError: {description: broken}}}`, false},
		"GRM-17 a Cluster has no status":   {`{apiVersion: extensions.gardener.cloud/v1alpha1, kind: Cluster}`, true},
		"GRM-17 an Etcd that is ready":     {`{apiVersion: druid.gardener.cloud/v1alpha1, kind: Etcd, status: {ready: true}}`, true},
		"GRM-17 an Etcd that is not ready": {`{apiVersion: druid.gardener.cloud/v1alpha1, kind: Etcd, status: {ready: false}}`, false},
		"GRM-17 an Etcd with errors":       {`{apiVersion: druid.gardener.cloud/v1alpha1, kind: Etcd, status: {ready: true, lastErrors: [{description: broken}]}}`, false},
		"a ManagedResource that is not healthy": {`{apiVersion: resources.gardener.cloud/v1alpha1, kind: ManagedResource,
 status: {conditions: [{type: ResourcesApplied, status: "True"}, {type: ResourcesHealthy, status: "False"}]}}`, false},
		"a ManagedResource that is healthy": {`{apiVersion: resources.gardener.cloud/v1alpha1, kind: ManagedResource,
 status: {conditions: [{type: ResourcesApplied, status: "True"}, {type: ResourcesHealthy, status: "True"}]}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := health.Check(object(t, tc.object)); (err == nil) != tc.healthy {
				t.Errorf("Check = %v, want healthy %v", err, tc.healthy)
			}
		})
	}
}

func TestRolledOut(t *testing.T) {
	for name, tc := range map[string]struct {
		object string
		done   bool
	}{
		"GRM-18 a Deployment with an old pod":  {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1}, status: {replicas: 2, updatedReplicas: 1}}`, false},
		"GRM-18 a Deployment without old pods": {`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1}, status: {replicas: 1, updatedReplicas: 1}}`, true},
		"GRM-18 a StatefulSet in the middle":   {`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 2}, status: {updatedReplicas: 1}}`, false},
		"GRM-18 a DaemonSet in the middle":     {`{apiVersion: apps/v1, kind: DaemonSet, status: {desiredNumberScheduled: 2, updatedNumberScheduled: 1}}`, false},
		"GRM-18 another kind":                  {`{apiVersion: v1, kind: ConfigMap}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := health.RolledOut(object(t, tc.object)); (err == nil) != tc.done {
				t.Errorf("RolledOut = %v, want done %v", err, tc.done)
			}
		})
	}
}

func object(t *testing.T, raw string) *unstructured.Unstructured {
	t.Helper()
	result := &unstructured.Unstructured{}
	raw = string(mustJSON(t, raw))
	if err := result.UnmarshalJSON([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	return result
}

func mustJSON(t *testing.T, raw string) []byte {
	t.Helper()
	converted, err := yaml.YAMLToJSON([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return converted
}
