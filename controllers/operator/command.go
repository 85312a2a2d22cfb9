package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/controllers/internal/prefixes"
	"github.com/gardener-up/gardener-up/controllers/internal/process"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/controllers/operator/config"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/controllers/operator/networkpolicy"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Name is the name of the operator, of its lease and its user agent.
const Name = "gardener-operator"

// options are the flags of the component.
type options struct {
	file, kubeconfig string
	image            string
	service          string
	privateNetworks  []string
	protectEtcds     bool
	serviceType      string
	program          Program
}

// Program is what the operator has to know of the binary that it is part of. All fields are required.
type Program struct {
	Version string
	// Image is the name of the appliance image, unless the flag says another one. ImageVariable is the environment variable that it is from.
	Image, ImageVariable string
	// Registration builds the objects that make an API server forward requests for Gardener's groups, as deployed.Inputs say.
	Registration func(host string, port int32, ca []byte) []client.Object
}

// Command is the operator as a component: a process of its own for the runtime cluster, usually a pod there. It runs the druid of that
// cluster, too. It ends with the context of the command.
func Command(program Program) *cobra.Command {
	o := options{program: program}
	cmd := &cobra.Command{
		Use:           "operator",
		Short:         "Run a Garden on a runtime cluster",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.file, "config", "", "file of kind "+config.Kind+"; required")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the runtime cluster; wins over runtimeClientConnection.kubeconfig of the file")
	flags.StringVar(&o.image, "image", program.Image, "image of the components of a Garden, which is that of this binary ($"+program.ImageVariable+")")
	flags.StringVar(&o.service, "webhook-service", "", "Service by which the API server of the runtime cluster reaches the webhooks, <namespace>/<name>[:<port>]; empty means an API server on this machine")
	flags.StringVar(&o.serviceType, "api-server-service-type", string(corev1.ServiceTypeClusterIP), "type of the Service of the API server of the virtual garden")
	flags.StringSliceVar(&o.privateNetworks, "private-networks", nil, "private networks in which object stores for backups may be")
	flags.BoolVar(&o.protectEtcds, "etcd-component-protection", false, "let nobody but the druid change the objects of the etcds of the Garden")
	_ = cmd.MarkFlagRequired("config") // fails only for a flag that does not exist
	return cmd
}

func (o options) run(ctx context.Context) error {
	configuration, err := config.Load(o.file)
	if err != nil {
		return err
	}
	networks, err := prefixes.Parse("private-networks", o.privateNetworks)
	if err != nil {
		return err
	}
	way, err := wayOf(o.service, configuration)
	if err != nil {
		return err
	}
	mgr, err := o.manager(ctx, configuration)
	if err != nil {
		return err
	}
	runs, virtual, err := o.host(mgr)
	if err != nil {
		return err
	}
	err = errors.Join(
		AddToManager(mgr, Config{
			Configuration: configuration, Host: runs, Virtual: virtual, Way: way,
			Authority: authority.Authority{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}, Turn: &sync.Mutex{}},
		}),
		druid.AddToManager(mgr, druid.Config{
			Image: o.image, PrivateNetworks: networks, Share: share.Operator,
			Protection: &protection.Member{Identity: Name, Share: share.Operator}, Protect: o.protectEtcds,
		}),
		o.networkPolicies(mgr),
	)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// manager makes the manager of the runtime cluster, which must know the kind Garden: its definition belongs to whoever installs the
// operator.
func (o options) manager(ctx context.Context, configuration *config.OperatorConfiguration) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	connection := configuration.RuntimeClientConnection
	if o.kubeconfig == "" {
		o.kubeconfig = connection.Kubeconfig
	}
	access, err := connection.Client(o.kubeconfig, Name)
	if err != nil {
		return nil, fmt.Errorf("configure client of the runtime cluster: %w", err)
	}
	mgr, err := process.New(process.Inputs{
		Client: access, Scheme: scheme, Log: loglevel.Limit(log.Log.WithName(Name), configuration.LogLevel),
		Server: configuration.Server.Server, Election: configuration.LeaderElection,
	})
	if err != nil {
		return nil, err
	}
	err = mgr.GetAPIReader().List(ctx, &operatorv1alpha1.GardenList{}, client.Limit(1))
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil, errors.New("the runtime cluster does not know the kind Garden: install its definition, as \"gardener bootstrap\" does")
	}
	if err != nil {
		return nil, fmt.Errorf("list Gardens of the runtime cluster: %w", err)
	}
	return mgr, nil
}

// networkPolicies adds the controller for the namespace of the Garden.
func (o options) networkPolicies(mgr manager.Manager) error {
	uncached, err := uncached(mgr)
	if err != nil {
		return err
	}
	policies := &networkpolicy.Reconciler{
		Gardens: mgr.GetClient(), Client: uncached, Namespace: constants.GardenNamespace, Entrance: deployed.APIServer, Resolvers: networkpolicy.OfPod,
	}
	return policies.AddToManager(mgr, workers.Insistent(1))
}

func uncached(mgr manager.Manager) (client.Client, error) {
	out, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make client of the runtime cluster: %w", err)
	}
	return out, nil
}

// host runs the components of a Garden in the runtime cluster.
func (o options) host(mgr manager.Manager) (host.Host, host.Connect, error) {
	uncached, err := uncached(mgr)
	if err != nil {
		return host.Host{}, nil, err
	}
	id, err := os.Hostname()
	if err != nil {
		id = Name
	}
	in := deployed.Inputs{
		Client: uncached, Namespace: constants.GardenNamespace, Image: o.image, Registration: o.program.Registration, ServiceType: corev1.ServiceType(o.serviceType),
		Gardener: gardencorev1beta1.Gardener{ID: id, Name: Name, Version: o.program.Version},
		Druid:    func(context.Context) error { return nil }, // it runs whenever this process asks
	}
	out, err := deployed.New(in)
	return out, in.Connect(), err
}

// wayOf is how the API server reaches the webhooks. With a Service it is that of the pod, on the configured address.
func wayOf(service string, configuration *config.OperatorConfiguration) (webhook.Way, error) {
	reference, err := webhook.ParseService(service)
	if err != nil || reference == nil {
		return webhook.Way{}, err
	}
	return webhook.Way{Service: reference, Listen: func() (net.Listener, error) { return net.Listen("tcp", configuration.Server.Webhooks.Address()) }}, nil
}
