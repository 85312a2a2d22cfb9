package resourcemanager_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const scaledByOthers = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: other%[2]s}
spec:
  selector: {matchLabels: {app: %[1]s}}
  template: {metadata: {labels: {app: %[1]s}}, spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 1m}}}]}}
`

func TestPreservedResources(t *testing.T) {
	t.Parallel()
	for row, tc := range map[string]struct{ name, annotations, more string }{
		"GRM-12 by annotation": {name: "resourceful", annotations: `, annotations: {resources.gardener.cloud/preserve-resources: "true"}`},
		"GRM-13 by a vertical autoscaler": {name: "vertical", more: `
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: verticalpodautoscalers.autoscaling.k8s.io, annotations: {api-approved.kubernetes.io: unapproved, resources.gardener.cloud/keep-object: "true"}}
spec:
  group: autoscaling.k8s.io
  scope: Namespaced
  names: {plural: verticalpodautoscalers, kind: VerticalPodAutoscaler}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: vertical, namespace: other}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: vertical}}
`},
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			content := fmt.Sprintf(scaledByOthers, tc.name, tc.annotations)
			r := create(t, tc.name, content+tc.more)
			r.waitApplied()
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: tc.name}}
			patch := `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx","resources":{"requests":{"cpu":"9m"}}}]}}}}`
			if err := target.Patch(t.Context(), deployment, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
				t.Fatal(err)
			}
			r.setContent(strings.Replace(content, "spec:", "spec:\n  minReadySeconds: 7", 1) + tc.more)
			eventually(t, "new content", func(ctx context.Context) error {
				if err := target.Get(ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil {
					return err
				}
				if deployment.Spec.MinReadySeconds != 7 {
					return errors.New("not applied yet")
				}
				return nil
			})
			if cpu := deployment.Spec.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]; cpu.Cmp(resource.MustParse("9m")) != 0 {
				t.Errorf("cpu = %s, want 9m", cpu.String())
			}
		})
	}
}

func TestRequestedKubeconfig(t *testing.T) {
	t.Parallel()
	kubeconfig, err := clientcmd.LoadFromFile(env.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig.AuthInfos = map[string]*clientcmdapi.AuthInfo{"robot": {}, "human": {Token: "theirs"}}
	kubeconfig.Contexts[kubeconfig.CurrentContext].AuthInfo = "robot"
	raw, err := clientcmd.Write(*kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "with-kubeconfig", Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor"},
			Annotations: map[string]string{"serviceaccount.resources.gardener.cloud/name": "robot", "serviceaccount.resources.gardener.cloud/namespace": "other"},
		},
		Data: map[string][]byte{"kubeconfig": raw},
	}
	if err := target.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	token := ""
	t.Run("GRM-28 the token goes to the user of the current context, and the rest stays", func(t *testing.T) {
		eventually(t, "token", func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil {
				return err
			}
			got, err := clientcmd.Load(secret.Data["kubeconfig"])
			if err != nil {
				return err
			}
			if token = got.AuthInfos["robot"].Token; token == "" || got.AuthInfos["human"].Token != "theirs" {
				return fmt.Errorf("users = %v", got.AuthInfos)
			}
			return nil
		})
		config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.New(config, client.Options{Scheme: target.Scheme(), Mapper: target.RESTMapper()})
		if err != nil {
			t.Fatal(err)
		}
		review := &authenticationv1.SelfSubjectReview{}
		if err := c.Create(t.Context(), review); err != nil || review.Status.UserInfo.Username != "system:serviceaccount:other:robot" {
			t.Errorf("user %+v, %v", review.Status.UserInfo, err)
		}
	})
	t.Run("GRM-29 it lives for twelve hours, or as long as the annotation says", func(t *testing.T) {
		if life := lifeOf(t, token); life != 12*time.Hour {
			t.Errorf("life = %s", life)
		}
		six := `{"metadata":{"annotations":{"serviceaccount.resources.gardener.cloud/token-expiration-duration":"6h","serviceaccount.resources.gardener.cloud/token-renew-timestamp":null}}}`
		if err := target.Patch(t.Context(), secret, client.RawPatch("application/merge-patch+json", []byte(six))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "new token", func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil {
				return err
			}
			got, err := clientcmd.Load(secret.Data["kubeconfig"])
			if err != nil {
				return err
			}
			if life := lifeOf(t, got.AuthInfos["robot"].Token); life != 6*time.Hour {
				return fmt.Errorf("life = %s", life)
			}
			return nil
		})
	})
}

// lifeOf reads a JWT without checking it.
func lifeOf(t *testing.T, token string) time.Duration {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("token has %d parts", len(parts))
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	claims := struct{ Exp, Iat int64 }{}
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	return time.Duration(claims.Exp-claims.Iat) * time.Second
}

func TestPodWishes(t *testing.T) {
	t.Parallel()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: "wishes"}, AutomountServiceAccountToken: ptr.To(false)}
	if err := target.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	terms := []corev1.PodAffinityTerm{
		{TopologyKey: "topology.kubernetes.io/zone", LabelSelector: &metav1.LabelSelector{}}, {TopologyKey: "kubernetes.io/hostname", LabelSelector: &metav1.LabelSelector{}},
	}
	pod := createPod(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "wishes", Annotations: map[string]string{"projected-token-mount.resources.gardener.cloud/expiration-seconds": "3600"}},
		Spec:       corev1.PodSpec{ServiceAccountName: account.Name, Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}},
	})
	t.Run("GRM-34 the life of the token is as the pod wishes", func(t *testing.T) {
		if got := *pod.Spec.Volumes[0].Projected.Sources[0].ServiceAccountToken.ExpirationSeconds; got != 3600 {
			t.Errorf("expiration = %d", got)
		}
	})
	t.Run("GRM-36 what keeps pods of a zone apart is gone, the rest is not", func(t *testing.T) {
		got := pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if len(got) != 1 || got[0].TopologyKey != "kubernetes.io/hostname" {
			t.Errorf("terms = %+v", got)
		}
	})
}
