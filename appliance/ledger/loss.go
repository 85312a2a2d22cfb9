package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// LossError says what a state directory has lost, what that means, and how to get it back.
type LossError struct{ Text, Cure string }

func (e *LossError) Error() string { return e.Text }

// FaultID is that of package fault.
func (e *LossError) FaultID() fault.ID { return fault.Lost }

// startAnew is what is left where there is no backup.
const startAnew = `Without one, "gardener down --purge" removes the landscape, and "gardener up" makes a new one`

// loss is one thing that is lost.
type loss struct {
	what, without string
	copied        string // command that puts a copy back, if there is one
}

// lost is nil without losses.
func lost(losses []loss) error {
	if len(losses) == 0 {
		return nil
	}
	var texts, commands []string
	for _, l := range losses {
		texts = append(texts, fmt.Sprintf("%s: without it, %s", l.what, l.without))
		if l.copied != "" {
			commands = append(commands, l.copied)
		}
	}
	cure := "nothing was changed. Put back what is named from a backup of this landscape's state directory. " + startAnew
	if len(commands) > 0 {
		cure += ". There are copies in this directory; these commands put them back:\n" + strings.Join(commands, "\n")
	}
	return &LossError{Text: strings.Join(texts, "; "), Cure: cure}
}

// putBack is the shell command that replaces a file by a copy.
func putBack(copied, file string) string {
	return "cp -p " + paths.Quoted(copied) + " " + paths.Quoted(file)
}

// Lost returns the loss in an error.
func Lost(err error) (*LossError, bool) {
	loss, ok := errors.AsType[*LossError](err)
	return loss, ok
}

// LostSeed says that the state of an own seed is gone, or is that of another one.
func LostSeed(name string, p paths.Paths, cause error) *LossError {
	text := fmt.Sprintf("%s does not hold the cluster of seed %q", p.Root(), name)
	if cause != nil && !errors.Is(cause, fs.ErrNotExist) {
		text += ": " + cause.Error()
	}
	return &LossError{
		Text: text,
		Cure: "put the directory back from a backup. Without one, the seed and its shoots are lost, and the rest of the landscape goes on",
	}
}

// LostContainer says that the container with the data of a seed on kind is gone.
func LostContainer(seed string, cause error) *LossError {
	return &LossError{
		Text: fmt.Sprintf("seed %q: %v", seed, cause),
		Cure: fmt.Sprintf("nothing was changed. To go on with an empty cluster, run \"gardener down\" and \"gardener up --replace-seed %s\": its shoots are lost then", seed),
	}
}
