package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/examples"
)

const (
	confirmDeletion  = "confirmation.gardener.cloud/deletion"
	defaultNamespace = "garden-local"
)

// shootStatus is the summary of a shoot.
type shootStatus struct {
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Kubernetes string `json:"kubernetes"`
	// Operation describes the last operation, like "Create Processing (42%)".
	Operation string `json:"operation"`
	// Ready is true if the last operation succeeded for the current generation, all conditions are True, and the shoot is
	// awake.
	Ready bool `json:"ready"`
	// Asleep is true if the shoot is hibernated and nothing wakes it up.
	Asleep bool `json:"asleep,omitempty"`
	// NotTrue names the conditions that are not True.
	NotTrue []string `json:"notTrue,omitempty"`
	// Doing describes the current work, Errors the last errors.
	Doing  string   `json:"doing,omitempty"`
	Errors []string `json:"errors,omitempty"`
}

func statusOf(shoot *gardencorev1beta1.Shoot) shootStatus {
	s := shootStatus{Namespace: shoot.Namespace, Name: shoot.Name, Kubernetes: shoot.Spec.Kubernetes.Version, Operation: "<pending>"}
	for _, condition := range shoot.Status.Conditions {
		if condition.Status != gardencorev1beta1.ConditionTrue {
			s.NotTrue = append(s.NotTrue, string(condition.Type))
		}
	}
	for _, e := range shoot.Status.LastErrors {
		s.Errors = append(s.Errors, e.Description)
	}
	if last := shoot.Status.LastOperation; last != nil {
		s.Operation = fmt.Sprintf("%s %s (%d%%)", last.Type, last.State, last.Progress)
		s.Doing = last.Description
		s.Asleep = asleep(shoot)
		s.Ready = !s.Asleep && last.State == gardencorev1beta1.LastOperationStateSucceeded && shoot.Status.ObservedGeneration == shoot.Generation &&
			len(shoot.Status.Conditions) > 0 && len(s.NotTrue) == 0
	}
	return s
}

func newShoot(global *globalFlags) *cobra.Command {
	var namespace string
	cmd := asGroup(&cobra.Command{Use: "shoot", GroupID: "use", Short: "Wait for shoots, list and delete them"})
	cmd.PersistentFlags().StringVarP(&namespace, "namespace", "n", defaultNamespace, "namespace of the project")
	cmd.AddCommand(newShootList(global), newShootWait(global, &namespace), newShootDelete(global, &namespace), &cobra.Command{
		Use: "example", Short: "Print an example shoot to apply", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(examples.Shoot)
			return err
		},
	})
	return cmd
}

