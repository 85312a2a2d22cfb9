// Package host describes the process or cluster that runs the components of a Garden, to the controllers of Gardens. The
// appliance fills it in. The package does not look at anything itself.
package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/rest"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Label is on all objects in the runtime cluster that a host has deployed. The operator acts when one of them is deleted.
const Label = "operator.gardener.cloud/host"

// Group of components. Each group has a condition of the Garden.
type Group string

// Groups of components.
const (
	Runtime       Group = "runtime"
	Virtual       Group = "virtual"
	Observability Group = "observability"
)

// Stage is the place of a component in the order of a reconciliation. A stage begins when the one before serves.
type Stage string

// Stages in their order.
const (
	ResourceManager  Stage = "resource manager"
	SystemComponents Stage = "system components"
	ETCD             Stage = "etcd"
	VirtualGarden    Stage = "virtual garden"
	ControlPlane     Stage = "Gardener control plane"
	Monitoring       Stage = "observability"
)

// Stages returns all stages in their order.
func Stages() []Stage {
	return []Stage{ResourceManager, SystemComponents, ETCD, VirtualGarden, ControlPlane, Monitoring}
}

// Component of a Garden.
type Component struct {
	// Name is unique: that of the Deployment or Etcd where a cluster runs the component.
	Name  string
	Group Group
	Stage Stage
	// Serves returns nil if the component serves now, or else why it does not. It asks the component itself and is cheap. Nil
	// means that the host does not run the component.
	Serves func(context.Context) error
	// Complains returns what somebody has to look at although the component serves. A reconciliation does not wait for it. Nil means nothing.
	Complains func(context.Context) error
	// Deploy writes the component into the runtime cluster, for a host whose other components run without it. It may be called again at any time.
	// The component stays when the Garden goes. Nil means that the component runs without it, or that Host.Deploy writes it.
	Deploy func(context.Context) error
	// Absent says why the host does not run the component. It is empty if Serves is set.
	Absent string
}

// Connect returns how this process reaches the API server of the virtual garden, as an administrator. It returns an error while that is
// not known. It is cheap.
type Connect func(context.Context) (*rest.Config, error)

// Connected always returns the same.
func Connected(config *rest.Config) Connect {
	return func(context.Context) (*rest.Config, error) { return config, nil }
}

// Access is how others reach the API server of the virtual garden.
type Access struct {
	Server, ServerName string
	// ForPods is the server for pods of the runtime cluster; Server if it is empty.
	ForPods string
	// CA returns the authorities that users trust now.
	CA func() ([]byte, error)
}

// Host of a Garden.
type Host struct {
	// Name of the only Garden that this host runs; empty if it runs any.
	Name string
	// Gardener is written to the status of the Garden.
	Gardener gardencorev1beta1.Gardener
	// Versions of Kubernetes that the virtual garden can have; empty if it can have any.
	Versions []string
	// Domain is the first domain of the virtual garden; empty if the Garden decides.
	Domain string
	// Services is the range from which Services of the virtual garden get addresses; empty if the Garden decides.
	Services   string
	Components []Component
	// Deploy writes the components of a stage, which a cluster runs. It may be called again at any time, and returns an error that says what
	// it waits for. Nil means that the components run without it.
	Deploy func(context.Context, *operatorv1alpha1.Garden, Stage) error
	// Destroy removes the components of a stage. It returns an error that says what it waits for until nothing is left. It is set if
	// Deploy is.
	Destroy func(context.Context, *operatorv1alpha1.Garden, Stage) error
	// Patience is how long a reconciliation waits for a stage or a component before it says what is missing and begins anew; 0 is the usual
	// time, in which parts of a process start.
	Patience time.Duration
	// Access returns how others reach the virtual garden.
	Access func(*operatorv1alpha1.Garden) Access
	// Inert returns the fields of a Garden that are set and change nothing. Nil means all that only components of a cluster follow.
	Inert func(*operatorv1alpha1.Garden) []string
	// ServeDomains makes the API server of the virtual garden known as api.<domain> in these domains beside Domain, and in no others. It
	// may be called again at any time. Nil means that the host serves Domain only.
	ServeDomains func(ctx context.Context, further []string) error
	// Credentials that can be rotated.
	Credentials Credentials
}

// Deploys reports whether the host writes components into the runtime cluster.
func (h Host) Deploys() bool {
	return h.Deploy != nil || slices.ContainsFunc(h.Components, func(c Component) bool { return c.Deploy != nil })
}

// Validate refuses a host with which a controller could not tell what serves.
func (h Host) Validate() error {
	stages, names := map[Stage]bool{}, map[string]bool{}
	for _, stage := range Stages() {
		stages[stage] = true
	}
	var errs []error
	for _, c := range h.Components {
		switch {
		case c.Name == "" || names[c.Name]:
			errs = append(errs, fmt.Errorf("the name %q of a component is empty or not unique", c.Name))
		case !stages[c.Stage]:
			errs = append(errs, fmt.Errorf("component %q has the unknown stage %q", c.Name, c.Stage))
		case (c.Serves == nil) == (c.Absent == ""):
			errs = append(errs, fmt.Errorf("component %q must be run, or have a reason why it is not", c.Name))
		}
		names[c.Name] = true
	}
	if (h.Deploy == nil) != (h.Destroy == nil) {
		errs = append(errs, errors.New("a host that deploys components must destroy them, too"))
	}
	return errors.Join(errs...)
}
