package app

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/cmd/gardener/app/collector"
	seedadmission "github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	"github.com/gardener-up/gardener-up/controllers/autoscaler"
	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/probe"
	"github.com/gardener-up/gardener-up/controllers/machine"
	"github.com/gardener-up/gardener-up/controllers/nodeagent"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/beside"
	"github.com/gardener-up/gardener-up/controllers/operator"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	"github.com/gardener-up/gardener-up/controllers/verticalautoscaler"
	"github.com/gardener-up/gardener-up/embedded/apiserverproxy"
	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/callback"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/garden"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
	"github.com/gardener-up/gardener-up/embedded/kubescheduler"
	"github.com/gardener-up/gardener-up/embedded/metricsserver"
	"github.com/gardener-up/gardener-up/embedded/node"
	"github.com/gardener-up/gardener-up/embedded/noexec"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
	"github.com/gardener-up/gardener-up/embedded/prometheus"
	"github.com/gardener-up/gardener-up/embedded/tunnel"
	"github.com/gardener-up/gardener-up/local/cloudcontroller"
	kindcluster "github.com/gardener-up/gardener-up/local/cluster"
	runtimeinstall "github.com/gardener-up/gardener-up/local/containerruntime/install"
	localmachine "github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/local/machine/nodeinit"
	"github.com/gardener-up/gardener-up/local/network/connectivity"
	registryproxy "github.com/gardener-up/gardener-up/local/registrycache/proxy"
	"github.com/gardener-up/gardener-up/local/shootwebhook"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// newComponent collects the servers that can be started alone. Pods that use the appliance image run them.
func newComponent() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "component",
		GroupID: "parts",
		Short:   "Run one of the servers this binary contains",
		Example: `  gardener component etcd --data-dir=./etcd`,
		Long: `Run one of the servers this binary contains, in the foreground and with the server's own flags.
Pods of shoot control planes use this command. It is also useful for debugging.`,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			collector.Usual()
			saveMemoryLater()
			startNothing(cmd.Name())
			return setComponentLogger(configuredFormat(cmd))
		},
	}
	cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault) // most flags of servers take files
	cmd.AddCommand(
		etcd.Command(),
		backuprestore.Command(guardeddial.Rules.GuardProcess),
		kubeapi.Command(),
		kubecontroller.Command(),
		kubescheduler.Command(),
		frontdoor.Command(),
		callback.Command(),
		tunnel.ServerCommand(),
		tunnel.AgentCommand(),
		apiserverproxy.Command(),
		gardenapi.Command(),
		garden.Command(),
		probe.Command(),
		resourcemanager.Command(),
		scheduler.Command(),
		controllermanager.Command(guardedDial),
		operator.Command(operator.Program{
			Version: Version, Image: image.Named(os.Getenv(image.Variable)), ImageVariable: image.Variable, Registration: gardenapi.Registered,
		}),
		gardenlet.Command(Version),
		seedadmission.Command(incluster.Surroundings{}),
		admissioncontroller.Command(),
		machine.Command(newMachineDriver),
		cloudcontroller.Command(incluster.Surroundings{}),
		autoscaler.Command(),
		verticalautoscaler.RecommenderCommand(),
		verticalautoscaler.UpdaterCommand(),
		verticalautoscaler.AdmissionCommand(),
		metricsserver.Command(),
		oidcwebhook.Command(),
		prometheus.Command(),
		localmachine.Command(),
		nodeinit.Command(nodeagent.ApplyOnce),
		nodeagent.Command(),
		registryproxy.Command(),
		runtimeinstall.Command(),
		connectivity.Command(),
		shootwebhook.Command(incluster.Surroundings{}),
		kindcluster.Command(),
		node.Command(beside.Companion{Machine: &localmachine.Keeper{}}),
	)
	return asGroup(cmd)
}

// startNothing forbids a component that is a process of an embedded node to start programs. A machine starts its kubelet, which
// starts what makes sandboxes and then forbids it itself. Prometheus is a program that forbids it itself, too.
func startNothing(component string) {
	if os.Getenv(node.EmbeddedVariable) == "" || component == "machine" || component == "kubelet" || component == prometheus.Name {
		return
	}
	if err := noexec.Forbid(); err != nil {
		fmt.Fprintf(os.Stderr, "This component could start programs: %v\n", err)
	}
	if component != kubecontroller.Name {
		return
	}
	// Its plugin for volumes that are directories removes what released PersistentVolumes of users name.
	if err := noexec.ForbidRemoval(); err != nil {
		fmt.Fprintf(os.Stderr, "This component could remove files of the machine: %v\n", err)
	}
}

// guardedDial connects to servers that users name.
func guardedDial(private []netip.Prefix) func(context.Context, string, string) (net.Conn, error) {
	return guardeddial.Rules{Private: private}.DialContext
}

// newMachineDriver makes the machine driver of provider local, the only driver there is.
func newMachineDriver(_ context.Context, control client.Client, _ string) (contractmachine.Driver, error) {
	return localmachine.NewDriver(control, image.Named(os.Getenv(image.Variable))), nil
}