func newShootList(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List the shoots of all projects", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			s, err := collectStatus(cmd.Context(), l)
			if err != nil {
				return err
			}
			return printAs(cmd.OutOrStdout(), output, s.Shoots, func() [][]string {
				rows := [][]string{{"NAMESPACE", "NAME", "KUBERNETES", "OPERATION", "READY"}}
				for _, shoot := range s.Shoots {
					rows = append(rows, []string{shoot.Namespace, shoot.Name, shoot.Kubernetes, shoot.Operation, readyText(shoot)})
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func readyText(s shootStatus) string {
	if s.Asleep {
		return "asleep"
	}
	return fmt.Sprint(s.Ready)
}

func newShootWait(global *globalFlags, namespace *string) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "wait NAME", Short: "Wait until a shoot is usable", Args: cobra.ExactArgs(1), ValidArgsFunction: completeShoots(global, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return followShoot(cmd, global, types.NamespacedName{Namespace: *namespace, Name: args[0]}, timeout, false)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Minute, "how long to wait until the shoot is usable")
	return cmd
}

func newShootDelete(global *globalFlags, namespace *string) *cobra.Command {
	var (
		timeout time.Duration
		yes     bool
	)
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Confirm and delete a shoot and wait until it is gone", Args: cobra.ExactArgs(1), ValidArgsFunction: completeShoots(global, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes {
				return usageError(fmt.Errorf("deleting shoot %s/%s destroys everything in it", *namespace, args[0]), "confirm with --yes")
			}
			key := types.NamespacedName{Namespace: *namespace, Name: args[0]}
			if err := deleteShoot(cmd.Context(), global, key); err != nil {
				return err
			}
			return followShoot(cmd, global, key, timeout, true)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Minute, "how long to wait until it is gone")
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}

func deleteShoot(ctx context.Context, global *globalFlags, key types.NamespacedName) error {
	l, err := global.load(nil)
	if err != nil {
		return err
	}
	garden, err := l.garden(ctx)
	if err != nil {
		return err
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, confirmDeletion)
	err = garden.Patch(ctx, shoot, client.RawPatch(types.MergePatchType, patch))
	if err == nil {
		err = garden.Delete(ctx, shoot)
	}
	if apierrors.IsNotFound(err) {
		return shootNotFound(key.Namespace, key.Name)
	}
	if err != nil {
		return fmt.Errorf("delete shoot %s: %w", key, err)
	}
	return nil
}

// followShoot prints the progress of a shoot until it is ready or gone.
func followShoot(cmd *cobra.Command, global *globalFlags, key types.NamespacedName, timeout time.Duration, untilGone bool) error {
	l, err := global.load(nil)
	if err != nil {
		return err
	}
	garden, err := l.garden(cmd.Context())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
	defer cancel()
	show := &shootProgress{w: cmd.ErrOrStderr(), live: newLive(cmd.ErrOrStderr())}
	defer show.live.clear()
	begin := time.Now()
	api := &shootAPI{landscape: l, key: key}
	var last shootStatus
	for {
		shoot := &gardencorev1beta1.Shoot{}
		switch err := garden.Get(ctx, key, shoot); {
		case apierrors.IsNotFound(err) && untilGone:
			show.live.clear()
			fmt.Fprintf(cmd.OutOrStdout(), "shoot %s is gone after %.1f s\n", key, time.Since(begin).Seconds())
			return nil
		case apierrors.IsNotFound(err):
			return shootNotFound(key.Namespace, key.Name)
		case err == nil:
			last = statusOf(shoot)
		case ctx.Err() == nil:
			return fmt.Errorf("read shoot %s: %w", key, err)
		}
		if !untilGone && last.Asleep {
			return sleeps(key.Namespace, key.Name)
		}
		if !untilGone && last.Ready {
			if err := api.answers(ctx); err != nil {
				last.Ready, last.Doing = false, fmt.Sprintf("Waiting until its API server answers: %v", err)
			}
		}
		if !untilGone && last.Ready {
			show.live.clear()
			fmt.Fprintf(cmd.OutOrStdout(), "shoot %s is ready after %.1f s\n", key, time.Since(begin).Seconds())
			return nil
		}
		show.show(last)
		select {
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return ctx.Err()
			}
			return &exitError{code: codeTimeout, err: fmt.Errorf("shoot %s after %s: %s: %s %v", key, timeout, last.Operation, last.Doing, last.Errors),
				hint: fmt.Sprintf("gardener kubectl describe shoot %s -n %s", key.Name, key.Namespace)}
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// shootProgress shows the progress of a shoot: live on a terminal, otherwise one plain line per change. Errors are
// always printed.
type shootProgress struct {
	w       io.Writer
	live    *live
	printed string
}

func (p *shootProgress) show(s shootStatus) {
	line, text := s.Operation+"  "+s.Doing, ""
	if p.live.width == nil {
		text = "  " + line + "\n"
	}
	for _, e := range s.Errors {
		text += "    " + e + "\n"
	}
	if text != p.printed {
		p.live.clear()
		fmt.Fprint(p.w, text)
		p.printed = text
	}
	p.live.draw(line)
}

func shootNotFound(namespace, name string) error {
	return &exitError{code: codeNotFound, err: fmt.Errorf("shoot %s/%s does not exist", namespace, name), hint: `see "gardener shoot list"`}
}

// completeShoots completes names of shoots, as NAMESPACE/NAME if qualified.
func completeShoots(global *globalFlags, qualified bool) cobra.CompletionFunc {
	return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		s, err := collectStatus(ctx, l)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, shoot := range s.Shoots {
			name := shoot.Name
			if qualified {
				name = shoot.Namespace + "/" + name
			}
			names = append(names, name)
		}
		return names, nil
	})
}
