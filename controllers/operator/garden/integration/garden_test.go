package integration

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const finalizer = "gardener.cloud/reference-protection"

// broken makes the only component of the virtual garden fail.
var broken atomic.Bool

func components() []host.Component {
	return []host.Component{{Name: "virtual-garden-kube-controller-manager", Group: host.Virtual, Stage: host.VirtualGarden, Serves: func(context.Context) error {
		if broken.Load() {
			return errors.New("is stopped")
		}
		return nil
	}}, {Name: deployedName, Group: host.Runtime, Stage: host.ResourceManager, Serves: func(context.Context) error { return nil }, Deploy: func(ctx context.Context) error {
		_, err := patch.Applier{Client: cluster, Owner: "test"}.Apply(ctx, deployment())
		return err
	}}}
}

// deployedName is the component that the host writes into the runtime cluster.
const deployedName = "gardener-resource-manager"

func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": deployedName}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: deployedName, Labels: map[string]string{host.Label: "any"}},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "any", Image: "any"}}},
		}},
	}
}

// until waits until the check of a freshly read object returns nil.
func until(t *testing.T, what string, object client.Object, check func() error) {
	t.Helper()
	env.Until(t, what, func(ctx context.Context) error {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		return check()
	})
}

func put(t *testing.T, object client.Object) {
	t.Helper()
	// The policy reads Gardens through a cache of the API server, which may still have the Garden of the test before.
	env.Until(t, "create "+object.GetName(), func(ctx context.Context) error { return cluster.Create(ctx, object) })
	t.Cleanup(func() { remove(t, object) })
}

// remove confirms and waits until the object is gone.
func remove(t *testing.T, object client.Object) {
	t.Helper()
	env.Until(t, "delete "+object.GetName(), func(ctx context.Context) error {
		confirm := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`))
		if err := errors.Join(cluster.Patch(ctx, object, confirm), cluster.Delete(ctx, object)); err != nil && !allNotFound(err) {
			return err
		}
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there, finalizers %v: %v", object.GetFinalizers(), err)
		}
		return nil
	})
}

func allNotFound(err error) bool {
	joined, ok := err.(interface{ Unwrap() []error })
	return ok && !slices.ContainsFunc(joined.Unwrap(), func(one error) bool { return !apierrors.IsNotFound(one) })
}

func protected(object client.Object, want bool) func() error {
	return func() error {
		if got := slices.Contains(object.GetFinalizers(), finalizer); got != want {
			return fmt.Errorf("finalizers of %q: %v", object.GetName(), object.GetFinalizers())
		}
		return nil
	}
}

func TestGuards(t *testing.T) {
	garden := aGarden("guarded")
	put(t, garden)
	t.Run("OPR-1 a second Garden is refused", func(t *testing.T) {
		env.Until(t, "a second Garden is refused", func(ctx context.Context) error {
			second := aGarden("second")
			err := cluster.Create(ctx, second)
			if err == nil {
				remove(t, second)
			}
			return wants(err, "there is a Garden already, guarded")
		})
	})
	t.Run("OPR-27 a deletion must be confirmed", func(t *testing.T) {
		env.Until(t, "the deletion is refused", func(ctx context.Context) error {
			return wants(cluster.Delete(ctx, garden, client.DryRunAll), "confirmation.gardener.cloud/deletion=true")
		})
	})
}

func wants(err error, text string) error {
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("answer: %v", err)
	}
	return nil
}

func TestReferences(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "backup"}}
	garden := aGarden("referring")
	garden.Spec.VirtualCluster.ETCD = &operatorv1alpha1.ETCD{Main: &operatorv1alpha1.ETCDMain{Backup: &operatorv1alpha1.Backup{
		Provider: "local", SecretRef: corev1.LocalObjectReference{Name: "backup"},
	}}}
	put(t, garden)
	until(t, "the Garden is protected", garden, protected(garden, true))
	whole := t // the Secret stays until the Garden is gone
	t.Run("OPR-24 a Secret that is made after the Garden is protected", func(t *testing.T) {
		put(whole, secret)
		until(t, "the Secret is protected", secret, protected(secret, true))
		if err := cluster.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		until(t, "the Secret waits for the Garden", secret, protected(secret, true))
	})
	t.Run("OPR-24 the deletion of the Garden releases it", func(t *testing.T) {
		remove(t, garden)
		env.Until(t, "the Secret is gone", func(ctx context.Context) error {
			if err := cluster.Get(ctx, client.ObjectKeyFromObject(secret), secret); !apierrors.IsNotFound(err) {
				return fmt.Errorf("still there, finalizers %v: %v", secret.Finalizers, err)
			}
			return nil
		})
	})
}

func TestCare(t *testing.T) {
	garden := aGarden("cared-for")
	put(t, garden)
	becomes := func(kind gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus) {
		t.Helper()
		until(t, fmt.Sprintf("%s is %s", kind, status), garden, func() error {
			if condition := conditions.Get(garden.Status.Conditions, kind); condition == nil || condition.Status != status {
				return fmt.Errorf("conditions: %v", garden.Status.Conditions)
			}
			return nil
		})
	}
	for _, kind := range operatorv1alpha1.GardenConditions() {
		becomes(kind, "True")
	}
	t.Run("OPR-20 a component that stops serving is told, and its recovery", func(t *testing.T) {
		broken.Store(true)
		defer broken.Store(false)
		touch(t, garden)
		becomes(operatorv1alpha1.VirtualComponentsHealthy, "False")
		broken.Store(false)
		becomes(operatorv1alpha1.VirtualComponentsHealthy, "True")
	})
}

// touch makes the controllers look at the Garden again.
func touch(t *testing.T, garden *operatorv1alpha1.Garden) {
	t.Helper()
	garden.Spec.RuntimeCluster.Provider.Zones = append(garden.Spec.RuntimeCluster.Provider.Zones, "more")
	raw := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"runtimeCluster":{"provider":{"zones":["more"]}}}}`))
	if err := cluster.Patch(t.Context(), garden, raw); err != nil {
		t.Fatal(err)
	}
}

