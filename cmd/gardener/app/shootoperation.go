package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func newShootReconcile(global *globalFlags) *cobra.Command {
	return newOperation(global, operationVerb{
		use: "reconcile NAME", example: "  gardener shoot reconcile sun", short: "Reconcile a shoot now", operation: fixed(constants.GardenerOperationReconcile),
		would: "would be reconciled",
	})
}

func newShootRetry(global *globalFlags) *cobra.Command {
	return newOperation(global, operationVerb{
		use: "retry NAME", example: "  gardener shoot retry sun", short: "Start the failed operation of a shoot again", operation: fixed(constants.ShootOperationRetry),
		would: "would be tried again",
		check: func(shoot *gardencorev1beta1.Shoot) error {
			if last := shoot.Status.LastOperation; last != nil && last.State == gardencorev1beta1.LastOperationStateFailed {
				return nil
			}
			return &exitError{code: codeFailure, err: fmt.Errorf("shoot %s/%s has not failed: %s", shoot.Namespace, shoot.Name, statusOf(shoot).Operation),
				hint: fmt.Sprintf("reconcile it with: gardener shoot reconcile %s/%s", shoot.Namespace, shoot.Name)}
		},
	})
}

func newShootMaintain(global *globalFlags) *cobra.Command {
	return newOperation(global, operationVerb{
		use: "maintain NAME", example: "  gardener shoot maintain sun", short: "Do now what the maintenance window of a shoot would do", operation: fixed(constants.ShootOperationMaintain),
		would: "would be maintained",
	})
}

// operationVerb is a verb that asks for an operation of a shoot by its annotation.
type operationVerb struct {
	use, short, long, example string
	flags                     func(cmd *cobra.Command)
	operation                 func() (string, error)
	check                     func(*gardencorev1beta1.Shoot) error // of the shoot before that; may be nil
	would                     string                               // what a dry run says
}

func fixed(operation string) func() (string, error) {
	return func() (string, error) { return operation, nil }
}

func newOperation(global *globalFlags, verb operationVerb) *cobra.Command {
	waiting, rehearsal := &waiting{}, &rehearsal{}
	cmd := &cobra.Command{
		Use: verb.use, Short: verb.short, Long: verb.long, Example: verb.example,
		Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			operation, err := verb.operation()
			if err != nil {
				return err
			}
			_, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			if err := operate(cmd.Context(), garden, key, operation, verb.check, rehearsal); err != nil {
				return err
			}
			if rehearsal.dryRun {
				return rehearsal.tell(cmd, garden.Scheme(), "shoot "+key.String(), verb.would)
			}
			return waiting.follow(cmd, garden, key, operated(key))
		},
	}
	waiting.addTo(cmd, global)
	rehearsal.addTo(cmd, global)
	if verb.flags != nil {
		verb.flags(cmd)
	}
	return cmd
}

// operate asks for the operation. It takes no other operation's place. Controllers write to a Shoot at any time, so it looks again after
// a conflict.
func operate(ctx context.Context, garden client.Client, key types.NamespacedName, operation string, check func(*gardencorev1beta1.Shoot) error, rehearsal *rehearsal) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error { return tryToOperate(ctx, garden, key, operation, check, rehearsal) })
}

func tryToOperate(ctx context.Context, garden client.Client, key types.NamespacedName, operation string, check func(*gardencorev1beta1.Shoot) error, rehearsal *rehearsal) error {
	shoot, err := readShoot(ctx, garden, key)
	if err != nil {
		return err
	}
	if pending := shoot.Annotations[constants.GardenerOperation]; pending != "" && pending != operation {
		return &exitError{code: codeFailure, err: fmt.Errorf("shoot %s waits for the operation %q", key, pending), hint: "wait until the garden has begun it, then try again"}
	}
	if check != nil {
		if err := check(shoot); err != nil {
			return err
		}
	}
	before := shoot.DeepCopy()
	if shoot.Annotations == nil {
		shoot.Annotations = map[string]string{}
	}
	shoot.Annotations[constants.GardenerOperation] = operation
	if err := garden.Patch(ctx, shoot, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), rehearsal.patch()...); err != nil {
		return fmt.Errorf("ask for the operation %q of shoot %s: %w", operation, key, err)
	}
	rehearsal.note(before, shoot)
	return nil
}

