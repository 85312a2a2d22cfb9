package app

import (
	"cmp"
	"fmt"
	"io"
	"time"
)

// live is the last line of a terminal. It is redrawn while work is in progress. Without a terminal nothing is drawn.
type live struct {
	w       io.Writer
	display *display
	width   func() int // nil: not a terminal
	begin   time.Time
	frame   int
	drawn   bool // the line is on the screen
}

func newLive(shown *display, w io.Writer) *live {
	l := &live{w: w, display: shown, begin: time.Now()}
	if isScreen(w) && shown.progress == progressAuto {
		l.width = func() int { return cmp.Or(screenWidth(w), 80) } // asked every time, since windows can be resized
	}
	return l
}

// draw shows the current work and its duration in the last line of the terminal.
func (l *live) draw(text string) {
	if l.width == nil {
		return
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	l.frame++
	head := fmt.Sprintf("  %c ", frames[l.frame%len(frames)])
	tail := fmt.Sprintf("  %.0fs", time.Since(l.begin).Seconds())
	// Three columns stay free: one because some terminals wrap after the last column, two for the ^C of an interrupt.
	room := l.width() - 3 - width(head) - len(tail)
	fmt.Fprint(l.w, "\r"+head+shorten(oneLine(text), room)+tail+"\x1b[K")
	l.drawn = true
}

// clear removes the line, so that another text can take its place.
func (l *live) clear() {
	if l.drawn {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.drawn = false
	}
}

// during draws the text until work is done. If interrupted is closed first, it returns false at once.
func (l *live) during(text string, interrupted <-chan struct{}, work func()) bool {
	defer l.clear()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	redraw := time.NewTicker(100 * time.Millisecond)
	defer redraw.Stop()
	for {
		select {
		case <-done:
			return true
		case <-interrupted:
			return false
		case <-redraw.C:
			l.draw(text)
		}
	}
}
