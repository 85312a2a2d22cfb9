package app

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says what a flag takes, where pflag only says that it does not take what it got.
func flagError(cmd *cobra.Command, err error) error {
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	if isUnknown && (unknown.GetSpecifiedName() == "config" || unknown.GetSpecifiedName() == "f") {
		return usageError(fmt.Errorf("%q reads no configuration file to start by", cmd.CommandPath()), fmt.Sprintf(
			"-f and --config are for %s. Elsewhere --landscape, --state-dir or --landscape-config says which landscape is meant", strings.Join(startVerbs(cmd.Root()), ", ")))
	}
	if isUnknown && unknown.GetSpecifiedShortnames() != "" {
		return usageError(fmt.Errorf("unknown flag: -%s", unknown.GetSpecifiedName()), hintOfFlag(cmd, err))
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usageError(err, hintOfFlag(cmd, err))
	}
	flag := invalid.GetFlag()
	if choice, ok := flag.Value.(*choiceFlag); ok {
		name := "--" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand
		}
		return usageError(errors.Unwrap(invalid), name+" accepts one of "+strings.Join(choice.known, ", "))
	}
	hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
	switch flag.Value.Type() {
	case "duration":
		hint = fmt.Sprintf("--%s takes a number with a unit, such as 30s, 10m or 2h", flag.Name)
	case "int", "int32", "int64":
		hint = fmt.Sprintf("--%s takes a whole number", flag.Name)
	case "bool":
		hint = fmt.Sprintf("--%s takes true or false, or nothing", flag.Name)
	}
	return usageError(fmt.Errorf("--%s cannot be %q", flag.Name, invalid.GetValue()), hint)
}

// startVerbs are the commands that read a configuration to start by, in quotes.
func startVerbs(cmd *cobra.Command) []string {
	var verbs []string
	for _, sub := range cmd.Commands() {
		if flag := sub.Flags().Lookup("config"); flag != nil && !sub.Hidden {
			if _, is := flag.Value.(sameFlag); is {
				verbs = append(verbs, fmt.Sprintf("%q", sub.CommandPath()))
			}
		}
		verbs = append(verbs, startVerbs(sub)...)
	}
	return verbs
}

// hintOfFlag names the flag that was probably meant.
func hintOfFlag(cmd *cobra.Command, err error) string {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				names = append(names, flag.Name)
			}
		})
		if meant := closest(unknown.GetSpecifiedName(), names); meant != "" {
			return fmt.Sprintf("did you mean %q?", "--"+meant)
		}
	}
	return fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
}

// flagGroup recognises what cobra says about flags that exclude or need each other: the rule, and the flags that break it.
var flagGroup = regexp.MustCompile(`^(if any|at least one of the) flags in the group \[(.*?)\] (?:are set (?:none of the others can be; \[(.*)\] were all set|they must all be set; missing \[(.*)\])|is required)$`)

// ofFlagGroup says such a mistake plainly; nil for other errors.
func ofFlagGroup(err error) *exitError {
	found := flagGroup.FindStringSubmatch(err.Error())
	if found == nil {
		return nil
	}
	group, excluded, missing := found[2], found[3], found[4]
	switch {
	case excluded != "":
		return &exitError{code: codeUsage, err: fmt.Errorf("%s exclude each other", flagNames(excluded, "and")), hint: "use one of them, and leave out the others"}
	case missing != "":
		return &exitError{code: codeUsage, err: fmt.Errorf("%s belong together, but %s is missing", flagNames(group, "and"), flagNames(missing, "and")), hint: "use all of them, or none"}
	}
	return &exitError{code: codeUsage, err: fmt.Errorf("%s is missing", flagNames(group, "or")), hint: "use one of them"}
}

// flagNames joins names of flags as in "--a, --b and --c".
func flagNames(names, word string) string {
	flags := strings.Fields(names)
	for i := range flags {
		flags[i] = "--" + flags[i]
	}
	last := len(flags) - 1
	if last == 0 {
		return flags[0]
	}
	return strings.Join(flags[:last], ", ") + " " + word + " " + flags[last]
}
