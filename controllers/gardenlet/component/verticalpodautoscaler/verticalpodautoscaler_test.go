package verticalpodautoscaler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func duration(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

func args(config gardencorev1beta1.VerticalPodAutoscaler, part string) []string {
	_, deployments := Objects(Values{Namespace: "shoot--sky--sun", Replicas: 1, Config: config})
	for _, deployment := range deployments {
		if deployment.Name == part {
			return deployment.Spec.Template.Spec.Containers[0].Args
		}
	}
	return nil
}

func TestArgs(t *testing.T) {
	said := gardencorev1beta1.VerticalPodAutoscaler{
		Enabled: true, EvictAfterOOMThreshold: duration(11 * time.Minute), EvictionRateBurst: ptr.To[int32](3), EvictionRateLimit: ptr.To(0.5),
		EvictionTolerance: ptr.To(0.25), RecommendationMarginFraction: ptr.To(0.1), UpdaterInterval: duration(20 * time.Second), RecommenderInterval: duration(5 * time.Second),
		TargetCPUPercentile: ptr.To(0.8), RecommendationLowerBoundCPUPercentile: ptr.To(0.4), RecommendationUpperBoundCPUPercentile: ptr.To(0.99),
		TargetMemoryPercentile: ptr.To(0.7), RecommendationLowerBoundMemoryPercentile: ptr.To(0.3), RecommendationUpperBoundMemoryPercentile: ptr.To(0.98),
		CPUHistogramDecayHalfLife: duration(2 * time.Hour), MemoryHistogramDecayHalfLife: duration(3 * time.Hour),
		MemoryAggregationInterval: duration(4 * time.Hour), MemoryAggregationIntervalCount: ptr.To[int64](5), RecommenderUpdateWorkerCount: ptr.To[int64](7),
		FeatureGates: map[string]bool{"PerVPAConfig": true, "InPlace": false},
		MaxAllowed:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("3Gi")},
	}
	for name, tc := range map[string]struct {
		config gardencorev1beta1.VerticalPodAutoscaler
		part   string
		want   []string
	}{
		"API-21 the recommender does what the shoot says": {said, Recommender, []string{
			"--recommender-interval=5s", "--recommendation-margin-fraction=0.1", "--target-cpu-percentile=0.8", "--recommendation-lower-bound-cpu-percentile=0.4",
			"--recommendation-upper-bound-cpu-percentile=0.99", "--target-memory-percentile=0.7", "--recommendation-lower-bound-memory-percentile=0.3",
			"--recommendation-upper-bound-memory-percentile=0.98", "--cpu-histogram-decay-half-life=2h0m0s", "--memory-histogram-decay-half-life=3h0m0s",
			"--memory-aggregation-interval=4h0m0s", "--memory-aggregation-interval-count=5", "--update-worker-count=7",
			"--container-recommendation-max-allowed-cpu=2", "--container-recommendation-max-allowed-memory=3Gi", "--feature-gates=InPlace=false,PerVPAConfig=true",
		}},
		"API-21 the updater does what the shoot says": {said, Updater, []string{
			"--updater-interval=20s", "--eviction-tolerance=0.25", "--eviction-rate-limit=0.5", "--eviction-rate-burst=3", "--evict-after-oom-threshold=11m0s",
			"--feature-gates=InPlace=false,PerVPAConfig=true",
		}},
		"API-21 the admission controller knows the same features": {said, Admission, []string{"--feature-gates=InPlace=false,PerVPAConfig=true"}},
		"API-21 the recommender has the defaults where the shoot says nothing": {gardencorev1beta1.VerticalPodAutoscaler{Enabled: true}, Recommender, []string{
			"--recommender-interval=1m0s", "--recommendation-margin-fraction=0.15", "--target-cpu-percentile=0.9", "--memory-aggregation-interval-count=8", "--update-worker-count=10",
		}},
		"API-21 the updater has the defaults where the shoot says nothing": {gardencorev1beta1.VerticalPodAutoscaler{Enabled: true}, Updater, []string{
			"--updater-interval=1m0s", "--eviction-tolerance=0.5", "--eviction-rate-limit=-1", "--eviction-rate-burst=1", "--evict-after-oom-threshold=10m0s",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := args(tc.config, tc.part)
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is missing in %v", want, got)
				}
			}
		})
	}
	t.Run("what the shoot does not say is not limited", func(t *testing.T) {
		for _, arg := range args(gardencorev1beta1.VerticalPodAutoscaler{Enabled: true}, Recommender) {
			if name, _, _ := strings.Cut(arg, "="); name == "--feature-gates" || name == "--container-recommendation-max-allowed-cpu" || name == "--container-recommendation-max-allowed-memory" {
				t.Errorf("%s is set", arg)
			}
		}
	})
}

