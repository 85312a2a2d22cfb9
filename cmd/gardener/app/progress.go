package app

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// progress shows the parts of a landscape while they start: live on a terminal, otherwise one plain line per step.
// Parts with the same title share a line. The line is done when all of them are ready.
type progress struct {
	w       io.Writer
	live    *live
	printed []string
}

func newProgress(shown *display, w io.Writer) *progress {
	return &progress{w: w, live: newLive(shown, w)}
}

// done prints a finished step that is not a part.
func (p *progress) done(title string, took time.Duration) {
	p.live.clear()
	p.printed = append(p.printed, title)
	text := fmt.Sprintf("  %s %-18s %5.1fs\n", p.live.display.paint(p.w, green, "✓"), title, took.Seconds())
	p.live.display.tell(p.w, event{Object: "step " + title, State: "ready", Seconds: seconds(took)}, text)
}

// chosen prints what the landscape will use.
func (p *progress) chosen(what, name string) {
	p.live.clear()
	text := fmt.Sprintf("  %s %-18s %s\n", p.live.display.paint(p.w, green, "✓"), what, name)
	p.live.display.tell(p.w, event{Object: "step " + what, State: "ready", Message: name}, text)
}

// seconds rounds a duration for programs.
func seconds(took time.Duration) float64 { return took.Round(10 * time.Millisecond).Seconds() }

// show prints the steps that became ready since the last call, and the parts that are still pending.
func (p *progress) show(parts []component.Status) {
	for _, step := range steps(parts) {
		if step.ready && !slices.Contains(p.printed, step.title) {
			p.done(step.title, step.took)
		}
	}
	p.drawLive(parts)
}

// drawLive replaces the last line of a terminal.
func (p *progress) drawLive(parts []component.Status) {
	var waiting []string
	for _, step := range steps(parts) {
		if !step.ready && step.started {
			waiting = append(waiting, step.title)
		}
	}
	if len(waiting) == 0 {
		p.live.clear()
		return
	}
	p.live.draw(strings.Join(waiting, ", "))
}

// pending lists, for an error, the parts that are not ready.
func pending(parts []component.Status) string {
	var lines []string
	for _, part := range parts {
		if part.State != component.Ready && part.State != component.Waiting && part.Message != "" {
			lines = append(lines, part.Name+": "+part.Message)
		}
	}
	if len(lines) == 0 { // nothing is wrong with them, they only take their time
		for _, part := range parts {
			if part.State != component.Ready {
				lines = append(lines, part.Name)
			}
		}
	}
	return strings.Join(lines, "; ")
}

type progressStep struct {
	title          string
	started, ready bool
	took           time.Duration
}

func steps(parts []component.Status) []progressStep {
	var all []progressStep
	for _, part := range parts {
		if part.Title == "" {
			continue
		}
		at := slices.IndexFunc(all, func(s progressStep) bool { return s.title == part.Title })
		if at < 0 {
			at = len(all)
			all = append(all, progressStep{title: part.Title, ready: true})
		}
		step := &all[at]
		step.ready = step.ready && part.Started()
		step.started = step.started || part.State != component.Waiting
		step.took = max(step.took, part.Took)
	}
	return all
}
