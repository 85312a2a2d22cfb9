package kubeapi

import (
	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli/globalflag"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/version/verflag"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
)

// flagReconciler is the flag of kube-apiserver that selects how its address is written to Endpoints.
const flagReconciler = "endpoint-reconciler-type"

// Command is kube-apiserver as a component: its own flags unchanged, openapi-idle, disk-watch, and those of guard. On an embedded node
// publisher writes its address to Endpoints, unless a flag selects another way, and other Endpoints may have addresses of pods.
func Command() *cobra.Command {
	return kubecommand.New(kubecommand.Spec{Name: "kube-apiserver", Short: "Run kube-apiserver", New: newCommand})
}

// newCommand differs from the command of kube-apiserver only in the function that it runs.
func newCommand() *cobra.Command {
	opts := options.NewServerRunOptions()
	registry := opts.GenericServerRunOptions.ComponentGlobalsRegistry
	gates := registry.FeatureGateFor(basecompatibility.DefaultKubeComponent)
	ctx := genericapiserver.SetupSignalContext()
	idle, guard, disk := openapi.Idle, guard{}, storagelimit.Disk{}
	cmd := &cobra.Command{
		Use:          "kube-apiserver",
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own := own{watchEtcds: true, openAPIIdle: idle, publishLoopback: kubecommand.Embedded() && !cmd.Flags().Changed(flagReconciler), podAddresses: kubecommand.Embedded(), guard: &guard}
			verflag.PrintAndExitIfRequested()
			var err error
			if own.storage.Disk, err = disk.Watch(); err != nil {
				return err
			}
			if err := registry.Set(); err != nil {
				return err
			}
			rest.SetDefaultWarningHandler(rest.NoWarnings{}) // its clients check it themselves
			if err := logsapi.ValidateAndApply(opts.Logs, gates); err != nil {
				return err
			}
			if err := guard.install(opts); err != nil {
				return err
			}
			completed, err := complete(ctx, opts)
			if err != nil {
				return err
			}
			if mutable, ok := gates.(featuregate.MutableFeatureGate); ok {
				mutable.AddMetrics()
			}
			registry.AddMetrics()
			return run(ctx, completed, own, klog.Background())
		},
	}
	cmd.SetContext(ctx)
	sets := opts.Flags()
	verflag.AddFlags(sets.FlagSet("global"))
	globalflag.AddGlobalFlags(sets.FlagSet("global"), cmd.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	cmd.Flags().DurationVar(&idle, "openapi-idle", idle, "How long OpenAPI documents are kept after the last request for them.")
	disk.AddFlag(cmd.Flags())
	guard.addFlags(cmd.Flags())
	return cmd
}
