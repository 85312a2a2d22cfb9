package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
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
	Seed       string `json:"seed,omitempty"`
	Purpose    string `json:"purpose,omitempty"`
	// Created is when the Shoot was created.
	Created metav1.Time `json:"created"`
	// Operation describes the last operation, like "Create Processing (42%)".
	Operation string `json:"operation"`
	// Ready is true if the last operation succeeded for the current generation, all conditions are True, and the shoot is
	// awake.
	Ready bool `json:"ready"`
	// Asleep is true if the shoot is hibernated and nothing wakes it up.
	Asleep bool `json:"asleep,omitempty"`
	// NotTrue names the conditions that are not True.
	NotTrue []string `json:"notTrue,omitempty"`
	// Doing describes the current work, or what the shoot waits for. Errors are the last errors.
	Doing  string   `json:"doing,omitempty"`
	Errors []string `json:"errors,omitempty"`
	// state is that of the last operation.
	state gardencorev1beta1.LastOperationState
	// Use is set by "gardener status", if the seed tells.
	Use *shootUse `json:"use,omitempty"`
}

func statusOf(shoot *gardencorev1beta1.Shoot) shootStatus {
	s := shootStatus{
		Namespace: shoot.Namespace, Name: shoot.Name, Kubernetes: shoot.Spec.Kubernetes.Version, Operation: "Create Pending (0%)",
		Seed: ptr.Deref(shoot.Spec.SeedName, ""), Purpose: string(ptr.Deref(shoot.Spec.Purpose, "")), Created: shoot.CreationTimestamp,
	}
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
		s.Doing, s.state = last.Description, last.State
		s.Asleep = asleep(shoot)
		s.Ready = !s.Asleep && last.State == gardencorev1beta1.LastOperationStateSucceeded && shoot.Status.ObservedGeneration == shoot.Generation &&
			len(shoot.Status.Conditions) > 0 && len(s.NotTrue) == 0
	}
	if missing := waitsFor(shoot, s.NotTrue); missing != "" {
		s.Doing = missing
	}
	return s
}

func newShoot(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "shoot", GroupID: "use", Short: "Create, watch, change and delete shoots",
		Long: `Create, watch, change and delete shoots. Name a shoot NAMESPACE/NAME, or NAME with -n NAMESPACE. Verbs that start something
show its progress until it is done. Interrupting them does not stop what they have started. With --dry-run, verbs that change a shoot
let the garden check the change, say which fields would change, and store nothing.`,
		Example: `  gardener shoot create sun
  gardener shoot list
  gardener shoot hibernate sun
  gardener shoot wake sun
  gardener shoot rotate sun --start
  gardener shoot migrate sun --to two
  gardener shoot backup sun
  gardener shoot delete sun --yes`,
	})
	addNamespace(cmd, global)
	cmd.AddCommand(
		newShootCreate(global), newShootList(global), newShootDescribe(global), newShootWait(global),
		newShootHibernate(global), newShootWake(global),
		newShootReconcile(global), newShootRetry(global), newShootMaintain(global), newShootRotate(global), newShootMigrate(global),
		newShootBackup(global), newShootSnapshots(global), newShootDelete(global), &cobra.Command{
			Use:     "example",
			Example: `  gardener shoot example | gardener kubectl apply -f -`,
			Short:   "Print an example shoot to apply", Args: needsNone,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, err := cmd.OutOrStdout().Write(examples.Shoot)
				return err
			},
		})
	return cmd
}

// readShoot reads a shoot of the garden.
func readShoot(ctx context.Context, garden client.Reader, key types.NamespacedName) (*gardencorev1beta1.Shoot, error) {
	shoot := &gardencorev1beta1.Shoot{}
	err := garden.Get(ctx, key, shoot)
	if apierrors.IsNotFound(err) {
		return nil, shootNotFound(key.Namespace, key.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("read shoot %s: %w", key, err)
	}
	return shoot, nil
}

func shootNotFound(namespace, name string) error {
	return &exitError{code: codeNotFound, err: fmt.Errorf("shoot %s/%s does not exist", namespace, name), hint: `see "gardener shoot list"`}
}

func readyText(s shootStatus) string {
	if s.Asleep {
		return "asleep"
	}
	return fmt.Sprint(s.Ready)
}

// completeShoots completes names of shoots: those of the namespace that -n names, or all of them, as NAMESPACE/NAME.
func completeShoots(global *globalFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		namespace := ""
		if flag := cmd.Flag(namespaceFlag); flag != nil && flag.Changed {
			namespace = flag.Value.String()
		}
		return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
			shoots, err := l.shootsForCompletion(ctx)
			if err != nil {
				return nil, err
			}
			var names []string
			for _, shoot := range shoots {
				switch namespace {
				case "":
					names = append(names, shoot.Namespace+"/"+shoot.Name)
				case shoot.Namespace:
					names = append(names, shoot.Name)
				}
			}
			return names, nil
		})(cmd, args, typed)
	}
}

// shootsForCompletion lists the shoots of the garden, if it answers at once.
func (l *landscape) shootsForCompletion(ctx context.Context) ([]gardencorev1beta1.Shoot, error) {
	garden, err := l.gardenWithin(ctx, completionTimeout)
	if err != nil {
		return nil, err
	}
	shoots := &gardencorev1beta1.ShootList{}
	err = garden.List(ctx, shoots)
	return shoots.Items, err
}
