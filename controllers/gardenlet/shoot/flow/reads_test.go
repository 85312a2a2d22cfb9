package flow

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func nothing(context.Context) error               { return nil }
func makesText(context.Context) (string, error)   { return "text", nil }
func readsText(_ context.Context, _ string) error { return nil }

// TestBuildRefusesReadsThatComeTooEarly shows that an order page cannot hand out what is not there yet.
func TestBuildRefusesReadsThatComeTooEarly(t *testing.T) {
	text := &output[string]{}
	write, read := step("write", leaves(text, makesText)), step("read", given(readsText, text))
	readIfMade := step("read", given(readsText, text.ifMade()))
	between := step("between", nothing).after("write")
	for name, tc := range map[string]struct {
		rows []row
		err  string // empty for none
	}{
		"a reader may come after the writer":                             {[]row{write, read.after("write")}, ""},
		"a reader may come later than after the writer":                  {[]row{write, between, read.after("between")}, ""},
		"a skipped step between them keeps the order":                    {[]row{write, between.unless(true), read.after("between")}, ""},
		"a reader beside the writer is refused":                          {[]row{write, read}, `step "read" reads a string but does not come after the step "write"`},
		"a reader before the writer is refused":                          {[]row{write.after("read"), read}, `does not come after the step "write"`},
		"a reader without a writer is refused":                           {[]row{read}, `step "read" reads a string that no step leaves`},
		"a reader of a skipped writer is refused":                        {[]row{write.unless(true), read.after("write")}, `of the step "write", which is skipped`},
		"a skipped reader reads nothing":                                 {[]row{read.unless(true)}, ""},
		"a reader that does without may read of a skipped writer":        {[]row{write.unless(true), readIfMade.after("write")}, ""},
		"a reader that does without needs no writer":                     {[]row{readIfMade}, ""},
		"a reader that does without comes after the writer all the same": {[]row{write, readIfMade}, `does not come after the step "write"`},
		"two writers of one output are refused":                          {[]row{write, step("other", leaves(text, makesText))}, `steps "write" and "other" leave the same output`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := build("test", tc.rows)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("error is %v, want %q", err, tc.err)
			}
		})
	}
}

// TestOutputsReachTheirReaders runs a flow in which one step hands its result to another.
func TestOutputsReachTheirReaders(t *testing.T) {
	text, got := &output[string]{}, ""
	steps, err := build("test", []row{
		step("read", given(func(_ context.Context, value string) error { got = value; return nil }, text)).after("write"),
		step("write", leaves(text, makesText)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := steps.Run(t.Context(), graph.Options{}); err != nil || got != "text" {
		t.Errorf("reader got %q, %v", got, err)
	}
}

// TestEveryFlowHandsOutOnlyWhatIsThere builds all orders for every combination of what decides about steps: nothing is read
// too early, and no step is left out that another one needs.
func TestEveryFlowHandsOutOnlyWhatIsThere(t *testing.T) {
	const switches = 14
	for n := range 1 << switches {
		on := func(bit int) bool { return n&(1<<bit) != 0 }
		shoot := shootWithWorkers()
		shoot.Annotations = map[string]string{}
		found := facts.Facts{
			NamespaceActive: on(0), APIServerExists: on(1), APIServerRuns: on(1) && on(2), ControllersExist: on(3),
			InfrastructureExists: on(4), InfrastructureUsable: on(4) && on(5), ControlPlaneExists: on(6),
		}
		if on(7) {
			workerless(shoot)
		}
		if on(8) {
			hibernated(shoot)
		}
		if on(9) {
			shoot.Annotations[constants.ShootSkipReadiness] = "true"
			shoot.Annotations[constants.ShootSkipCleanup] = "true"
		}
		if on(10) {
			shoot.Spec.Kubernetes.KubeProxy = &gardencorev1beta1.KubeProxyConfig{Enabled: ptr.To(false)}
			shoot.Spec.Addons = &gardencorev1beta1.Addons{NginxIngress: &gardencorev1beta1.NginxIngress{Addon: gardencorev1beta1.Addon{Enabled: true}}}
		}
		rotating([]gardencorev1beta1.CredentialsRotationPhase{"", "Preparing", "Completing"}[n%3])(shoot) // 3 divides no power of 2: each meets every switch
		build := (*Plan).Reconcile
		if on(11) {
			deleted(shoot)
			build = (*Plan).Delete
		}
		var saved *gardencorev1beta1.ShootState
		if found.EtcdExists = on(12); on(13) {
			build = (*Plan).Migrate
		} else if on(12) && !on(11) {
			saved = &gardencorev1beta1.ShootState{}
		}
		for _, tunnel := range []bool{false, true} {
			seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth"}}
			plan := New(Config{
				Operation: &operation.Operation{Shoot: shoot, Project: "sky", Seed: seed, CloudProfile: &gardencorev1beta1.CloudProfile{}}, Facts: found, Restored: saved, Access: exposure.Access{Tunnel: tunnel},
			})
			if _, err := build(plan); err != nil {
				t.Fatal(fmt.Errorf("facts %+v, shoot %+v, tunnel %t: %w", found, shoot.Spec, tunnel, err))
			}
		}
	}
}
