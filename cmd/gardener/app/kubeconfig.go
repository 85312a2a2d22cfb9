package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/mergedkubeconfigs"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	authenticationv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func newKubeconfig(global *globalFlags) *cobra.Command {
	options := &kubeconfigOptions{}
	cmd := &cobra.Command{
		Use: "kubeconfig", GroupID: "use", Short: "Print a kubeconfig for the garden, the seed or a shoot",
		Example: `  gardener kubeconfig garden > garden.yaml
  gardener kubeconfig garden --expiration 1h > garden.yaml
  gardener kubeconfig shoot garden-local/local > shoot.yaml
  gardener kubeconfig shoot garden-local/local --merge ~/.kube/config
  gardener kubeconfig shoot garden-local/local --merge ~/.kube/config --no-switch`,
		Long: `Print a kubeconfig for the garden, the seed or a shoot. --merge adds it to a file instead. Names of clusters of a landscape
other than "local" begin with its name, as in "two/seed-local". "gardener down --purge" removes from that file what was added and has not been changed since. Entries of others are not replaced.`,
	}
	asPrinter(cmd)
	cmd.PersistentFlags().StringVar(&options.merge, "merge", "", "merge into this file instead of printing; the file is created if it does not exist")
	cmd.PersistentFlags().BoolVar(&options.noSwitch, "no-switch", false, "with --merge: keep the current context of the file")
	_ = cmd.MarkPersistentFlagFilename("merge")
	addOutputsTo(cmd, cmd.PersistentFlags(), &options.output, "yaml", "json")
	cmd.AddCommand(newKubeconfigGarden(global, options), newKubeconfigSeed(global, options), newKubeconfigShoot(global, &options.target))
	return cmd
}

// operatorExpiration is how long kubeconfigs of operators are valid by default: a day of work.
const operatorExpiration = 8 * time.Hour

// target is where a kubeconfig goes: to the output, or into a file.
type target struct {
	merge    string
	noSwitch bool
	output   string
}

// kubeconfigOptions are flags for kubeconfigs of operators.
type kubeconfigOptions struct {
	target
	expiration           time.Duration
	exec, withBreakGlass bool
}

func (o *kubeconfigOptions) addTo(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.DurationVar(&o.expiration, "expiration", operatorExpiration, fmt.Sprintf("how long the kubeconfig is valid, from %s to %s", pki.MinValidity, pki.MaxValidity))
	f.BoolVar(&o.exec, "exec", false, "write no credential but the command that gets one on this machine, which never expires")
	f.BoolVar(&o.withBreakGlass, "break-glass", false, "for a member of system:masters, when RBAC is broken; the landscape logs it")
	cmd.MarkFlagsMutuallyExclusive("exec", "expiration")
	cmd.MarkFlagsMutuallyExclusive("exec", "break-glass")
	return cmd
}

func newKubeconfigGarden(global *globalFlags, options *kubeconfigOptions) *cobra.Command {
	return options.addTo(&cobra.Command{
		Use:     "garden",
		Example: `  gardener kubeconfig garden > garden.yaml`,
		Short:   "For the garden, as its administrator, for a limited time", Args: needsNone,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			return options.issue(cmd, l, l.paths, pki.GardenCluster)
		},
	})
}

func newKubeconfigSeed(global *globalFlags, options *kubeconfigOptions) *cobra.Command {
	return options.addTo(&cobra.Command{
		Use: "seed [NAME]",
		Example: `  gardener kubeconfig seed > seed.yaml
  gardener kubeconfig seed two > two.yaml`,
		Short: "For the landscape's seed or an added seed, as its administrator, for a limited time", Args: mayHave("the name of a seed"),
		ValidArgsFunction: completeSeeds(global, sourceFirst, sourceEmbedded),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			if len(args) == 0 || args[0] == l.Seed.Name {
				return options.issue(cmd, l, l.paths, pki.SeedCluster)
			}
			further := l.paths.Seed(args[0])
			if _, err := os.Stat(further.Root()); errors.Is(err, os.ErrNotExist) {
				return &exitError{code: codeNotFound, err: fmt.Errorf("the landscape runs no seed %q", args[0]), hint: `see "gardener seed list"`}
			}
			return options.issue(cmd, l, further, pki.SeedCluster)
		},
	})
}

func newKubeconfigShoot(global *globalFlags, target *target) *cobra.Command {
	var expiration time.Duration
	cmd := &cobra.Command{
		Use: "shoot NAME",
		Example: `  gardener kubeconfig shoot sun > sun.yaml
  gardener kubeconfig shoot garden-dev/sun --expiration 8h > sun.yaml`,
		Short: "For a shoot, as its administrator, for a limited time", Args: needs("the name of a shoot"),
		ValidArgsFunction: completeShoots(global),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			if err := warnIfAsleep(cmd, l, key.Namespace, key.Name); err != nil {
				return err
			}
			kubeconfig, err := adminKubeconfig(cmd.Context(), l, key.Namespace, key.Name, expiration)
			if err != nil {
				return err
			}
			return target.deliver(cmd, l, kubeconfig)
		},
	}
	addNamespace(cmd, global)
	cmd.Flags().DurationVar(&expiration, "expiration", time.Hour, "how long the kubeconfig is valid; at least 10m, the server sets the maximum")
	cmd.Flags().DurationVar(&expiration, "validity", time.Hour, "former name of --expiration")
	_ = cmd.Flags().MarkDeprecated("validity", "use --expiration")
	return cmd
}

