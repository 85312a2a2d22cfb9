// Package doctor checks whether this machine can run nodes as containers, and suggests fixes. It changes nothing; the
// one container it starts is removed before it returns.
package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/gardener-up/gardener-up/local/containers"
)

// State is the result of a check.
type State string

// States, the best one first.
const (
	OK      State = "ok"
	Warning State = "warning" // nodes run, but with restrictions
	Problem State = "problem" // nodes do not run
)

// Finding is the result of one check.
type Finding struct {
	// Check is the name of the check.
	Check string `json:"check"`
	State State  `json:"state"`
	// Message describes what was found, Cure suggests a fix.
	Message string `json:"message"`
	Cure    string `json:"cure,omitempty"`
	// ID is that by which the documents explain a problem. Whoever shows findings sets it.
	ID string `json:"id,omitempty"`
}

// Error returns an error with all problems; nil if there is none.
func Error(findings []Finding) error {
	var lines []string
	for _, f := range findings {
		if f.State == Problem {
			lines = append(lines, f.Check+": "+f.Message+"; "+f.Cure)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("this machine cannot run nodes as containers:\n%s", strings.Join(lines, "\n"))
}

// Examine runs all checks. engine is nil if no container engine responds; detectErr is the reason.
func Examine(ctx context.Context, engine *containers.Engine, detectErr error, nodeImage string) []Finding {
	if engine == nil {
		return []Finding{{Check: "container engine", State: Problem, Message: detectErr.Error(),
			Cure: `with none of them at hand, use the embedded provider: "gardener up" without --provider`}}
	}
	findings := []Finding{checkVersion(engine.Endpoint(), engine.Version())}
	if engine.Name() == containers.Nerdctl {
		findings = append(findings, checkContainerd(engine.Containerd()))
	}
	findings = append(findings, checkCgroups(ctx, engine), checkDisk(ctx, engine))
	findings = append(findings, checkInotify(readNumber)...)
	image := checkImage(ctx, engine, nodeImage)
	findings = append(findings, image)
	if image.State == OK {
		findings = append(findings, checkPrivileged(ctx, engine, nodeImage))
	}
	return findings
}
