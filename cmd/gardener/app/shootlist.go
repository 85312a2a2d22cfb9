package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// shootListing is how "gardener shoot list" prints.
type shootListing struct {
	output string
	watch  bool
	w      io.Writer
	shown  *display
	lines  *columns
}

func newShootList(global *globalFlags) *cobra.Command {
	listing := &shootListing{}
	var all bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the shoots of all projects, or of one of them", Args: needsNone,
		Example: `  gardener shoot list
  gardener shoot list -n garden-local -o wide
  gardener shoot list --watch`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			listing.w, listing.shown = out, global.display
			listing.lines = newColumns(out, global.display, listing.output)
			namespace, err := onlyNamespace(cmd)
			switch {
			case err != nil:
				return err
			case namespace != "" && all:
				return usageError(fmt.Errorf("--all-namespaces and --namespace exclude each other"), "leave out one of them")
			}
			l, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			shoots, err := listing.list(cmd, garden, namespace)
			if err != nil || !listing.watch {
				return err
			}
			return listing.follow(cmd.Context(), l.garden, namespace, shoots)
		},
	}
	addOutput(cmd, &listing.output, "wide", "name")
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "of all projects, which is the default without --namespace")
	cmd.Flags().BoolVarP(&listing.watch, "watch", "w", false, "go on and print each change")
	return cmd
}

// list prints the shoots and returns them.
func (s *shootListing) list(cmd *cobra.Command, garden client.Reader, namespace string) (*gardencorev1beta1.ShootList, error) {
	shoots := &gardencorev1beta1.ShootList{}
	if err := garden.List(cmd.Context(), shoots, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list shoots: %w", err)
	}
	found := []shootStatus{}
	for i := range shoots.Items {
		found = append(found, statusOf(&shoots.Items[i]))
	}
	if s.watch {
		if s.header() != nil {
			return shoots, s.lines.print(append([][]string{s.header()}, s.columns(found...)...)...)
		}
		for _, shoot := range found {
			if err := s.change(shoot); err != nil {
				return nil, err
			}
		}
		return shoots, nil
	}
	if len(found) == 0 && s.header() != nil {
		s.shown.none(cmd.ErrOrStderr(), "shoot", noShoots(namespace))
		return shoots, nil
	}
	return shoots, printIn(s.w, s.shown, s.output, found, func() [][]string {
		if s.header() == nil {
			return s.columns(found...)
		}
		return append([][]string{s.header()}, s.columns(found...)...)
	})
}

func noShoots(namespace string) string {
	if namespace == "" {
		return `no shoots; create one with "gardener shoot create NAME"`
	}
	return fmt.Sprintf("no shoots in namespace %s; create one with \"gardener shoot create NAME -n %s\"", namespace, namespace)
}

// header is the first line of a table; nil if the output is no table.
func (s *shootListing) header() []string {
	names := []string{"NAMESPACE", "NAME", "KUBERNETES", "OPERATION", "READY"}
	switch s.output {
	case "table":
		return names
	case "wide":
		return append(names, "SEED", "PURPOSE", "AGE", "MESSAGE")
	}
	return nil
}

// columns are the lines of the table, or the names.
func (s *shootListing) columns(shoots ...shootStatus) [][]string {
	var lines [][]string
	for _, shoot := range shoots {
		line := []string{shoot.Namespace, shoot.Name, shoot.Kubernetes, tinted(tintOfOperation(shoot), shoot.Operation), tinted(tintOfShoot(shoot), readyText(shoot))}
		switch s.output {
		case "name":
			line = []string{shoot.Namespace + "/" + shoot.Name}
		case "wide":
			line = append(line, shoot.Seed, shoot.Purpose, duration.HumanDuration(time.Since(shoot.Created.Time)), messageOfShoot(shoot))
		}
		lines = append(lines, line)
	}
	return lines
}

// messageOfShoot says in one line why a shoot is not ready.
func messageOfShoot(s shootStatus) string {
	switch {
	case s.Ready || s.Asleep:
		return ""
	case len(s.Errors) > 0:
		return s.Errors[0]
	case len(s.NotTrue) > 0:
		return conditionsText(s)
	}
	return s.Doing
}

// follow prints each change of what is printed of a shoot, until it is interrupted.
func (s *shootListing) follow(ctx context.Context, reach reachFunc, namespace string, shoots *gardencorev1beta1.ShootList) error {
	printed := map[types.UID]string{}
	after := changes{what: "shoots", reach: reach, namespace: namespace, empty: func() client.ObjectList { return &gardencorev1beta1.ShootList{} }}
	after.each = func(kind watch.EventType, object client.Object) error {
		status := statusOf(object.(*gardencorev1beta1.Shoot))
		if kind == watch.Deleted {
			status.Operation, status.Ready = "gone", false
		}
		line := fmt.Sprint(s.columns(status))
		if line == printed[object.GetUID()] && (s.header() != nil || s.output == "name") {
			return nil
		}
		printed[object.GetUID()] = line
		return s.change(status)
	}
	return after.follow(ctx, shoots)
}

// change prints one shoot.
func (s *shootListing) change(shoot shootStatus) error {
	if s.header() != nil || s.output == "name" {
		return s.lines.print(s.columns(shoot)...)
	}
	if s.output == "yaml" {
		fmt.Fprintln(s.w, "---")
	}
	return printAs(s.w, s.output, shoot, nil)
}
