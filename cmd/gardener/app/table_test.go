package app

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestTablesHaveColours(t *testing.T) {
	rows := func() [][]string {
		return [][]string{{"CHECK", "STATE", "MESSAGE"}, {"disk", tinted(red, "problem"), "größe"}, {"größe", tinted(green, "ok"), ""}, nil, {"no shoots"}}
	}
	const plain = "CHECK   STATE     MESSAGE\ndisk    problem   größe\ngröße   ok\n\nno shoots\n"
	for name, tc := range map[string]struct {
		args    []string
		noColor string
		want    string
	}{
		"a file has none":          {want: plain},
		"--color=never has none":   {args: []string{"--color=never"}, want: plain},
		"codes widen no column":    {args: []string{"--color=always"}, want: "CHECK   STATE     MESSAGE\ndisk    \x1b[31mproblem\x1b[0m   größe\ngröße   \x1b[32mok\x1b[0m\n\nno shoots\n"},
		"the flag beats $NO_COLOR": {args: []string{"--color=always"}, noColor: "1", want: "CHECK   STATE     MESSAGE\ndisk    \x1b[31mproblem\x1b[0m   größe\ngröße   \x1b[32mok\x1b[0m\n\nno shoots\n"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			t.Setenv("NO_COLOR", tc.noColor)
			shown, err := withFlags(t, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := shown.printAs(&out, "table", nil, rows); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTerminalsHaveColours(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no terminals: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	t.Setenv("TERM", "xterm")
	for _, tc := range []struct {
		noColor, color string
		want           bool
	}{{"", colorAuto, true}, {"1", colorAuto, false}, {"", colorNever, false}, {"1", colorAlways, true}} {
		t.Setenv("NO_COLOR", tc.noColor)
		if got := (&display{color: tc.color}).colorful(terminal); got != tc.want {
			t.Errorf("APP-35 --color=%s and NO_COLOR=%q: colours are %t", tc.color, tc.noColor, got)
		}
	}
}

func TestStatesHaveColours(t *testing.T) {
	shoot := func(state gardencorev1beta1.LastOperationState, ready bool) shootStatus {
		return shootStatus{Namespace: "p", Name: "s", Operation: string(state), state: state, Ready: ready, Asleep: !ready && state == gardencorev1beta1.LastOperationStateSucceeded}
	}
	const failed, goes, well = gardencorev1beta1.LastOperationStateFailed, gardencorev1beta1.LastOperationStateProcessing, gardencorev1beta1.LastOperationStateSucceeded
	report := &daemon.Report{Parts: []component.Status{
		{Name: "a", State: component.Ready}, {Name: "b", State: component.Ready, Warning: "full"}, {Name: "c", State: component.Starting}, {Name: "d", State: component.Backoff},
	}}
	listing := &shootListing{output: "table"}
	for name, tc := range map[string]struct {
		rows [][]string
		want []string // the cells with colours
	}{
		"gardener status": {
			statusRows(&status{Report: report, Shoots: []shootStatus{shoot(well, true)}, Due: []due{{"shoot p/s", "rotate"}}}),
			[]string{"32 Ready", "33 Ready", "33 Starting", "31 BackOff", "32 Succeeded", "32 all true", "33 shoot p/s"},
		},
		"gardener shoot list": {
			listing.columns(shoot(well, true), shoot(well, false), shoot(goes, false), shoot(failed, false)),
			[]string{"32 Succeeded", "32 true", "32 Succeeded", "33 asleep", "33 Processing", "33 false", "31 Failed", "31 false"},
		},
		"gardener seed list": {
			seedRows([]seedStatus{{Name: "a", Ready: true}, {Name: "b", Ready: true, Message: "broken"}, {Name: "c"}}),
			[]string{"32 true", "33 true", "31 false"},
		},
		"gardener landscape list": {
			landscapeRows([]neighbours.Landscape{{Process: 1}, {Process: 1, Problem: "it is starting"}, {}, {Problem: "damaged"}}, "table"),
			[]string{"32 running", "33 running", "33 stopped", "31 stopped"},
		},
		"gardener doctor": {
			findingRows([]doctor.Finding{{State: doctor.OK}, {State: doctor.Warning, Cure: "x"}, {State: doctor.Problem}}),
			[]string{"32 ok", "33 warning", "31 problem"},
		},
		"gardener shoot describe": {
			conditionRows(&gardencorev1beta1.Shoot{Status: gardencorev1beta1.ShootStatus{
				Conditions: []gardencorev1beta1.Condition{{Status: gardencorev1beta1.ConditionTrue}, {Status: gardencorev1beta1.ConditionFalse}, {Status: gardencorev1beta1.ConditionProgressing}},
			}}),
			[]string{"32 True", "31 False", "33 Progressing"},
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var got []string
			for _, row := range tc.rows {
				for _, cell := range row {
					if code, text, found := strings.Cut(strings.TrimPrefix(cell, "\x1b["), "m"); found && strings.HasPrefix(cell, "\x1b") {
						got = append(got, code+" "+strings.TrimSuffix(text, "\x1b[0m"))
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("colours (-want +got):\n%s", diff)
			}
		})
	}
}
