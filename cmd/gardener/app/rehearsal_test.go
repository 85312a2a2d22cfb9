package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// confirming is a garden that wants deletions of shoots to be confirmed.
func confirming(objects ...client.Object) client.WithWatch {
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(gardenScheme()).WithObjects(objects...).Build(), interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			stored := &gardencorev1beta1.Shoot{}
			if _, ok := object.(*gardencorev1beta1.Shoot); !ok {
				return c.Delete(ctx, object, options...)
			} else if err := c.Get(ctx, client.ObjectKeyFromObject(object), stored); err != nil {
				return err
			}
			switch {
			case stored.Labels["protected"] != "":
				return apierrors.NewForbidden(gardencorev1beta1.Resource("shoots"), object.GetName(), errors.New("it is protected"))
			case stored.Annotations[confirmDeletion] != "true":
				return apierrors.NewForbidden(gardencorev1beta1.Resource("shoots"), object.GetName(), fmt.Errorf("must have the annotation %s=true", confirmDeletion))
			}
			return c.Delete(ctx, object, options...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := c.Patch(ctx, object, patch, options...); err != nil {
				return err
			}
			data, err := patch.Data(object) // API servers answer what would be stored, which the fake does not
			return errors.Join(err, json.Unmarshal(data, object))
		},
	})
}

