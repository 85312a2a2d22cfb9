package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func newGarden(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "garden", GroupID: "landscape", Short: "Rotate the credentials of the garden",
		Long:    `Act on the Garden of the running landscape, an object in its runtime cluster.`,
		Example: `  gardener garden rotate --start`,
	})
	cmd.AddCommand(newGardenRotate(global))
	return cmd
}

// gardenCredentials are what can be rotated alone.
var gardenCredentials = []string{"all", "ca", "service-account-key", "etcd-encryption-key", "observability"}

func newGardenRotate(global *globalFlags) *cobra.Command {
	var (
		of              string
		start, complete bool
		waits           waiting
		rehearsal       = &rehearsal{}
	)
	cmd := &cobra.Command{
		Use: "rotate --start|--complete|--of observability", Short: "Rotate the credentials of the garden", Args: needsNone,
		Long: `Rotate the credentials of the garden, in two phases. --start makes new credentials beside the old ones. Then give new
kubeconfigs and tokens to whoever has a client certificate or a token of a service account of the garden. --complete ends the validity of the old ones. The password for metrics
changes when the others start, or alone, and has one phase. The garden serves all the time.`,
		Example: `  gardener garden rotate --start
  gardener garden rotate --complete
  gardener garden rotate --of observability
  gardener garden rotate --start --dry-run`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			operation, err := gardenRotation(of, start, complete)
			if err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			seed, err := l.runtimeCluster(cmd.Context())
			if err != nil {
				return err
			}
			if err := operateGarden(cmd.Context(), seed, l.Name, operation, rehearsal); err != nil {
				return err
			}
			if rehearsal.dryRun {
				return rehearsal.tell(cmd, seed.Scheme(), "garden "+l.Name, "would rotate its credentials")
			}
			if !waits.wait {
				l.display.tellStarted(cmd.OutOrStdout(), "garden "+l.Name, watchGarden(l))
				return nil
			}
			return gardenWatch{name: l.Name, timeout: waits.timeout, display: l.display, look: watchGarden(l)}.run(cmd, seed)
		},
	}
	f := cmd.Flags()
	f.StringVar(&of, "of", "all", "which credentials: one of "+strings.Join(gardenCredentials, ", "))
	f.BoolVar(&start, "start", false, "begin: make new credentials")
	f.BoolVar(&complete, "complete", false, "end: refuse the old credentials")
	cmd.MarkFlagsMutuallyExclusive("start", "complete")
	_ = cmd.RegisterFlagCompletionFunc("of", cobra.FixedCompletions(gardenCredentials, cobra.ShellCompDirectiveNoFileComp))
	waits.addTo(cmd, global)
	rehearsal.addTo(cmd, global)
	return cmd
}

// gardenRotation is the operation that the flags ask for.
func gardenRotation(of string, start, complete bool) (string, error) {
	kind := credentials[of]
	switch {
	case !slices.Contains(gardenCredentials, of):
		return "", usageError(fmt.Errorf("unknown credentials %q", of), "--of accepts one of "+strings.Join(gardenCredentials, ", "))
	case kind.once != "" && complete:
		return "", usageError(fmt.Errorf("the rotation of %q has one phase", of), "leave out --complete")
	case kind.once != "":
		return kind.once, nil
	case start:
		return kind.start, nil
	case complete:
		return kind.complete, nil
	}
	return "", usageError(errors.New("--start or --complete is missing"), "use one of them: --start, and later --complete")
}

// runtimeCluster returns a client for the first seed of a running landscape, in which the Garden is.
func (l *landscape) runtimeCluster(ctx context.Context) (client.Client, error) {
	if _, err := l.running(); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.paths.Kubeconfig(pki.SeedCluster))
	if err != nil {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("read the seed's kubeconfig: %w", err), hint: `wait until the landscape is ready with "gardener up"`}
	}
	if config, err = withoutPlugin(ctx, config); err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	utilruntime.Must(install.AddSeed(scheme))
	return client.New(config, client.Options{Scheme: scheme})
}

