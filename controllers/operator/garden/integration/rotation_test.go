package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// seeds defines Seeds as far as the operator reads them.
func seeds() *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "seeds.core.gardener.cloud", Annotations: map[string]string{"api-approved.kubernetes.io": "unapproved, test"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "core.gardener.cloud", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Seed", ListKind: "SeedList", Plural: "seeds", Singular: "seed"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1beta1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}
}

// fakeKeys note what they are asked for.
type fakeKeys struct {
	mu       sync.Mutex
	asked    []string
	began    []time.Time
	fails    bool          // the next renewal of the key of service accounts
	outdated []host.Stored // until they are written
}

func (f *fakeKeys) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, what)
}

func (f *fakeKeys) renew(what string, began time.Time) error {
	f.note("renew " + what)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began = append(f.began, began)
	if f.fails {
		f.fails = false
		return errors.New("the disk is full")
	}
	return nil
}

// asks returns what was asked for since the last call, without repetitions.
func (f *fakeKeys) asks() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.asked
	f.asked = nil
	slices.Sort(all)
	return slices.Compact(all)
}

type fakeAccountKey struct{ *fakeKeys }

func (f fakeAccountKey) Renew(began time.Time) error { return f.renew("account", began) }
func (f fakeAccountKey) DropFormer() error           { f.note("drop account"); return nil }

type fakeEncryptionKey struct{ *fakeKeys }

func (f fakeEncryptionKey) Renew(began time.Time) error      { return f.renew("encryption", began) }
func (f fakeEncryptionKey) Backup(context.Context) error     { f.note("backup"); return nil }
func (f fakeEncryptionKey) DropFormer(context.Context) error { f.note("drop encryption"); return nil }

// Outdated visits each object once, as if it was written then.
func (f fakeEncryptionKey) Outdated(_ context.Context, visit func(host.Stored) error) error {
	f.mu.Lock()
	now := f.outdated
	f.outdated = nil
	f.mu.Unlock()
	for _, one := range now {
		if err := visit(one); err != nil {
			return err
		}
	}
	return nil
}

type fakeAuthorities struct{ *fakeKeys }

func (f fakeAuthorities) Renew(_ context.Context, began time.Time) error {
	return f.renew("authorities", began)
}
func (f fakeAuthorities) DropFormer(_ context.Context, began time.Time) error {
	f.mu.Lock()
	f.began = append(f.began, began)
	f.mu.Unlock()
	f.note("drop authorities")
	return nil
}

var hostKeys = &fakeKeys{}

func credentials() host.Credentials {
	return host.Credentials{Authorities: fakeAuthorities{hostKeys}, ServiceAccountKey: fakeAccountKey{hostKeys}, EncryptionKey: fakeEncryptionKey{hostKeys}, Observability: true}
}