func TestGarden(t *testing.T) {
	garden := aGarden("local")
	broken.Store(true)
	defer broken.Store(false)
	put(t, garden)
	is := func(state gardencorev1beta1.LastOperationState, text string) {
		t.Helper()
		until(t, fmt.Sprintf("the last operation is %s: %s", state, text), garden, func() error {
			if last := garden.Status.LastOperation; last == nil || last.State != state || !strings.Contains(last.Description, text) {
				return fmt.Errorf("last operation: %v", last)
			}
			return nil
		})
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: access.SecretName}}
	t.Run("OPR-18 a Garden does not succeed before its components serve", func(t *testing.T) {
		is("Error", "is stopped")
		broken.Store(false)
		is("Succeeded", "All components")
	})
	t.Run("OPR-18 the condition Reconciled follows", func(t *testing.T) {
		until(t, "it is True", garden, func() error {
			if condition := conditions.Get(garden.Status.Conditions, operatorv1alpha1.GardenReconciled); condition == nil || condition.Status != "True" {
				return fmt.Errorf("condition %+v", condition)
			}
			return nil
		})
	})
	t.Run("OPR-5 there is an authority of the runtime cluster", func(t *testing.T) {
		secrets := &corev1.SecretList{}
		err := cluster.List(t.Context(), secrets, client.InNamespace("garden"), client.MatchingLabels{"name": "ca-garden-runtime", "manager-identity": "gardener-operator"})
		if err != nil || len(secrets.Items) != 1 || len(secrets.Items[0].Data["ca.key"]) == 0 {
			t.Errorf("%d Secrets, %v", len(secrets.Items), err)
		}
	})
	t.Run("OPR-12 it names a generic kubeconfig that exists", func(t *testing.T) {
		name := garden.Annotations["generic-token-kubeconfig.secret.gardener.cloud/name"]
		if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: name}, &corev1.Secret{}); err != nil {
			t.Errorf("Secret %q: %v", name, err)
		}
	})
	t.Run("OPR-38 a Secret that is deleted comes back", func(t *testing.T) {
		if err := cluster.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		env.Until(t, "the access works again", theAccess().Check)
	})
	t.Run("OPR-6 a Deployment that somebody deletes comes back", func(t *testing.T) {
		present := deployment()
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(present), present); err != nil {
			t.Fatal(err)
		}
		before := present.UID
		if err := cluster.Delete(t.Context(), present); err != nil {
			t.Fatal(err)
		}
		until(t, "it is another one", present, func() error {
			if present.UID == before {
				return errors.New("it is still being deleted")
			}
			return nil
		})
	})
	t.Run("OPR-6 what somebody changes of the resource manager is restored", func(t *testing.T) {
		present := deployment()
		change := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"any","image":"other"}]}}}}`)
		if err := cluster.Patch(t.Context(), present, client.RawPatch("application/merge-patch+json", change)); err != nil {
			t.Fatal(err)
		}
		until(t, "it is as before", present, func() error {
			if image := present.Spec.Template.Spec.Containers[0].Image; image != "any" {
				return fmt.Errorf("its image is %q", image)
			}
			return nil
		})
	})
	t.Run("OPR-39 a confirmed deletion takes the access", func(t *testing.T) {
		remove(t, garden)
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); !apierrors.IsNotFound(err) {
			t.Errorf("Secret: %v", err)
		}
	})
}

// notAuthority is true for all Secrets but those of the authority, which stays for the webhooks.
func notAuthority() *labels.Requirement {
	requirement, err := labels.NewRequirement("name", selection.NotIn, []string{"ca-garden-runtime", "ca-garden-runtime-bundle"})
	if err != nil {
		panic(err)
	}
	return requirement
}

// lifetime is that of a JSON web token.
func lifetime(t *testing.T, token string) time.Duration {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts", len(parts))
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

func TestAccess(t *testing.T) {
	a := theAccess()
	generic, err := a.Deploy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: access.SecretName}}
	login := func() string {
		t.Helper()
		env.Until(t, "the kubeconfig works", func(ctx context.Context) error { // as the controller does; what a test before has deleted may go late
			if _, err := a.Deploy(ctx); err != nil {
				return err
			}
			return a.Check(ctx)
		})
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Fatal(err)
		}
		return string(secret.Data["kubeconfig"])
	}
	t.Run("OPR-38 the Secret has the kubeconfig of an administrator", func(t *testing.T) {
		config, err := clientcmd.RESTConfigFromKubeConfig([]byte(login()))
		if err != nil {
			t.Fatal(err)
		}
		if config.CertData != nil || config.BearerToken == "" {
			t.Error("the credential is no token")
		}
		if _, err := kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Errorf("list Secrets: %v", err)
		}
	})
	t.Run("OPR-38 whatever somebody does to the Secret is repaired wholly", func(t *testing.T) {
		for name, damage := range map[string]func(){
			"kubeconfig": func() { secret.Data["kubeconfig"] = []byte("nothing") },
			"server": func() {
				secret.Data["kubeconfig"] = []byte(strings.ReplaceAll(login(), env.Config.Host, "https://elsewhere"))
			},
			"more data":   func() { secret.Data["more"] = []byte("x") },
			"labels":      func() { secret.Labels = nil },
			"annotations": func() { secret.Annotations = nil },
			"token":       func() { secret.Data["kubeconfig"] = []byte(strings.Replace(login(), "token: ey", "token: xx", 1)) },
		} {
			login()
			damage()
			if err := cluster.Update(t.Context(), secret); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			repaired := login()
			if len(secret.Data) != 1 || !strings.Contains(repaired, env.Config.Host) || secret.Labels["resources.gardener.cloud/purpose"] != "token-requestor" ||
				secret.Annotations["serviceaccount.resources.gardener.cloud/token-expiration-duration"] != "12h" {
				t.Errorf("after damage of %s: labels %v, annotations %v", name, secret.Labels, secret.Annotations)
			}
		}
	})
	t.Run("OPR-38 the token is valid for twelve hours, and is renewed when most of them have passed", func(t *testing.T) {
		before := login()
		config, err := clientcmd.RESTConfigFromKubeConfig([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		if life := lifetime(t, config.BearerToken); life != 12*time.Hour {
			t.Errorf("the token is valid for %s", life)
		}
		const renewal = "serviceaccount.resources.gardener.cloud/token-renew-timestamp"
		due, err := time.Parse(time.RFC3339, secret.Annotations[renewal])
		if left := time.Until(due); err != nil || left > 10*time.Hour || left < 8*time.Hour {
			t.Errorf("it is renewed in %s, %v", left, err)
		}
		secret.Annotations[renewal] = time.Now().Add(-time.Second).UTC().Format(time.RFC3339) // as if the time had passed
		if err := cluster.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		until(t, "there is another token", secret, func() error {
			if string(secret.Data["kubeconfig"]) == before {
				return errors.New("the token is the same")
			}
			return nil
		})
		login()
	})
	t.Run("OPR-38 a complete Secret is not written", func(t *testing.T) {
		login()
		version := secret.ResourceVersion
		if again, err := a.Deploy(t.Context()); err != nil || again != generic {
			t.Fatalf("%s: %v", again, err)
		}
		if login(); secret.ResourceVersion != version {
			t.Error("the Secret was written")
		}
	})
	t.Run("OPR-12 the generic kubeconfig names a file for the token, and the garden as pods reach it", func(t *testing.T) {
		found := &corev1.Secret{}
		if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: generic}, found); err != nil {
			t.Fatal(err)
		}
		if text := string(found.Data["kubeconfig"]); !strings.Contains(text, "tokenFile: /var/run/secrets/") || !strings.Contains(text, "server: https://garden.in.the.seed:443\n") || strings.Contains(text, "token: ") {
			t.Errorf("kubeconfig: %s", text)
		}
	})
	t.Run("OPR-39 nothing of the access is left", func(t *testing.T) {
		env.Until(t, "the access is gone", a.Destroy)
		secrets := &corev1.SecretList{}
		others := client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*notAuthority())}
		if err := cluster.List(t.Context(), secrets, client.InNamespace("garden"), others); err != nil || len(secrets.Items) > 0 {
			t.Errorf("%d Secrets: %v", len(secrets.Items), err)
		}
	})
}