func find[T client.Object](t *testing.T, objects []client.Object, name string) T {
	t.Helper()
	for _, object := range objects {
		if o, ok := object.(T); ok && o.GetName() == name {
			return o
		}
	}
	var none T
	t.Fatalf("there is no %T %q", none, name)
	return none
}

func TestShootObjects(t *testing.T) {
	values := Values{Namespace: "shoot--sky--sun", Secrets: Secrets{CA: []byte("CA")}}
	objects, err := ShootObjects(values)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("API-21 the shoot gets both kinds of the autoscaler", func(t *testing.T) {
		for _, name := range []string{"verticalpodautoscalers.autoscaling.k8s.io", "verticalpodautoscalercheckpoints.autoscaling.k8s.io"} {
			find[*apiextensionsv1.CustomResourceDefinition](t, objects, name)
		}
	})
	t.Run("API-21 the webhook is the Service in the seed, and pods do without it when it is away", func(t *testing.T) {
		webhook := find[*admissionregistrationv1.MutatingWebhookConfiguration](t, objects, "vpa-webhook-config-shoot").Webhooks[0]
		seed, _ := Objects(values)
		service := find[*corev1.Service](t, seed, Service)
		want := "https://" + service.Name + "." + service.Namespace + ".svc:10250"
		if got := *webhook.ClientConfig.URL; got != want || service.Spec.Ports[0].Port != 10250 {
			t.Errorf("URL %s, want %s, port of the Service %d", got, want, service.Spec.Ports[0].Port)
		}
		if *webhook.FailurePolicy != admissionregistrationv1.Ignore || string(webhook.ClientConfig.CABundle) != "CA" {
			t.Errorf("failure policy %s, CA %q", *webhook.FailurePolicy, webhook.ClientConfig.CABundle)
		}
	})
	t.Run("each part has only the permissions it needs", func(t *testing.T) {
		may := map[string][]string{}
		for _, part := range Deployments() {
			name := "gardener.cloud:vpa:target:" + part
			if got := find[*rbacv1.ClusterRoleBinding](t, objects, name).Subjects[0].Name; got != User(part) {
				t.Errorf("%s is bound to %s", name, got)
			}
			for _, rule := range find[*rbacv1.ClusterRole](t, objects, name).Rules {
				for _, verb := range []string{"create", "patch", "update", "delete"} {
					if slices.Contains(rule.Verbs, verb) {
						for _, resource := range rule.Resources {
							may[part] = append(may[part], verb+" "+resource)
						}
					}
				}
			}
			slices.Sort(may[part])
			may[part] = slices.Compact(may[part])
		}
		want := map[string][]string{
			Recommender: {"create verticalpodautoscalercheckpoints", "delete verticalpodautoscalercheckpoints", "patch verticalpodautoscalercheckpoints", "patch verticalpodautoscalers/status"},
			Updater:     {"create events", "create pods/eviction", "patch events", "patch pods", "patch pods/resize", "update events"},
			Admission:   nil,
		}
		if diff := cmp.Diff(want, may); diff != "" {
			t.Errorf("rights to write (-want +got):\n%s", diff)
		}
	})
}