func TestDryRuns(t *testing.T) {
	key := types.NamespacedName{Namespace: "garden-sky", Name: "sun"}
	shoot := func() *gardencorev1beta1.Shoot {
		return &gardencorev1beta1.Shoot{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
			Spec:       gardencorev1beta1.ShootSpec{Hibernation: &gardencorev1beta1.Hibernation{Enabled: new(false)}},
		}
	}
	hibernate := func(ctx context.Context, garden client.Client, r *rehearsal) error {
		return patchShoot(ctx, garden, key, []byte(`{"spec":{"hibernation":{"enabled":true}}}`), r)
	}
	for name, tc := range map[string]struct {
		output string
		idle   string
		try    func(ctx context.Context, garden client.Client, r *rehearsal) error
		change func(*gardencorev1beta1.Shoot)
		want   string
		fails  string
	}{
		"hibernate": {output: "text", try: hibernate, want: "shoot garden-sky/sun would do it (dry run)\n  spec.hibernation.enabled: false → true\n"},
		"hibernate what sleeps": {
			output: "text", idle: "sleeps", try: hibernate, change: func(s *gardencorev1beta1.Shoot) { s.Spec.Hibernation.Enabled = new(true) },
			want: "shoot garden-sky/sun sleeps (dry run)\n",
		},
		"a field that is empty": {
			output: "text", try: func(ctx context.Context, garden client.Client, r *rehearsal) error {
				return patchShoot(ctx, garden, key, []byte(`{"spec":{"region":"mars","purpose":"testing"}}`), r)
			},
			want: "shoot garden-sky/sun would do it (dry run)\n  spec.purpose: none → \"testing\"\n  spec.region: none → \"mars\"\n",
		},
		"as yaml": {output: "yaml", try: hibernate, want: "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"},
		"reconcile": {
			output: "text", try: func(ctx context.Context, garden client.Client, r *rehearsal) error {
				return operate(ctx, garden, key, "reconcile", nil, r)
			},
			want: "shoot garden-sky/sun would do it (dry run)\n  metadata.annotations.\"gardener.cloud/operation\": none → \"reconcile\"\n",
		},
		"delete": {
			output: "text", try: func(ctx context.Context, garden client.Client, r *rehearsal) error {
				return deleteShoot(ctx, garden, key, r)
			},
			want: "shoot garden-sky/sun would do it (dry run)\n  metadata.annotations.\"confirmation.gardener.cloud/deletion\": none → \"true\"\n",
		},
		"delete what the garden protects": {
			output: "text", try: func(ctx context.Context, garden client.Client, r *rehearsal) error {
				return deleteShoot(ctx, garden, key, r)
			},
			change: func(s *gardencorev1beta1.Shoot) { s.Labels = map[string]string{"protected": "yes"} }, fails: "it is protected",
		},
		"a field whose name controls the terminal": {
			output: "text", try: hibernate, change: func(s *gardencorev1beta1.Shoot) {
				s.Spec.Hibernation.Enabled = new(true)
				s.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte(`{"\u001b[2J":1}`)}
			}, want: "shoot garden-sky/sun would do it (dry run)\n",
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			before := shoot()
			if tc.change != nil {
				tc.change(before)
			}
			garden := confirming(before)
			stored := &gardencorev1beta1.Shoot{}
			if err := garden.Get(t.Context(), key, stored); err != nil {
				t.Fatal(err)
			}
			r := &rehearsal{dryRun: true, output: tc.output, display: newDisplay(), idle: tc.idle}
			err := tc.try(t.Context(), garden, r)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(&out)
			if err := r.tell(cmd, garden.Scheme(), "shoot "+key.String(), "would do it"); err != nil {
				t.Fatal(err)
			}
			if tc.output == "text" && out.String() != tc.want || !strings.HasPrefix(out.String(), tc.want) {
				t.Errorf("it says %q, want %q", out.String(), tc.want)
			}
			after := &gardencorev1beta1.Shoot{}
			if err := garden.Get(t.Context(), key, after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(stored, after); diff != "" {
				t.Errorf("it changed the shoot:\n%s", diff)
			}
		})
	}
	t.Run("APP-35 names of fields do not control the terminal", func(t *testing.T) {
		before, after := shoot(), shoot()
		after.Spec.Provider.InfrastructureConfig = &runtime.RawExtension{Raw: []byte("{\"\\u001b[2J\":1}")}
		changes, err := changesOf(before, after)
		if err != nil || len(changes) != 1 || strings.Contains(changes[0], "\x1b") {
			t.Errorf("%q, %v", changes, err)
		}
	})
	t.Run("APP-35 the seed that would be removed stays", func(t *testing.T) {
		seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "two"}}
		garden, r := confirming(seed), &rehearsal{dryRun: true}
		parts := []component.Status{{Name: own.ClusterPart("two")}}
		if _, err := removable(t.Context(), garden, "two", "local", parts, r); err != nil {
			t.Error(err)
		}
		if err := garden.Get(t.Context(), client.ObjectKeyFromObject(seed), seed); err != nil {
			t.Error(err)
		}
		if _, err := removable(t.Context(), garden, "two", "local", nil, r); err == nil || !strings.Contains(err.Error(), "was not added") {
			t.Errorf("a seed of others: %v", err)
		}
		if _, err := removable(t.Context(), garden, "three", "local", parts, r); codedOf(err).code != codeNotFound {
			t.Errorf("no seed: %v", err)
		}
	})
}

func TestDryRunFlags(t *testing.T) {
	t.Setenv("GARDENER_STATE_DIR", t.TempDir()) // nothing runs there
	for _, verb := range []string{
		"shoot hibernate sun", "shoot wake sun", "shoot retry sun", "shoot reconcile sun", "shoot maintain sun", "shoot rotate sun --start", "shoot delete sun",
		"shoot migrate sun --to two", "seed remove two", "garden rotate --start",
	} {
		t.Run("APP-35 "+verb+" can be tried, and asks nothing", func(t *testing.T) {
			for flags, want := range map[string]int{"--dry-run": codeNotRunning, "--dry-run -o yaml": codeNotRunning, "-o yaml": codeUsage, "--dry-run -o table": codeUsage} {
				root := newRoot(newDisplay())
				root.SetArgs(strings.Fields(verb + " " + flags))
				if err := root.ExecuteContext(t.Context()); codedOf(err).code != want {
					t.Errorf("with %s the code is %d, want %d: %v", flags, codedOf(err).code, want, err)
				}
			}
		})
	}
}
