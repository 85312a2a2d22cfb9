package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// eventListing chooses events of the garden.
type eventListing struct {
	shown  *display
	output string
	shoot  string
	watch  bool
}

func newEvents(global *globalFlags) *cobra.Command {
	listing := &eventListing{shown: global.display}
	cmd := &cobra.Command{
		Use: "events", GroupID: "use", Short: "List what happened in the garden, the newest last", Args: needsNone,
		Long: `List what happened in the garden, the newest last. With -o json or -o yaml the events are one list; with --watch as well, each event is an object of
its own: JSON objects one after the other, or YAML documents that begin with ---.`,
		Example: `  gardener events
  gardener events -n garden-dev --watch
  gardener events --shoot garden-dev/sun -o yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error { return listing.run(cmd, global) },
	}
	addNamespace(cmd, global)
	cmd.Flag(namespaceFlag).Usage = "only of this namespace; by default those of all namespaces are listed"
	cmd.Flags().StringVar(&listing.shoot, "shoot", "", "only of this shoot: NAMESPACE/NAME, or NAME with -n NAMESPACE")
	cmd.Flags().BoolVarP(&listing.watch, "watch", "w", false, "go on and print new events")
	addOutput(cmd, &listing.output, "wide")
	_ = cmd.RegisterFlagCompletionFunc("shoot", completeShoots(global))
	return cmd
}

func (e *eventListing) run(cmd *cobra.Command, global *globalFlags) error {
	namespace, err := onlyNamespace(cmd)
	if err != nil {
		return err
	}
	var shoot *types.NamespacedName
	if e.shoot != "" {
		key, err := shootKey(cmd, e.shoot)
		if err != nil {
			return err
		}
		namespace, shoot = key.Namespace, &key
	}
	l, garden, err := reachGarden(cmd, global)
	if err != nil {
		return err
	}
	list, err := e.print(cmd, garden, namespace, shoot)
	if err != nil || !e.watch {
		return err
	}
	return e.follow(cmd, l.garden, namespace, shoot, list)
}

// print lists events of a namespace, or of one shoot, and returns those of the namespace. A shoot that is gone has events for a while.
func (e *eventListing) print(cmd *cobra.Command, garden client.Reader, namespace string, shoot *types.NamespacedName) (*corev1.EventList, error) {
	list := &corev1.EventList{}
	if err := garden.List(cmd.Context(), list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	events := slices.DeleteFunc(slices.Clone(list.Items), func(event corev1.Event) bool { return !isOf(event, shoot) })
	if shoot != nil && len(events) == 0 {
		if _, err := readShoot(cmd.Context(), garden, *shoot); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return when(a).Compare(when(b)) })
	if e.watch && e.output != "table" && e.output != "wide" { // one document for each event, as for those that follow
		for i := range events {
			if err := e.one(cmd, &events[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	if len(events) == 0 && !e.watch && (e.output == "table" || e.output == "wide") {
		e.shown.none(cmd.ErrOrStderr(), "event", "no events"+inNamespace(namespace))
		return list, nil
	}
	return list, e.shown.printAs(cmd.OutOrStdout(), e.output, events, func() [][]string { return allEventRows(events, true) })
}

// inNamespace names the namespace of a list; nothing if it is of all namespaces.
func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// isOf tells whether the event is about the shoot, or whether all are wanted.
func isOf(event corev1.Event, shoot *types.NamespacedName) bool {
	of := event.InvolvedObject
	return shoot == nil || of.Kind == "Shoot" && of.Namespace == shoot.Namespace && of.Name == shoot.Name
}

// follow prints new events until it is interrupted.
func (e *eventListing) follow(cmd *cobra.Command, reach reachFunc, namespace string, shoot *types.NamespacedName, list *corev1.EventList) error {
	after := changes{what: "events", reach: reach, namespace: namespace, empty: func() client.ObjectList { return &corev1.EventList{} }}
	after.each = func(kind watch.EventType, object client.Object) error {
		event := object.(*corev1.Event)
		if !isOf(*event, shoot) || kind == watch.Deleted {
			return nil
		}
		return e.one(cmd, event)
	}
	return after.follow(cmd.Context(), list)
}

// one prints one event.
func (e *eventListing) one(cmd *cobra.Command, event *corev1.Event) error {
	if e.output == "yaml" {
		fmt.Fprintln(cmd.OutOrStdout(), "---")
	}
	return e.shown.printAs(cmd.OutOrStdout(), e.output, event, func() [][]string { return allEventRows([]corev1.Event{*event}, false) })
}

func allEventRows(events []corev1.Event, header bool) [][]string {
	var rows [][]string
	if header {
		rows = [][]string{{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"}}
	}
	for _, event := range events {
		of := event.InvolvedObject
		object := strings.TrimPrefix(of.Namespace+"/", "/") + of.Name
		rows = append(rows, []string{ago(when(event)), event.Type, event.Reason, of.Kind + " " + object, strings.TrimSpace(event.Message)})
	}
	return rows
}