// warnIfAsleep tells that a kubeconfig will not work yet.
func warnIfAsleep(cmd *cobra.Command, l *landscape, namespace, name string) error {
	garden, err := l.garden(cmd.Context())
	if err != nil {
		return err
	}
	shoot := &gardencorev1beta1.Shoot{}
	if err := garden.Get(cmd.Context(), client.ObjectKey{Namespace: namespace, Name: name}, shoot); err != nil {
		return nil // the request for the kubeconfig tells why
	}
	if asleep(shoot) {
		l.display.warn(cmd.ErrOrStderr(), fmt.Sprintf("%v\n  wake it up with: %s", sleeps(namespace, name), wakeUp(namespace, name)))
	}
	return nil
}

// adminKubeconfig requests a kubeconfig from the shoot's subresource adminkubeconfig.
func adminKubeconfig(ctx context.Context, l *landscape, namespace, name string, expiration time.Duration) ([]byte, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	seconds := int64(expiration.Seconds())
	request := &authenticationv1alpha1.AdminKubeconfigRequest{Spec: authenticationv1alpha1.AdminKubeconfigRequestSpec{ExpirationSeconds: &seconds}}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	err = garden.SubResource("adminkubeconfig").Create(ctx, shoot, request)
	switch {
	case apierrors.IsNotFound(err):
		return nil, shootNotFound(namespace, name)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return nil, &exitError{code: codeFailure, err: err, hint: fmt.Sprintf("the shoot may not be ready; try \"gardener shoot wait %s -n %s\"", name, namespace)}
	case err != nil:
		return nil, fmt.Errorf("ask for a kubeconfig of shoot %s/%s: %w", namespace, name, err)
	}
	return request.Status.Kubeconfig, nil
}

// issue reads the kubeconfig of a process and puts a certificate in it, unless its own command or credential is to stay.
func (o *kubeconfigOptions) issue(cmd *cobra.Command, l *landscape, of paths.Paths, cluster string) error {
	if _, err := l.running(); err != nil {
		return err
	}
	text, err := os.ReadFile(of.Kubeconfig(cluster))
	if errors.Is(err, os.ErrNotExist) {
		return l.notRunning()
	}
	if err != nil {
		return err
	}
	config, err := clientcmd.Load(text)
	if err != nil {
		return cured(fmt.Errorf("read %s: %w", of.Kubeconfig(cluster), err), `"gardener down" and "gardener up" write it again`)
	}
	user := config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo]
	ofKind := user.Exec == nil
	switch {
	case ofKind && (o.exec || o.withBreakGlass):
		return usageError(errors.New("the landscape has no authority of a cluster of kind"), "the kubeconfig that kind has written is "+of.Kubeconfig(cluster))
	case o.exec:
		return o.deliver(cmd, l, text)
	}
	credential, err := o.credential(cmd.Context(), of, cluster, ofKind, text)
	if err != nil {
		return cured(err, fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
	}
	user.Exec, user.ClientCertificateData, user.ClientKeyData = nil, credential.Cert, credential.Key
	if text, err = clientcmd.Write(*config); err != nil {
		return err
	}
	return o.deliver(cmd, l, text)
}

// credential is a certificate of hours: from the landscape or, for a cluster of kind, from the cluster itself.
func (o *kubeconfigOptions) credential(ctx context.Context, of paths.Paths, cluster string, ofKind bool, kubeconfig []byte) (daemon.Credential, error) {
	if !ofKind {
		return credentialOf(ctx, of, daemon.CredentialRequest{Cluster: cluster, Expiration: o.expiration, BreakGlass: o.withBreakGlass})
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return daemon.Credential{}, err
	}
	return operators.Request(ctx, config, o.expiration)
}

// deliver prints the kubeconfig, or merges it into the file that the user chose.
func (t target) deliver(cmd *cobra.Command, l *landscape, text []byte) error {
	if t.merge == "" {
		if t.noSwitch {
			return usageError(errors.New("--no-switch has an effect only with --merge"), "name the file: --merge ~/.kube/config")
		}
		return t.print(cmd.OutOrStdout(), text)
	}
	added, err := clientcmd.Load(text)
	if err != nil {
		return fmt.Errorf("read the new kubeconfig: %w", err)
	}
	if l.Name != config.DefaultName {
		added = mergedkubeconfigs.NamedAfter(l.Name, added)
	}
	if err := mergedkubeconfigs.Merge(l.paths.MergedKubeconfigs(), t.merge, added, !t.noSwitch); err != nil {
		if taken := (*mergedkubeconfigs.TakenError)(nil); errors.As(err, &taken) {
			return cured(err, "rename or delete these entries with \"kubectl config\", or merge into another file")
		}
		return cured(err, "correct the file that the message names, or print the kubeconfig without --merge")
	}
	switched := " and made it the current one"
	if t.noSwitch {
		switched = ""
	}
	l.display.tell(cmd.OutOrStdout(), event{Object: "context " + added.CurrentContext, State: "merged", Message: t.merge}, fmt.Sprintf("merged context %q into %s%s\n", added.CurrentContext, t.merge, switched))
	return nil
}

// print writes a kubeconfig in the form that the user chose. Both can be read as a kubeconfig.
func (t target) print(w io.Writer, text []byte) error {
	if t.output == "json" {
		converted, err := yaml.YAMLToJSON(text)
		if err != nil {
			return fmt.Errorf("convert the kubeconfig: %w", err)
		}
		text = append(converted, '\n')
	}
	_, err := w.Write(text)
	return err
}
