package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local/shootwebhook"
)

// deployed waits until the component of the webhooks is deployed. The manager of these tests has no image for it.
func deployed(t *testing.T) {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: constants.PriorityClassNameSeedSystem900}} // of the gardenlet
	if err := seed.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (&shootwebhook.Deployer{Client: seed, Reader: seed, Image: "gardener"}).Start(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	environment.Until(t, "the component is deployed", func(ctx context.Context) error {
		return seed.Get(ctx, client.ObjectKey{Namespace: shootwebhook.Namespace, Name: "gardener-extension-provider-local-webhook"}, &appsv1.Deployment{})
	})
}

// shootWebhooks plays the pod that serves the webhooks of shoots, which has certificates.
func shootWebhooks(t *testing.T) {
	const own = "shoot--local--webhooks"
	deployed(t)
	cp := newControlPlane()
	cp.Namespace, cp.Annotations = own, map[string]string{"gardener.cloud/operation": "reconcile"}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}}, cp} {
		if err := seed.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	environment.Until(t, "the ControlPlane is ready", func(ctx context.Context) error {
		if err := seed.Get(ctx, client.ObjectKeyFromObject(cp), cp); err != nil {
			return err
		}
		if cp.Status.LastOperation == nil || cp.Status.LastOperation.State != "Succeeded" {
			return errors.New("not yet")
		}
		return nil
	})
	if found(t.Context(), &corev1.Secret{}, own, "managedresource-extension-provider-local-shoot-webhooks") {
		t.Error("the shoot calls a webhook that nobody serves")
	}
	data, _, err := webhook.Renew(nil, []string{"gardener-extension-provider-local-webhook.extension-provider-local.svc"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificates := shootwebhook.Webhooks("").Certificates()
	if err := seed.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: certificates.Namespace, Name: certificates.Name}, Data: data}); err != nil {
		t.Fatal(err)
	}
	environment.Until(t, "the shoot calls the webhook", func(ctx context.Context) error {
		secret := &corev1.Secret{}
		if err := seed.Get(ctx, client.ObjectKey{Namespace: own, Name: "managedresource-extension-provider-local-shoot-webhooks"}, secret); err != nil {
			return err
		}
		if !strings.Contains(string(secret.Data["mutating.yaml"]), "systemcomponents.local.extensions.gardener.cloud") {
			return errors.New("it is " + string(secret.Data["mutating.yaml"]))
		}
		return nil
	})
}
