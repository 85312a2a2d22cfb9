package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenSecret asks for a token. An empty class is none.
func tokenSecret(namespace, name, class string, annotations map[string]string) *corev1.Secret {
	labels := map[string]string{"resources.gardener.cloud/purpose": "token-requestor"}
	if class != "" {
		labels["resources.gardener.cloud/class"] = class
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, Annotations: annotations}}
}

// holderOf is the user whose token the Secret holds.
func holderOf(ctx context.Context, secret *corev1.Secret) (string, error) {
	if _, err := get(ctx, secret); err != nil {
		return "", err
	}
	if len(secret.Data["token"]) == 0 {
		return "", errors.New("secret has no token")
	}
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: string(secret.Data["token"])}}
	if err := cluster.Create(ctx, review); err != nil {
		return "", err
	}
	return review.Status.User.Username, nil
}

func TestGardenTokens(t *testing.T) {
	const account = "serviceaccount.resources.gardener.cloud/"
	for _, namespace := range []string{"extension-one", "extension-two"} {
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	}
	named := map[string]string{account + "name": "extension-tokens"}
	one := create(t, tokenSecret("extension-one", "garden-access-extension", "garden", named))
	two := create(t, tokenSecret("extension-two", "garden-access-extension", "garden", map[string]string{
		account + "name": "extension-tokens", account + "namespace": "kube-system",
		"token-requestor.resources.gardener.cloud/target-secret-name":      "stolen",
		"token-requestor.resources.gardener.cloud/target-secret-namespace": "garden",
	}))
	others := []*corev1.Secret{
		create(t, tokenSecret("extension-one", "shoot-access-extension", "shoot", named)), create(t, tokenSecret("extension-one", "unlabelled", "", named)),
	}
	const want = "system:serviceaccount:seed-local:extension-tokens"
	is := func(secret *corev1.Secret) func(context.Context) error {
		return func(ctx context.Context) error {
			user, err := holderOf(ctx, secret)
			if err == nil && user != want {
				err = fmt.Errorf("the token is that of %q", user)
			}
			return err
		}
	}
	t.Run("GLT-8 an extension gets a token of a service account in the namespace of its seed", func(t *testing.T) {
		eventually(t, "token", is(one))
	})
	t.Run("GLT-8 an extension gets no token of an account elsewhere, and writes no Secret of the garden", func(t *testing.T) {
		eventually(t, "token", is(two))
		stolen := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "stolen"}}
		if err := isGone(stolen)(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GLT-8 the tokens of shoots are not the gardenlet's", func(t *testing.T) {
		for _, secret := range others {
			if user, err := holderOf(t.Context(), secret); err == nil {
				t.Errorf("secret %s has a token of %q", secret.Name, user)
			}
		}
	})
	t.Run("GLT-8 the annotation of the Seed renews the tokens of all extensions", func(t *testing.T) {
		seed := theSeed()
		before := map[*corev1.Secret]string{one: string(one.Data["token"]), two: string(two.Data["token"])}
		eventually(t, "new tokens", func(ctx context.Context) error {
			// It is ordered again and again, since tokens of the same second are equal.
			order := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"gardener.cloud/operation":"renew-garden-access-secrets"}}}`))
			if err := cluster.Patch(ctx, seed, order); err != nil {
				return err
			}
			for secret, old := range before {
				if err := is(secret)(ctx); err != nil {
					return err
				}
				if string(secret.Data["token"]) == old {
					return fmt.Errorf("secret %s has the same token", client.ObjectKeyFromObject(secret))
				}
			}
			return nil
		})
		eventually(t, "operation", func(ctx context.Context) error {
			_, err := get(ctx, seed)
			if operation := seed.Annotations["gardener.cloud/operation"]; err == nil && operation != "" {
				err = fmt.Errorf("operation %q stays", operation)
			}
			return err
		})
	})
	t.Run("GLT-8 the service account goes with the last Secret that asks for its tokens", func(t *testing.T) {
		for _, secret := range []*corev1.Secret{one, two} {
			if err := is(two)(t.Context()); err != nil {
				t.Errorf("before secret %s goes: %v", client.ObjectKeyFromObject(secret), err)
			}
			if err := cluster.Delete(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			eventually(t, "another origin", func(ctx context.Context) error {
				found, err := get(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "seed-local", Name: "extension-tokens"}})
				if client.IgnoreNotFound(err) == nil && found.Annotations["resources.gardener.cloud/origin"] != client.ObjectKeyFromObject(secret).String() {
					return nil
				}
				return fmt.Errorf("%v, %v", found.Annotations, err)
			})
		}
		eventually(t, "no account", isGone(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "seed-local", Name: "extension-tokens"}}))
	})
}