// operateGarden asks for the operation. It takes no other operation's place.
func operateGarden(ctx context.Context, seed client.Client, name, operation string, rehearsal *rehearsal) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		garden := &operatorv1alpha1.Garden{}
		if err := seed.Get(ctx, client.ObjectKey{Name: name}, garden); err != nil {
			return fmt.Errorf("read Garden %q: %w", name, err)
		}
		if pending := garden.Annotations[constants.GardenerOperation]; pending != "" && pending != operation {
			return &exitError{code: codeFailure, err: fmt.Errorf("the Garden waits for the operation %q", pending), hint: "wait until it has begun, then try again"}
		}
		before := garden.DeepCopy()
		if garden.Annotations == nil {
			garden.Annotations = map[string]string{}
		}
		garden.Annotations[constants.GardenerOperation] = operation
		if err := seed.Patch(ctx, garden, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), rehearsal.patch()...); err != nil {
			return fmt.Errorf("ask for the operation %q of Garden %q: %w", operation, name, err)
		}
		rehearsal.note(before, garden)
		return nil
	})
}

// watchGarden is a command that shows the Garden.
func watchGarden(l *landscape) string {
	return fmt.Sprintf("gardener kubectl --kubeconfig %s get garden %s -w", paths.Word(l.paths.Kubeconfig(pki.SeedCluster)), l.Name)
}

// gardenWatch shows the progress of a Garden until its operation is done.
type gardenWatch struct {
	name    string
	timeout time.Duration
	display *display
	look    string // command that shows it
}

func (g gardenWatch) run(cmd *cobra.Command, seed client.Reader) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), g.timeout)
	defer cancel()
	show := &shootProgress{w: cmd.ErrOrStderr(), live: newLive(g.display, cmd.ErrOrStderr()), object: "garden " + g.name}
	defer show.live.clear()
	begin, doing := time.Now(), ""
	var silence outage
	for {
		garden := &operatorv1alpha1.Garden{}
		err := seed.Get(ctx, client.ObjectKey{Name: g.name}, garden)
		if silence.ends(err, time.Now()) && ctx.Err() == nil {
			return fmt.Errorf("read Garden %q: %w", g.name, err)
		}
		last := garden.Status.LastOperation
		begun := err == nil && garden.Annotations[constants.GardenerOperation] == "" && last != nil
		if begun && last.State == gardencorev1beta1.LastOperationStateSucceeded && !busy(garden.Status.Credentials) {
			show.live.clear()
			took := time.Since(begin)
			g.display.tell(cmd.OutOrStdout(), event{Object: show.object, State: "done", Seconds: seconds(took)}, fmt.Sprintf("garden %s is done after %.1f s\n", g.name, took.Seconds()))
			return nil
		}
		if err == nil && last != nil && last.State != gardencorev1beta1.LastOperationStateSucceeded { // also if it refuses to begin
			doing = last.Description
			show.show(shootStatus{Operation: fmt.Sprintf("%s %s (%d%%)", last.Type, last.State, last.Progress), Doing: doing})
		}
		select {
		case <-ctx.Done():
			hint := "the landscape goes on with it; follow it with: " + g.look
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return &exitError{code: codeTimeout, err: fmt.Errorf("garden %s is not done after %s: %s", g.name, g.timeout, doing), hint: hint}
			}
			return &exitError{code: codeInterrupted, err: ctx.Err(), hint: hint}
		case <-time.After(followInterval):
		}
	}
}

// busy tells whether a rotation goes on by itself.
func busy(of *operatorv1alpha1.Credentials) bool {
	if of == nil || of.Rotation == nil {
		return false
	}
	goesOn := func(phase gardencorev1beta1.CredentialsRotationPhase) bool {
		return phase == gardencorev1beta1.RotationPreparing || phase == gardencorev1beta1.RotationCompleting
	}
	return of.Rotation.CertificateAuthorities != nil && goesOn(of.Rotation.CertificateAuthorities.Phase) ||
		of.Rotation.ServiceAccountKey != nil && goesOn(of.Rotation.ServiceAccountKey.Phase) ||
		of.Rotation.ETCDEncryptionKey != nil && goesOn(of.Rotation.ETCDEncryptionKey.Phase) ||
		of.Rotation.Observability != nil && of.Rotation.Observability.LastCompletionTime.Before(of.Rotation.Observability.LastInitiationTime)
}