func TestRotation(t *testing.T) {
	garden := aGarden("local")
	put(t, garden)
	reaches := func(t *testing.T, want string) {
		t.Helper()
		until(t, "the rotations are "+want, garden, func() error {
			of := garden.Status.Credentials
			if of == nil || of.Rotation == nil || of.Rotation.ServiceAccountKey == nil || of.Rotation.ETCDEncryptionKey == nil || of.Rotation.CertificateAuthorities == nil {
				return fmt.Errorf("credentials %+v, last operation %+v", of, garden.Status.LastOperation)
			}
			phases := []string{string(of.Rotation.CertificateAuthorities.Phase), string(of.Rotation.ServiceAccountKey.Phase), string(of.Rotation.ETCDEncryptionKey.Phase)}
			if slices.ContainsFunc(phases, func(phase string) bool { return phase != want }) {
				return fmt.Errorf("phases %s, last operation %+v", phases, garden.Status.LastOperation)
			}
			return nil
		})
	}
	order := func(t *testing.T, operation string) {
		t.Helper()
		annotate := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{"gardener.cloud/operation":%q}}}`, operation))
		if err := cluster.Patch(t.Context(), garden, annotate); err != nil {
			t.Fatal(err)
		}
	}
	succeeded := func(garden *operatorv1alpha1.Garden) error {
		if last := garden.Status.LastOperation; last == nil || last.State != "Succeeded" {
			return fmt.Errorf("last operation %+v", last)
		}
		return nil
	}
	until(t, "the Garden is reconciled", garden, func() error { return succeeded(garden) })
	t.Run("OPR-29 to complete what nobody started is refused", func(t *testing.T) {
		order(t, "rotate-credentials-complete")
		until(t, "it is refused", garden, func() error {
			if last := garden.Status.LastOperation; last.State != "Error" || last.Description != `the Garden is invalid: metadata.annotations[gardener.cloud/operation]: Forbidden: the operation rotate-credentials-complete needs rotations in phase Prepared` {
				return fmt.Errorf("last operation %+v", last)
			}
			return nil
		})
		if asked := hostKeys.asks(); len(asked) > 0 || garden.Status.Credentials != nil {
			t.Errorf("the host was asked for %v, status %+v", asked, garden.Status.Credentials)
		}
		order(t, "")
		until(t, "the Garden is reconciled", garden, func() error { return succeeded(garden) })
	})
	password := func(t *testing.T) string {
		t.Helper()
		secrets := &corev1.SecretList{}
		if err := cluster.List(t.Context(), secrets, client.InNamespace("garden"), client.MatchingLabels(observability.Selector())); err != nil {
			t.Fatal(err)
		}
		if len(secrets.Items) != 1 {
			t.Fatalf("%d Secrets have a password", len(secrets.Items))
		}
		return string(secrets.Items[0].Data["password"])
	}
	first := password(t)
	t.Run("OPR-29 CAR-14 the password of observability rotates alone, in one phase", func(t *testing.T) {
		order(t, "rotate-observability-credentials")
		until(t, "it is done", garden, func() error {
			if of := garden.Status.Credentials; of == nil || of.Rotation.Observability == nil || of.Rotation.Observability.LastCompletionTime.IsZero() {
				return fmt.Errorf("credentials %+v, last operation %+v", of, garden.Status.LastOperation)
			}
			return nil
		})
		if second := password(t); len(first) != 32 || first == second {
			t.Errorf("passwords of %d and %d bytes, which are the same: %v", len(first), len(second), first == second)
		}
		if asked := hostKeys.asks(); len(asked) > 0 {
			t.Errorf("the host was asked for %v", asked)
		}
	})
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: access.SecretName}}
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		t.Fatal(err)
	}
	before, present := string(secret.Data["kubeconfig"]), password(t)
	t.Run("OPR-29 the first phase makes keys and brings them to their users", func(t *testing.T) {
		hostKeys.mu.Lock()
		hostKeys.fails, hostKeys.began = true, nil
		hostKeys.outdated = []host.Stored{{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: "garden", Name: access.SecretName}, {Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: "garden", Name: "gone"}}
		hostKeys.mu.Unlock()
		order(t, "rotate-credentials-start")
		reaches(t, "Prepared")
		if asked := hostKeys.asks(); !slices.Equal(asked, []string{"backup", "renew account", "renew authorities", "renew encryption"}) {
			t.Errorf("the host was asked for %v", asked)
		}
		hostKeys.mu.Lock()
		defer hostKeys.mu.Unlock()
		if len(hostKeys.began) < 4 || len(hostKeys.outdated) > 0 || slices.ContainsFunc(hostKeys.began, func(began time.Time) bool {
			return !began.Equal(garden.Status.Credentials.Rotation.ServiceAccountKey.LastInitiationTime.Time)
		}) {
			t.Errorf("asked for rotations that began at %v, after an error; %d objects are left; status %+v", hostKeys.began, len(hostKeys.outdated), garden.Status.Credentials.Rotation.ServiceAccountKey)
		}
		if operation := garden.Annotations["gardener.cloud/operation"]; operation != "" {
			t.Errorf("the operation %q is left", operation)
		}
		if password(t) == present {
			t.Error("the password of observability is the same")
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil || string(secret.Data["kubeconfig"]) == before {
			t.Errorf("the token of the administrator was not renewed: %v", err)
		}
	})
	t.Run("OPR-29 the second phase drops the former keys", func(t *testing.T) {
		order(t, "rotate-credentials-complete")
		reaches(t, "Completed")
		// The first phase may have been reconciled once more, from a cache that did not know its end.
		asked := slices.DeleteFunc(hostKeys.asks(), func(what string) bool { return what == "backup" || strings.HasPrefix(what, "renew ") })
		if !slices.Equal(asked, []string{"drop account", "drop authorities", "drop encryption"}) {
			t.Errorf("the host was asked for %v", asked)
		}
		hostKeys.mu.Lock()
		defer hostKeys.mu.Unlock()
		if slices.ContainsFunc(hostKeys.began, func(began time.Time) bool {
			return !began.Equal(garden.Status.Credentials.Rotation.ServiceAccountKey.LastInitiationTime.Time)
		}) {
			t.Errorf("asked for rotations that began at %v", hostKeys.began)
		}
		if err := succeeded(garden); err != nil {
			t.Error(err)
		}
	})
}
