package app

import (
	"os"
	"regexp"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Hints name commands, and a command without the flags that chose the landscape would act on another one. So everything that is printed for
// readers, and every hint, passes named, which adds these flags. Texts write a command as users type it for the usual landscape, in one of two forms:
// in double quotes, or after a colon, up to the end of the line, a semicolon or a parenthesis.

// landscapeVerbs are the verbs that act on one landscape.
var landscapeVerbs = []string{
	"up", "run", "pause", "resume", "down", "stop", "start", "service", "status", "garden", "seed", "config view", "logs", "events", "kubeconfig", "gardenctl-config",
	"credential", "shoot", "kubectl", "backup create", "backup restore", "metrics", "part", "etcd", "image load", "image list", "image remove", "doctor", "support-bundle",
}

// otherVerbs are those whose commands do the same with each landscape, or list all.
var otherVerbs = []string{
	"landscape", "bootstrap", "config template", "backup key", "backup list", "backup verify", "component", "image save", "bundle", "convert", "version", "exit-codes", "man", "daemon", removeVerb, "completion", "help",
}

var (
	quotedCommand   = regexp.MustCompile(`"gardener (?:` + strings.Join(landscapeVerbs, "|") + `)(?: [^"\n]*)?"`)
	trailingCommand = regexp.MustCompile(`: gardener (?:` + strings.Join(landscapeVerbs, "|") + `)(?: [^";()\n]*)?(?:[;()\n]|$)`)
)

// named is a text whose commands act on the landscape that the flags have chosen. A command that has such flags already stays as it is.
func named(text, flags string) string {
	if flags == "" {
		return text
	}
	text = quotedCommand.ReplaceAllStringFunc(text, func(found string) string {
		return `"` + inLandscape(found[1:len(found)-1], flags) + `"`
	})
	return trailingCommand.ReplaceAllStringFunc(text, func(found string) string {
		command := strings.TrimRight(strings.TrimPrefix(found, ": "), " ;()\n")
		end := found[len(": ")+len(command):]
		return ": " + inLandscape(command, flags) + end
	})
}

func inLandscape(command, flags string) string {
	for _, word := range strings.Fields(command) {
		switch name, _, _ := strings.Cut(word, "="); name {
		case "--landscape", "--landscape-config", "--state-dir", "--help":
			return command
		}
	}
	if after, is := strings.CutPrefix(command, "gardener kubectl"); is { // all flags after it are kubectl's
		return "gardener" + flags + " kubectl" + after
	}
	return command + flags
}

// chosen are the flags that chose the landscape, each after a space, in words of a shell. Flags that say the same as a variable, or as
// no flag at all, are left out.
func (g *globalFlags) chosen() string {
	values := map[string]string{"landscape-config": g.file, "landscape": g.name, "state-dir": g.stateDir}
	usual := map[string]string{"landscape-config": os.Getenv("GARDENER_CONFIG"), "landscape": os.Getenv("GARDENER_LANDSCAPE"), "state-dir": os.Getenv("GARDENER_STATE_DIR")}
	for name := range values {
		if g.flags != nil && !g.flags.Changed(name) { // a variable or a verb has set it
			values[name] = usual[name]
		}
	}
	if usual["landscape"] == "" && values["landscape-config"] == "" && values["state-dir"] == "" {
		usual["landscape"] = config.DefaultName
	}
	given := ""
	for _, name := range []string{"landscape-config", "landscape", "state-dir"} {
		if value := values[name]; value != "" && value != usual[name] {
			given += " --" + name + " " + paths.Word(value)
		}
	}
	return given
}

// only chooses a landscape by flags that a command needs if nothing else is known of it.
func only(name, stateDir string, shown *display) *globalFlags {
	if usual, err := paths.DefaultRoot(name); err == nil && usual == stateDir && os.Getenv("GARDENER_STATE_DIR") == "" {
		stateDir = ""
	}
	g := &globalFlags{name: name, stateDir: stateDir}
	of := *shown
	of.chosen, g.display = g.chosen, &of
	return g
}

// elsewhere is an error of a landscape that the flags have not chosen.
type elsewhere struct {
	error
	flags string
}

func (e *elsewhere) Unwrap() error { return e.error }
