package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/examples"
)

// newShootFlags are what a user chooses of a new shoot. Everything else is as in the example.
type newShootFlags struct {
	version, seed, purpose, tolerance string
	workers, maxWorkers               int32
	dryRun                            bool
	output                            string
}

func newShootCreate(global *globalFlags) *cobra.Command {
	flags, waiting := &newShootFlags{}, &waiting{}
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a shoot of the provider local, and wait until it is usable", Args: needs("the name of the new shoot"),
		Long: `Create a shoot of the provider local, and wait until it is usable. For everything that has no flag here, print the manifest with
--dry-run, change it, and apply it with kubectl. The garden checks the manifest before it is printed. If no garden answers, or the shoot exists already or
its namespace does not exist yet, a note says so, and the manifest is printed anyway.`,
		Example: `  gardener shoot create sun
  gardener shoot create moon --kubernetes 1.35 --workers 2
  gardener shoot create empty --workers 0
  gardener shoot create sun --dry-run > sun.yaml`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			if err := checkName("shoot", key.Name); err != nil {
				return err
			}
			shoot, err := flags.shoot(key, cmd.Flags().Changed("workers"))
			if err != nil {
				return err
			}
			if flags.dryRun {
				return flags.rehearse(cmd, global, shoot)
			}
			l, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			if err := createShoot(cmd, garden, shoot); err != nil {
				return err
			}
			return waiting.follow(cmd, garden, key, usable(l, key))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.version, "kubernetes", "", "version of Kubernetes, such as 1.35 or 1.35.2 (default the newest)")
	f.Int32Var(&flags.workers, "workers", 1, "number of nodes; 0 means a shoot without workers")
	f.Int32Var(&flags.maxWorkers, "max-workers", 0, "up to how many nodes the cluster autoscaler may add (default as --workers)")
	f.StringVar(&flags.seed, "seed", "", "seed with the control plane (default the scheduler chooses)")
	f.StringVar(&flags.purpose, "purpose", "", "one of evaluation, testing, development, production")
	f.StringVar(&flags.tolerance, "high-availability", "", "failures that the control plane tolerates: node or zone")
	f.BoolVar(&flags.dryRun, "dry-run", false, "let the garden check it if it runs, print the manifest, and create nothing")
	addOutputs(cmd, &flags.output, "yaml", "json")
	cmd.Flag("output").Usage = "of --dry-run: one of yaml, json"
	cmd.PreRunE = onlyRehearsed(&flags.dryRun)
	for name, values := range map[string][]string{
		"purpose": {"evaluation", "testing", "development", "production"}, "high-availability": {"node", "zone"},
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.RegisterFlagCompletionFunc("kubernetes", completeVersions(global))
	_ = cmd.RegisterFlagCompletionFunc("seed", completeSeeds(global, sourceFirst, sourceEmbedded, sourceKubeconfig, sourceGardenlet))
	waiting.addTo(cmd, global)
	return cmd
}

// shoot is the example with what the user chose.
func (f *newShootFlags) shoot(key types.NamespacedName, workersChosen bool) (*gardencorev1beta1.Shoot, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := yaml.UnmarshalStrict(examples.Shoot, shoot); err != nil {
		return nil, fmt.Errorf("read the example: %w", err)
	}
	shoot.Namespace, shoot.Name = key.Namespace, key.Name
	if f.version != "" {
		shoot.Spec.Kubernetes.Version = f.version
	}
	if f.seed != "" {
		shoot.Spec.SeedName = &f.seed
	}
	if f.purpose != "" {
		shoot.Spec.Purpose = ptr.To(gardencorev1beta1.ShootPurpose(f.purpose))
	}
	if f.tolerance != "" {
		shoot.Spec.ControlPlane = &gardencorev1beta1.ControlPlane{HighAvailability: &gardencorev1beta1.HighAvailability{
			FailureTolerance: gardencorev1beta1.FailureTolerance{Type: gardencorev1beta1.FailureToleranceType(f.tolerance)},
		}}
	}
	switch most := max(f.workers, f.maxWorkers); {
	case f.workers < 0 || f.maxWorkers < 0:
		return nil, usageError(fmt.Errorf("the number of workers must not be negative"), "--workers 0 makes a shoot without workers")
	case f.maxWorkers != 0 && f.maxWorkers < f.workers:
		return nil, usageError(fmt.Errorf("--max-workers %d is less than --workers %d", f.maxWorkers, f.workers), "leave out --max-workers, or raise it")
	case most == 0 && workersChosen:
		shoot.Spec.Provider.Workers, shoot.Spec.Networking, shoot.Spec.CredentialsBindingName = nil, nil, nil
	default:
		shoot.Spec.Provider.Workers[0].Minimum, shoot.Spec.Provider.Workers[0].Maximum = f.workers, most
	}
	return shoot, nil
}

func createShoot(cmd *cobra.Command, garden client.Client, shoot *gardencorev1beta1.Shoot) error {
	return notCreated(cmd.Context(), garden, shoot, garden.Create(cmd.Context(), shoot))
}

// notCreated describes why the garden has refused a new shoot; nil if it has not.
func notCreated(ctx context.Context, garden client.Reader, shoot *gardencorev1beta1.Shoot, err error) error {
	switch {
	case apierrors.IsAlreadyExists(err):
		return &exitError{code: codeFailure, err: fmt.Errorf("shoot %s/%s exists already", shoot.Namespace, shoot.Name),
			hint: fmt.Sprintf("see it with: gardener shoot describe %s/%s", shoot.Namespace, shoot.Name)}
	case apierrors.IsNotFound(err):
		return &exitError{code: codeNotFound, err: fmt.Errorf("create shoot %s/%s: %w", shoot.Namespace, shoot.Name, err),
			hint: "-n names the namespace of a project; see them with: gardener kubectl get projects"}
	case err != nil:
		return &exitError{code: codeFailure, err: fmt.Errorf("create shoot %s/%s: %w", shoot.Namespace, shoot.Name, err), hint: versionHint(ctx, garden, err)}
	}
	return nil
}

// versionHint lists the versions of Kubernetes that the garden offers if it has refused one; empty for other errors.
func versionHint(ctx context.Context, garden client.Reader, refused error) string {
	if !strings.Contains(refused.Error(), "spec.kubernetes.version") {
		return ""
	}
	versions, err := offeredVersions(ctx, garden)
	if err != nil || len(versions) == 0 {
		return ""
	}
	return "the garden offers " + strings.Join(versions, ", ")
}
