package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// rehearsal are the flags of verbs that can be tried. With --dry-run the API server checks everything and stores nothing. The verb then
// says what would change, asks nothing and waits for nothing.
type rehearsal struct {
	dryRun        bool
	output        string
	display       *display
	before, after client.Object // as the verb has noted them
	// idle is said if no field differs. It is empty for verbs that do something nevertheless.
	idle string
}

func (r *rehearsal) addTo(cmd *cobra.Command, global *globalFlags) {
	r.display = global.display
	cmd.Flags().BoolVar(&r.dryRun, "dry-run", false, "let the API server check it, say what would change, and change nothing")
	addOutputs(cmd, &r.output, "text", "yaml", "json")
	cmd.Flag("output").Usage = "of --dry-run: one of text, yaml, json; the last two print the object"
	cmd.PreRunE = onlyRehearsed(&r.dryRun)
}

// onlyRehearsed refuses -o where only --dry-run prints an object.
func onlyRehearsed(dryRun *bool) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if cmd.Flag("output").Changed && !*dryRun {
			return usageError(fmt.Errorf("-o is only for --dry-run"), "leave it out, or add --dry-run")
		}
		return nil
	}
}

// patch are the options of patches.
func (r *rehearsal) patch() []client.PatchOption {
	if r.dryRun {
		return []client.PatchOption{client.DryRunAll}
	}
	return nil
}

// patchPart are the options of patches of subresources.
func (r *rehearsal) patchPart() []client.SubResourcePatchOption {
	if r.dryRun {
		return []client.SubResourcePatchOption{client.DryRunAll}
	}
	return nil
}

// remove are the options of deletions.
func (r *rehearsal) remove() []client.DeleteOption {
	if r.dryRun {
		return []client.DeleteOption{client.DryRunAll}
	}
	return nil
}

// note remembers the object before the change, and as the API server has answered it.
func (r *rehearsal) note(before, after client.Object) { r.before, r.after = before, after }

// tell says what would happen to the object: would is like "would be hibernated".
func (r *rehearsal) tell(cmd *cobra.Command, scheme *runtime.Scheme, object, would string) error {
	if r.output != "text" {
		kind, err := apiutil.GVKForObject(r.after, scheme)
		if err != nil {
			return err
		}
		r.after.GetObjectKind().SetGroupVersionKind(kind)
		r.after.SetManagedFields(nil)
		return printAs(cmd.OutOrStdout(), r.output, r.after, nil)
	}
	changes, err := changesOf(r.before, r.after)
	if err != nil {
		return err
	}
	if len(changes) == 0 && r.idle != "" {
		would = r.idle
	}
	text := fmt.Sprintf("%s %s (dry run)\n", object, would)
	for _, change := range changes {
		text += "  " + change + "\n"
	}
	r.display.tell(cmd.OutOrStdout(), event{Object: object, State: would + " (dry run)", Message: strings.Join(changes, "; ")}, text)
	return nil
}

// changesOf lists the fields that differ, as "spec.hibernation.enabled: false → true". Fields that API servers count by themselves, and the
// status, are left out.
func changesOf(before, after client.Object) ([]string, error) {
	was, err := fieldsOf(before)
	if err != nil {
		return nil, err
	}
	is, err := fieldsOf(after)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	var changes []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was[path] != is[path] {
			changes = append(changes, oneLine(fmt.Sprintf("%s: %s → %s", path, shownValue(was[path]), shownValue(is[path]))))
		}
	}
	return changes, nil
}

// fieldsOf has the values of all fields, in JSON, by their paths.
func fieldsOf(object client.Object) (map[string]string, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	delete(fields, "status")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		for _, own := range []string{"managedFields", "resourceVersion", "generation"} {
			delete(metadata, own)
		}
	}
	found := map[string]string{}
	flatten("", fields, found)
	return found, nil
}

func flatten(path string, value any, into map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if strings.Contains(key, ".") {
				key = `"` + key + `"`
			}
			flatten(strings.TrimPrefix(path+"."+key, "."), inner, into)
		}
	case []any:
		for i, inner := range value {
			flatten(fmt.Sprintf("%s[%d]", path, i), inner, into)
		}
	case nil: // as if it were not there
	default:
		if value == "" { // so is this, which some types of fields write and others leave out
			return
		}
		if text, err := json.Marshal(value); err == nil { // always
			into[path] = string(text)
		}
	}
}

// longestValue is how much of a value is shown.
const longestValue = 200

func shownValue(value string) string {
	if value == "" {
		return "none"
	}
	return shorten(value, longestValue)
}
