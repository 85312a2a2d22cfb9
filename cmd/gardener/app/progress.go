package app

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// progress shows the parts of a landscape while they start: live on a terminal, one plain line per step elsewhere.
// Parts of one title share a line, which is done when all of them are ready.
type progress struct {
	w       io.Writer
	live    bool
	begin   time.Time
	printed []string
	frame   int
	drawn   bool // a live line is on the screen
}

func newProgress(w *os.File) *progress {
	return &progress{w: w, live: term.IsTerminal(int(w.Fd())), begin: time.Now()}
}

// done prints a finished step that is no part.
func (p *progress) done(title string, took time.Duration) {
	p.clear()
	p.printed = append(p.printed, title)
	fmt.Fprintf(p.w, "  ✓ %-18s %5.1fs\n", title, took.Seconds())
}

// show prints the steps that have become ready since the last call, and what is waited for.
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
	if !p.live {
		return
	}
	p.clear()
	var waiting []string
	for _, step := range steps(parts) {
		if !step.ready && step.started {
			waiting = append(waiting, step.title)
		}
	}
	if len(waiting) == 0 {
		return
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	p.frame++
	fmt.Fprintf(p.w, "  %c %s  %.0fs", frames[p.frame%len(frames)], strings.Join(waiting, ", "), time.Since(p.begin).Seconds())
	p.drawn = true
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// pending describes for an error what was still waited for.
func pending(parts []component.Status) string {
	var lines []string
	for _, part := range parts {
		if part.State != component.Ready && part.State != component.Waiting && part.Message != "" {
			lines = append(lines, part.Name+": "+part.Message)
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
		step.ready = step.ready && part.State == component.Ready
		step.started = step.started || part.State != component.Waiting
		step.took = max(step.took, part.Took)
	}
	return all
}
