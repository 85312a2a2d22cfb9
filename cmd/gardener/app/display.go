package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Values of --progress.
const (
	progressAuto  = "auto"  // redraw the last line on a terminal, plain elsewhere
	progressPlain = "plain" // one line per change, without what moves: for logs and screen readers
	progressJSON  = "json"  // one object per line
	progressNone  = "none"  // nothing but errors
)

// Values of --color.
const colorAuto, colorAlways, colorNever = "auto", "always", "never"

var (
	progresses = []string{progressAuto, progressPlain, progressJSON, progressNone}
	colors     = []string{colorAuto, colorAlways, colorNever}
)

// display is how commands show what they do, as flags say.
type display struct {
	progress, color string
	quiet           bool
	output          string // of the verb, for its error
	server          bool   // the verb runs a server
	// args are those of this process, with which it can run once more; nil if it runs something else, as in tests.
	args []string
	// chosen returns the flags that chose the landscape; nil for none.
	chosen func() string
}

func newDisplay() *display { return &display{progress: progressAuto, color: colorAuto} }

func (d *display) add(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&d.progress, "progress", progressAuto, "how progress is shown: one of "+strings.Join(progresses, ", "))
	f.StringVar(&d.color, "color", colorAuto, "one of "+strings.Join(colors, ", ")+"; auto colours terminals, unless $NO_COLOR is set")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "print no progress and no success, as --progress=none")
	_ = cmd.RegisterFlagCompletionFunc("progress", cobra.FixedCompletions(progresses, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colors, cobra.ShellCompDirectiveNoFileComp))
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { return d.check() }
}

func (d *display) check() error {
	if !slices.Contains(progresses, d.progress) {
		return usageError(fmt.Errorf("unknown progress %q", d.progress), "--progress accepts one of "+strings.Join(progresses, ", "))
	}
	if !slices.Contains(colors, d.color) {
		return usageError(fmt.Errorf("unknown color %q", d.color), "--color accepts one of "+strings.Join(colors, ", "))
	}
	if d.quiet {
		d.progress = progressNone
	}
	return nil
}

// event is what --progress=json prints in the place of a line.
type event struct {
	Time time.Time `json:"time"`
	// Object is a landscape, a step of its start, a seed or a shoot.
	Object string `json:"object"`
	// State is how the object is, such as ready, gone or stopped.
	State string `json:"state"`
	// Seconds is how long it took so far.
	Seconds float64  `json:"seconds,omitempty"`
	Message string   `json:"message,omitempty"`
	Errors  []string `json:"errors,omitempty"`
}

// tell prints a text, or the event in its place, or nothing. Verbs print their progress and their success by it: what they write elsewhere
// are data. Texts of others in the text are in one line, see oneLine.
func (d *display) tell(w io.Writer, e event, text string) {
	switch d.progress {
	case progressNone:
	case progressJSON:
		e.Time, e.Message = time.Now().UTC().Truncate(time.Millisecond), d.named(e.Message)
		line, err := json.Marshal(e)
		if err == nil { // always
			_, _ = w.Write(append(line, '\n'))
		}
	default:
		_, _ = io.WriteString(w, d.readable(w, d.named(text)))
	}
}

// none says that a list for readers is empty, where a table would have no line but its header.
func (d *display) none(w io.Writer, object, text string) {
	d.tell(w, event{Object: object, State: "none", Message: text}, text+"\n")
}

// tellStarted says that a command does not wait for what it has started. look is the command that does.
func (d *display) tellStarted(w io.Writer, object, look string) {
	follow := "follow it with: " + look
	d.tell(w, event{Object: object, State: "started", Message: follow}, "started; "+follow+"\n")
}

// warn prints what a command can go on with.
func (d *display) warn(w io.Writer, text string) { d.remark(w, "warning", text) }

// remark prints what somebody has to know, so also to the quiet. kind is like "warning".
func (d *display) remark(w io.Writer, kind, text string) {
	if d.progress == progressJSON {
		d.tell(w, event{Object: "command", State: kind, Message: text}, "")
		return
	}
	_, _ = fmt.Fprintf(w, "%s: %s\n", kind, indented(d.readable(w, d.named(text))))
}

// mention prints what the reader has to know, so also to the quiet, or the event in its place.
func (d *display) mention(w io.Writer, e event, text string) {
	if d.progress == progressJSON {
		d.tell(w, e, "")
		return
	}
	d.remark(w, "note", text)
}

// readable is a text that cannot control a terminal, with our colours if the writer shows them.
func (d *display) readable(w io.Writer, text string) string {
	if text = printable(text); !d.colorful(w) {
		text = codes.ReplaceAllString(text, "")
	}
	return text
}

// named is a text whose commands act on the landscape that the flags have chosen.
func (d *display) named(text string) string { return named(text, d.flags()) }

// flags are those that chose the landscape.
func (d *display) flags() string {
	if d == nil || d.chosen == nil {
		return ""
	}
	return d.chosen()
}

// Colours of terminals, by their numbers.
const red, green, yellow = 31, 32, 33

// paint colours a text, if the writer is a terminal that shows colours.
func (d *display) paint(w io.Writer, color int, text string) string {
	if !d.colorful(w) {
		return text
	}
	return tinted(color, text)
}

func (d *display) colorful(w io.Writer) bool {
	if d == nil {
		return false
	}
	if d.color != colorAuto {
		return d.color == colorAlways
	}
	return os.Getenv("NO_COLOR") == "" && isScreen(w)
}

// isScreen reports whether a terminal understands codes that move and colour.
func isScreen(w io.Writer) bool {
	file, is := w.(*os.File)
	return is && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}
