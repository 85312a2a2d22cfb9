package app

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestControlCharactersAreVisible(t *testing.T) {
	for name, tc := range map[string]struct{ text, block, cell string }{
		"plain text stays":             {"größe 大", "größe 大", "größe 大"},
		"our colours stay":             {tinted(red, "bad"), tinted(red, "bad"), tinted(red, "bad")},
		"other codes do not":           {"a\x1b[8mb\x1b]0;c\x07", `a\x1b[8mb\x1b]0;c\x07`, `a\x1b[8mb\x1b]0;c\x07`},
		"nor do they within a colour":  {tinted(red, "a\x1b[2Jb"), `\x1b[31ma\x1b[2Jb\x1b[0m`, `\x1b[31ma\x1b[2Jb\x1b[0m`},
		"nor colours without an end":   {"\x1b[31mred", `\x1b[31mred`, `\x1b[31mred`},
		"C0, DEL and C1":               {"a\rb\x08c\x7fd\u009be", `a\x0db\x08c\x7fd\x9be`, `a\x0db\x08c\x7fd\x9be`},
		"a byte that is C1 by itself":  {"a\x9bb", "a\ufffdb", "a\ufffdb"},
		"directions":                   {"a\u202eb\u2066c\u2069", `a\u202eb\u2066c\u2069`, `a\u202eb\u2066c\u2069`},
		"lines stay in blocks":         {"a\r\n  b\n", "a\n  b\n", "a b"},
		"tabs shift columns":           {"a\tb", "a\tb", "a b"},
		"other ends of lines are seen": {"a\u2028b\u0085c", `a\u2028b\x85c`, `a\u2028b\x85c`},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.block, printable(tc.text)); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.cell, oneLine(tc.text)); diff != "" {
				t.Errorf("cell (-want +got):\n%s", diff)
			}
		})
	}
}

// evil is what a tenant may write into a message: it clears the screen, and forges a line.
const evil = "x\x1b[2J\u202e\nhint:  run: curl\x9b\r"

// Whatever prints what tenants write must not let it through.
func TestTextsOfTenantsControlNothing(t *testing.T) {
	shoot := rotating(gardencorev1beta1.RotationPrepared)
	shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{Description: evil}
	shoot.Status.LastErrors = []gardencorev1beta1.LastError{{Description: evil}}
	shoot.Status.Conditions = []gardencorev1beta1.Condition{{Type: "Broken", Status: gardencorev1beta1.ConditionFalse, Message: evil}}
	shoot.Status.Constraints = shoot.Status.Conditions
	happened := corev1.Event{Message: evil, Reason: evil, InvolvedObject: corev1.ObjectReference{Kind: "Shoot", Name: "s"}}
	listing := &shootListing{output: "wide"}
	parts := []component.Status{{Name: "a", Message: evil}, {Name: "b", Warning: evil}}
	told := status{Report: &daemon.Report{Parts: parts}, Shoots: []shootStatus{statusOf(shoot)}, Due: []due{{"shoot p/s", evil}}, Unknown: evil, Late: []string{evil}}
	for name, rows := range map[string][][]string{
		"shoot describe": append(append(factRows(shoot), conditionRows(shoot)...), eventRows([]corev1.Event{happened})...),
		"shoot list":     listing.columns(statusOf(shoot)),
		"events":         allEventRows([]corev1.Event{happened}, true),
		"status":         statusRows(&told),
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out bytes.Buffer
			if err := newDisplay().printAs(&out, "wide", nil, func() [][]string { return rows }); err != nil {
				t.Fatal(err)
			}
			controlsNothing(t, out.String())
			if lines := strings.Count(out.String(), "\n"); lines != len(rows) {
				t.Errorf("%d rows have %d lines:\n%s", len(rows), lines, &out)
			}
		})
	}
	for name, print := range map[string]func(*bytes.Buffer, *display){
		"an error": func(out *bytes.Buffer, d *display) { report(errors.New(evil), d, out) },
		"a hint": func(out *bytes.Buffer, d *display) {
			report(&exitError{code: 1, err: errors.New("x"), hint: evil}, d, out)
		},
		"a warning":         func(out *bytes.Buffer, d *display) { d.warn(out, evil) },
		"an error of lines": func(out *bytes.Buffer, d *display) { report(errors.Join(errors.New("x"), errors.New(evil)), d, out) },
		"a success":         func(out *bytes.Buffer, d *display) { d.tell(out, event{}, strings.ReplaceAll(evil, "\n", " ")) },
		"a progress": func(out *bytes.Buffer, d *display) {
			(&shootProgress{w: out, live: newLive(d, out)}).show(statusOf(shoot))
		},
		"the last line": func(out *bytes.Buffer, d *display) {
			l := &live{w: out, display: d, begin: time.Now(), width: func() int { return 200 }}
			l.draw(evil)
			text := strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K")
			out.Reset()
			out.WriteString(text)
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out bytes.Buffer
			print(&out, newDisplay())
			controlsNothing(t, out.String())
		})
	}
}

func controlsNothing(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(text, `\u202e`) {
		t.Errorf("the text is missing: %q", text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "hint:  run") {
			t.Errorf("it forges a line: %q", text)
		}
	}
	if strings.ContainsFunc(text, controls) || strings.Contains(text, "\x9b") {
		t.Errorf("it controls the terminal: %q", text)
	}
}
