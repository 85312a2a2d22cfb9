package resourcemanager_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/references"
)

var collectable = map[string]string{"resources.gardener.cloud/garbage-collectable-reference": "true"}

func TestGarbageCollector(t *testing.T) {
	t.Parallel()
	unused := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "test-1234", Labels: collectable}}
	used := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "test-5678", Labels: collectable}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "test-1234", Labels: collectable}}
	unlabelled := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "unlabelled"}}
	labels := map[string]string{"app": "collector"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "collector"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "main", Image: "nginx"}},
				Volumes:    []corev1.Volume{{Name: "x", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: used.Name}}}}},
			}},
		},
	}
	references.InjectAnnotations(deployment)
	begin := time.Now()
	for _, object := range []client.Object{deployment, unused, used, secret, unlabelled} {
		if err := target.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GRM-22 an unreferenced object is deleted, but not at once", func(t *testing.T) {
		eventually(t, "config map", isGone(unused))
		eventually(t, "secret", isGone(secret))
		if age := time.Since(begin); age < 2*time.Second-time.Second { // creation times are cut to seconds
			t.Errorf("deleted after %s", age)
		}
	})
	t.Run("GRM-22 GRM-24 what a workload of no replicas refers to is kept", func(t *testing.T) {
		always(t, "kept", func(ctx context.Context) error {
			return errors.Join(target.Get(ctx, client.ObjectKeyFromObject(used), used), target.Get(ctx, client.ObjectKeyFromObject(unlabelled), unlabelled))
		})
	})
	t.Run("GRM-23 objects removed from a ManagedResource are left to the collector", func(t *testing.T) {
		content := func(name string) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: other, labels: {resources.gardener.cloud/garbage-collectable-reference: 'true'}}\n"
		}
		user := deployment.DeepCopy()
		user.ObjectMeta = metav1.ObjectMeta{Namespace: "other", Name: "user", Annotations: map[string]string{references.Key(references.KindConfigMap, "left-1"): "left-1"}}
		if err := target.Create(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		r := create(t, "left", content("left-1"))
		r.waitApplied()
		r.setContent(configMap("left-2", "x"))
		eventually(t, "new content", hasValue("left-2", "x"))
		r.waitApplied()
		left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "left-1"}}
		always(t, "kept while it is used", func(ctx context.Context) error { return target.Get(ctx, client.ObjectKeyFromObject(left), left) })
		if err := target.Delete(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		eventually(t, "collected", isGone(left))
	})
}

func TestTokenInvalidator(t *testing.T) {
	t.Parallel()
	secrets := map[string]*corev1.Secret{}
	for name, labels := range map[string]map[string]string{"static": nil, "static-skip": {"token-invalidator.resources.gardener.cloud/skip": "true"}} {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: name, Labels: labels}, AutomountServiceAccountToken: ptr.To(false)}
		secrets[name] = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: name, Annotations: map[string]string{corev1.ServiceAccountNameKey: name}},
			Type:       corev1.SecretTypeServiceAccountToken, Data: map[string][]byte{"token": []byte("valid"), "ca.crt": []byte("ca"), "namespace": []byte(hooked)},
		}
		for _, object := range []client.Object{account, secrets[name]} {
			if err := target.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	secret := secrets["static"]
	isInvalid := func(ctx context.Context) error {
		err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
		if err == nil && (!bytes.Equal(secret.Data["token"], []byte{0, 0, 0}) || string(secret.Data["ca.crt"]) != "ca" || string(secret.Data["namespace"]) != hooked) {
			err = fmt.Errorf("data = %v", secret.Data)
		}
		return err
	}
	t.Run("GRM-25 a static token becomes AAAA, the rest stays", func(t *testing.T) { eventually(t, "invalid", isInvalid) })
	t.Run("GRM-25 a token that comes back becomes invalid again", func(t *testing.T) {
		if err := target.Patch(t.Context(), secret, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"token":"dmFsaWQ="}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "invalid again", isInvalid)
	})
	t.Run("GRM-26 an account can opt out, and begin to take part", func(t *testing.T) {
		secret := secrets["static-skip"]
		always(t, "valid", func(ctx context.Context) error {
			err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
			if err == nil && string(secret.Data["token"]) != "valid" {
				err = errors.New("token was changed")
			}
			return err
		})
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: "static-skip"}}
		if err := target.Patch(t.Context(), account, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "invalid", func(ctx context.Context) error {
			err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
			if err == nil && !bytes.Equal(secret.Data["token"], []byte{0, 0, 0}) {
				err = errors.New("token is valid")
			}
			return err
		})
	})
}

func TestRootCAPublisher(t *testing.T) {
	t.Parallel()
	published := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "kube-root-ca.crt"}}
	hasCA := func(ctx context.Context) error {
		err := target.Get(ctx, client.ObjectKeyFromObject(published), published)
		if err == nil && published.Data["ca.crt"] != "root" {
			err = fmt.Errorf("data = %v", published.Data)
		}
		return err
	}
	t.Run("GRM-39 every namespace gets the certificate", func(t *testing.T) { eventually(t, "published", hasCA) })
	t.Run("GRM-39 a deleted or changed one comes back", func(t *testing.T) {
		if err := target.Delete(t.Context(), published); err != nil {
			t.Fatal(err)
		}
		eventually(t, "published again", hasCA)
		if err := target.Patch(t.Context(), published, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"ca.crt":"other"}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "restored", hasCA)
	})
}