// operated is reached when the gardenlet has nothing left to do for the current generation of a shoot.
func operated(key types.NamespacedName) goal {
	return goal{name: "is done", reached: func(_ context.Context, shoot *gardencorev1beta1.Shoot) (bool, string, error) {
		if shoot == nil {
			return false, "", shootNotFound(key.Namespace, key.Name)
		}
		last := shoot.Status.LastOperation
		if shoot.Annotations[constants.GardenerOperation] != "" || last == nil || shoot.Status.ObservedGeneration != shoot.Generation {
			return false, "", nil
		}
		return last.State == gardencorev1beta1.LastOperationStateSucceeded, "", nil
	}}
}

// credentials are what can be rotated alone, and in how many phases.
var credentials = map[string]struct{ start, withoutRollout, complete, once string }{
	"all": {constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout, constants.OperationRotateCredentialsComplete, ""},
	"ca":  {constants.OperationRotateCAStart, constants.OperationRotateCAStartWithoutWorkersRollout, constants.OperationRotateCAComplete, ""},
	"service-account-key": {constants.OperationRotateServiceAccountKeyStart, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout,
		constants.OperationRotateServiceAccountKeyComplete, ""},
	"etcd-encryption-key": {constants.OperationRotateETCDEncryptionKeyStart, "", constants.OperationRotateETCDEncryptionKeyComplete, ""},
	"ssh-keypair":         {once: constants.ShootOperationRotateSSHKeypair},
	"observability":       {once: constants.ShootOperationRotateObservabilityCredentials},
}

func newShootRotate(global *globalFlags) *cobra.Command {
	var (
		of                              string
		start, complete, withoutRollout bool
		workers                         []string
	)
	names := make([]string, 0, len(credentials))
	for name := range credentials {
		names = append(names, name)
	}
	slices.Sort(names)
	return newOperation(global, operationVerb{
		use: "rotate NAME --start|--complete|--workers", short: "Rotate the credentials of a shoot",
		long: `Rotate the credentials of a shoot, in two phases. --start makes new credentials beside the old ones. Then give the new ones to
whoever uses the shoot: take new kubeconfigs. --complete ends the validity of the old ones. The SSH key pair and the observability
credentials have one phase: they need neither flag if they are rotated alone.`,
		example: `  gardener shoot rotate sun --start
  gardener shoot rotate sun --complete
  gardener shoot rotate sun --of observability
  gardener shoot rotate sun --start --dry-run`,
		would: "would rotate its credentials",
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&of, "of", "all", "which credentials: one of "+strings.Join(names, ", "))
			f.BoolVar(&start, "start", false, "begin: make new credentials")
			f.BoolVar(&complete, "complete", false, "end: refuse the old credentials")
			f.BoolVar(&withoutRollout, "without-workers-rollout", false, "begin, but leave the nodes until --workers names their pools")
			f.StringSliceVar(&workers, "workers", nil, "worker pools whose nodes are replaced now")
			cmd.MarkFlagsMutuallyExclusive("start", "complete", "workers")
			cmd.MarkFlagsMutuallyExclusive("without-workers-rollout", "complete", "workers")
			_ = cmd.RegisterFlagCompletionFunc("workers", completePools(global))
			_ = cmd.RegisterFlagCompletionFunc("of", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
		},
		operation: func() (string, error) {
			kind, known := credentials[of]
			switch {
			case !known:
				return "", usageError(fmt.Errorf("unknown credentials %q", of), "--of accepts one of "+strings.Join(names, ", "))
			case len(workers) > 0:
				return constants.ShootOperationRotateRolloutWorkers + "=" + strings.Join(workers, ","), nil
			case kind.once != "":
				return kind.once, nil
			case withoutRollout && kind.withoutRollout == "":
				return "", usageError(fmt.Errorf("the rotation of %q replaces no nodes", of), "use --start")
			case withoutRollout:
				return kind.withoutRollout, nil
			case start:
				return kind.start, nil
			case complete:
				return kind.complete, nil
			}
			return "", usageError(fmt.Errorf("the rotation of %q has two phases", of), "use --start, and later --complete")
		},
	})
}
