package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const program = "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}]\n"

func reference(secret string) core.NamedResourceReference {
	return core.NamedResourceReference{Name: secret, ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: secret}}
}

func refusedWith(err error, text string) bool {
	return err != nil && strings.Contains(err.Error(), text)
}

func TestKubeconfigs(t *testing.T) {
	ctx := t.Context()
	t.Run("GAC-2 a Secret with a program in its kubeconfig is invalid", func(t *testing.T) {
		err := admin.Create(ctx, secret("garden-a", "bad", map[string][]byte{"kubeconfig": []byte(program)}))
		if !apierrors.IsInvalid(err) || !refusedWith(err, "runs a program") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-2 a Shoot cannot refer to such a kubeconfig under another key", func(t *testing.T) {
		if err := admin.Create(ctx, secret("garden-a", "hidden", map[string][]byte{"x": []byte(program)})); err != nil {
			t.Fatal(err)
		}
		shoot := &core.Shoot{}
		if err := admin.Get(ctx, client.ObjectKey{Namespace: "garden-a", Name: "shoot"}, shoot); err != nil {
			t.Fatal(err)
		}
		before := shoot.DeepCopy()
		shoot.Spec.Resources = []core.NamedResourceReference{reference("hidden")}
		if err := admin.Patch(ctx, shoot, client.MergeFrom(before)); !refusedWith(err, `secret "garden-a/hidden": the kubeconfig in key "x" is not allowed`) {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("a user who is trusted is not checked", func(t *testing.T) {
		config, err := garden.ConfigFor("trusted", "system:masters")
		if err != nil {
			t.Fatal(err)
		}
		trusted, err := newClient(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := trusted.Create(ctx, secret("garden-a", "bad", map[string][]byte{"kubeconfig": []byte(program)}), client.DryRunAll); err != nil {
			t.Error(err)
		}
	})
}

func TestNamespaces(t *testing.T) {
	t.Run("GAC-3 the namespace of a project stays", func(t *testing.T) {
		if err := admin.Delete(t.Context(), &corev1.Namespace{ObjectMeta: meta("", "garden-a")}); !refusedWith(err, `belongs to project "a"`) {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-3 other namespaces may go", func(t *testing.T) {
		namespace := &corev1.Namespace{ObjectMeta: meta("", "nobodys")}
		if err := errors.Join(admin.Create(t.Context(), namespace), admin.Delete(t.Context(), namespace)); err != nil {
			t.Error(err)
		}
	})
}

func TestSizes(t *testing.T) {
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		t.Fatal(err)
	}
	large := func(name string) *corev1.Secret {
		return secret("garden-a", name, map[string][]byte{"a": bytes.Repeat([]byte("x"), 120_000)})
	}
	t.Run("GAC-4 a large Secret is refused", func(t *testing.T) {
		if err := admin.Create(t.Context(), large("large"), client.DryRunAll); !refusedWith(err, "the limit is 100000") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-4 a large Shoot is refused", func(t *testing.T) {
		shoot := newShoot("garden-a", "large", "a")
		shoot.Annotations = map[string]string{"a": strings.Repeat("x", 120_000)}
		if err := admin.Create(t.Context(), shoot, client.DryRunAll); !refusedWith(err, "the limit is 100000") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-4 a large Lease is refused", func(t *testing.T) {
		lease := &coordinationv1.Lease{ObjectMeta: meta("garden-a", "large"), Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(strings.Repeat("x", 120_000))}}
		if err := admin.Create(t.Context(), lease, client.DryRunAll); !refusedWith(err, "the limit is 100000") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-5 a gardenlet may write a large Secret", func(t *testing.T) {
		if err := gardenlet.Create(t.Context(), large("shoot.ssh-keypair"), client.DryRunAll); err != nil {
			t.Error(err)
		}
	})
}

// TestRestriction tries what the authorizer cannot see.
func TestRestriction(t *testing.T) {
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("GAC-10 a gardenlet does not point its Seed at the credentials of another", func(t *testing.T) {
		seed := &core.Seed{}
		if err := gardenlet.Get(t.Context(), client.ObjectKey{Name: "a"}, seed); err != nil {
			t.Fatal(err)
		}
		before := seed.DeepCopy()
		seed.Spec.Backup.SecretRef.Name = "backup-b"
		seed.Spec.Backup.CredentialsRef = nil
		if err := gardenlet.Patch(t.Context(), seed, client.MergeFrom(before)); !apierrors.IsForbidden(err) || !refusedWith(err, "operators have not given it to the seed") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-10 a gardenlet reads a Secret of the landscape only if operators give it to the seed", func(t *testing.T) {
		robot := secret("garden", "robot", nil) // of an operator, for something else
		if err := admin.Create(t.Context(), robot); err != nil {
			t.Fatal(err)
		}
		refer := func(to string) error {
			seed := &core.Seed{}
			if err := gardenlet.Get(t.Context(), client.ObjectKey{Name: "a"}, seed); err != nil {
				return err
			}
			before := seed.DeepCopy()
			seed.Spec.Resources = []core.NamedResourceReference{reference(to)}
			return gardenlet.Patch(t.Context(), seed, client.MergeFrom(before))
		}
		if err := refer(robot.Name); !apierrors.IsForbidden(err) || !refusedWith(err, "It needs the annotation seed.gardener.cloud/names: a, or") {
			t.Errorf("error: %v", err)
		}
		if err := gardenlet.Get(t.Context(), client.ObjectKeyFromObject(robot), &corev1.Secret{}); !apierrors.IsForbidden(err) {
			t.Errorf("error of a read: %v", err)
		}
		before := robot.DeepCopy()
		robot.Annotations = map[string]string{"seed.gardener.cloud/names": "b, a"}
		if err := admin.Patch(t.Context(), robot, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if err := refer(robot.Name); err != nil {
			t.Errorf("a Secret that was given to the seed: %v", err)
		}
		if err := eventually(func() error { return gardenlet.Get(t.Context(), client.ObjectKeyFromObject(robot), &corev1.Secret{}) }); err != nil {
			t.Errorf("read of a Secret that was given to the seed: %v", err)
		}
	})
	t.Run("GAC-10 what the Seed refers to already stays", func(t *testing.T) {
		seed, unmarked := &core.Seed{}, secret("garden", "unmarked", nil)
		if err := errors.Join(admin.Create(t.Context(), unmarked), admin.Get(t.Context(), client.ObjectKey{Name: "a"}, seed)); err != nil {
			t.Fatal(err)
		}
		before := seed.DeepCopy()
		seed.Spec.Resources = append(seed.Spec.Resources, reference(unmarked.Name)) // by an operator
		if err := admin.Patch(t.Context(), seed, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		again := seed.DeepCopy()
		again.Spec.Settings = &core.SeedSettings{Scheduling: &core.SeedSettingScheduling{Visible: true}}
		if err := gardenlet.Patch(t.Context(), again, client.MergeFrom(seed)); err != nil {
			t.Errorf("a change beside it: %v", err)
		}
		if err := admin.Patch(t.Context(), again, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"resources":null}}`))); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("GAC-9 GAC-10 a gardenlet applies no BackupEntry in a project whose shoots are on another seed", func(t *testing.T) {
		applied := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "core.gardener.cloud/v1beta1", "kind": "BackupEntry",
			"metadata": map[string]any{
				"namespace": "garden-b", "name": "shoot--b--shoot--uid",
				"ownerReferences": []any{map[string]any{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "name": "shoot", "uid": "uid"}},
			},
			"spec": map[string]any{"seedName": "a", "bucketName": string(objects["a"]["Seed"].GetUID())},
		}}
		err := gardenlet.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("gardenlet"))
		if !apierrors.IsForbidden(err) || !refusedWith(err, "is not on the seed") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-10 a gardenlet does not point its Seed at the login of operators at another seed", func(t *testing.T) {
		seed := &core.Seed{}
		if err := gardenlet.Get(t.Context(), client.ObjectKey{Name: "a"}, seed); err != nil {
			t.Fatal(err)
		}
		before := seed.DeepCopy()
		seed.Spec.Resources = []core.NamedResourceReference{reference("b.login")}
		if err := gardenlet.Patch(t.Context(), seed, client.MergeFrom(before)); !apierrors.IsForbidden(err) || !refusedWith(err, "operators have not given it to the seed") {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-10 a gardenlet does not refer to a Secret of the project in its Shoot", func(t *testing.T) {
		shoot := &core.Shoot{}
		if err := gardenlet.Get(t.Context(), client.ObjectKey{Namespace: "garden-a", Name: "shoot"}, shoot); err != nil {
			t.Fatal(err)
		}
		before := shoot.DeepCopy()
		shoot.Spec.Resources = []core.NamedResourceReference{reference("unrelated")}
		if err := gardenlet.Patch(t.Context(), shoot, client.MergeFrom(before)); err == nil {
			t.Error("the reference was written")
		}
	})
	t.Run("GAC-10 a gardenlet writes what is beside its Shoot", func(t *testing.T) {
		for _, object := range []client.Object{secret("garden-a", "shoot.monitoring", nil), &core.InternalSecret{ObjectMeta: meta("garden-a", "shoot.ca-client")}} {
			if err := gardenlet.Create(t.Context(), object, client.DryRunAll); err != nil && !apierrors.IsAlreadyExists(err) {
				t.Errorf("create %T: %v", object, err)
			}
		}
	})
}

func TestServer(t *testing.T) {
	get := func(client *http.Client, path string) (int, string) {
		answer, err := client.Get(made.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	t.Run("GAC-1 a review is answered with its UID", func(t *testing.T) {
		review, err := json.Marshal(admissionv1.AdmissionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
			Request:  &admissionv1.AdmissionRequest{UID: "the-uid", Operation: admissionv1.Delete, Name: "nobodys"},
		})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := made.client.Post(made.url+"/webhooks/admission/validate-namespace-deletion", "application/json", bytes.NewReader(review))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		got := admissionv1.AdmissionReview{}
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || got.Response == nil || got.Response.UID != "the-uid" || !got.Response.Allowed {
			t.Errorf("%+v (%v)", got.Response, err)
		}
	})
	t.Run("GAC-1 nobody but the API server may ask for authorizations", func(t *testing.T) {
		if code, _ := get(made.client, "/webhooks/auth/seed"); code != http.StatusUnauthorized {
			t.Errorf("code %d", code)
		}
		if code, text := get(made.caller, "/webhooks/auth/seed"); code != http.StatusBadRequest {
			t.Errorf("code %d: %s", code, text)
		}
	})
	t.Run("GAC-11 the graph is shown to the API server's client and to nobody else", func(t *testing.T) {
		const path = "/debug/resource-dependency-graph?kind=Shoot"
		if code, text := get(made.caller, path); code != http.StatusOK || !strings.Contains(text, "Shoot:garden-a/shoot -> Seed:a\n") {
			t.Errorf("code %d: %s", code, text)
		}
		if code, _ := get(made.client, path); code != http.StatusUnauthorized {
			t.Errorf("code %d", code)
		}
	})
	t.Run("GAC-11 the graph and decisions are measured", func(t *testing.T) {
		_, text := get(made.client, "/metrics")
		for _, metric := range []string{
			"gardener_admission_controller_seed_authorizer_graph_edges ", "gardener_admission_controller_seed_authorizer_graph_update_duration_seconds_count{",
			"gardener_admission_controller_seed_authorizer_decision_duration_seconds_count ",
		} {
			if !strings.Contains(text, metric) {
				t.Errorf("%s is missing", metric)
			}
		}
	})
}
