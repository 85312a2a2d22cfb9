package app

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/condition"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/entrance"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// bootstrapStatus is how "gardener bootstrap status -o json" prints the state.
type bootstrapStatus struct {
	condition.State
	Name       string               `json:"name"`
	Domain     string               `json:"domain,omitempty"`
	Version    string               `json:"version,omitempty"`
	Conditions []bootstrapCondition `json:"conditions"`
	// Entrance is how users reach the API server.
	Entrance []doctor.Finding `json:"entrance,omitempty"`
}

type bootstrapCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

func newBootstrapStatus(global *globalFlags, runtime *runtimeFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "status", Short: "Show how the garden on a cluster of your own is", Args: needsNone,
		Example: `  gardener bootstrap status --kubeconfig runtime.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := runtime.open()
			if err != nil {
				return err
			}
			state, err := condition.Look(cmd.Context(), c.Client, "")
			if err != nil {
				return cured(err, "look at the kubeconfig and its context, and at the runtime cluster")
			}
			if state.Garden == nil {
				return &exitError{code: codeNotFound, err: condition.ErrNone, hint: `make one with "gardener bootstrap"`}
			}
			status := statusOfGarden(state)
			status.Entrance = entrance.Look(cmd.Context(), entrance.Inputs{Client: c.Client, Domain: status.Domain})
			if err := global.display.printAs(cmd.OutOrStdout(), uncut(output), status, status.rows); err != nil || state.Ready {
				return err
			}
			return &exitError{code: codeFailure, err: fault.New(fault.NotReady, errors.New(state.Doing)), hint: "the operator goes on by itself; its log tells more: kubectl -n garden logs deployment/gardener-operator"}
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func statusOfGarden(state condition.State) bootstrapStatus {
	garden := state.Garden
	status := bootstrapStatus{State: state, Name: garden.Name, Version: garden.Spec.VirtualCluster.Kubernetes.Version, Conditions: []bootstrapCondition{}}
	if domains := garden.Spec.VirtualCluster.DNS.Domains; len(domains) > 0 {
		status.Domain = domains[0].Name
	}
	for _, one := range garden.Status.Conditions {
		status.Conditions = append(status.Conditions, bootstrapCondition{string(one.Type), string(one.Status), one.Message})
	}
	return status
}

func (s bootstrapStatus) rows() [][]string {
	rows := [][]string{{"WHAT", "STATE", "MESSAGE"}}
	state := "Ready"
	if !s.Ready {
		state = fmt.Sprintf("%d %%", s.Percent)
	}
	rows = append(rows, []string{"garden " + s.Name, state, cmp.Or(s.Doing, "Kubernetes "+s.Version+" at api."+s.Domain)})
	for _, one := range s.Conditions {
		rows = append(rows, []string{one.Type, one.Status, one.Message})
	}
	return append(rows, findingRows(s.Entrance)[1:]...)
}

func newBootstrapKubeconfig(runtime *runtimeFlags) *cobra.Command {
	var server string
	cmd := &cobra.Command{
		Use: "kubeconfig", Short: "Print a kubeconfig for the garden on a cluster of your own", Args: needsNone,
		Long: `Print a kubeconfig for the garden on a cluster of your own. Its token is that of an administrator, and is valid for 12 hours at most; whoever can read Secrets of namespace
garden of the runtime cluster can get another one.`,
		Example: `  gardener bootstrap kubeconfig --kubeconfig runtime.yaml > garden.yaml
  gardener bootstrap kubeconfig --kubeconfig runtime.yaml --server https://127.0.0.1:8443 > garden.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := runtime.open()
			if err != nil {
				return err
			}
			secret := &corev1.Secret{}
			err = c.Client.Get(cmd.Context(), client.ObjectKey{Namespace: constants.GardenNamespace, Name: access.SecretName}, secret)
			if apierrors.IsNotFound(err) || err == nil && len(secret.Data[resourcesv1alpha1.DataKeyKubeconfig]) == 0 {
				return &exitError{code: codeNotFound, err: errors.New("the garden has no kubeconfig yet"), hint: `see "gardener bootstrap status"`}
			}
			if err != nil {
				return cured(err, "look at the kubeconfig of the runtime cluster, and at the rights of its user")
			}
			content, err := reachedAt(secret.Data[resourcesv1alpha1.DataKeyKubeconfig], server)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(content)
			return err
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "https://host:port at which the garden is reached, such as the end of a port-forward (default: that of the Garden)")
	return cmd
}

// reachedAt is a kubeconfig whose server is reached at another address. The name in the server's certificate stays.
func reachedAt(kubeconfig []byte, server string) ([]byte, error) {
	if server == "" {
		return kubeconfig, nil
	}
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of the garden: %w", err)
	}
	for _, cluster := range config.Clusters {
		if cluster.TLSServerName == "" {
			cluster.TLSServerName = hostOf(cluster.Server)
		}
		cluster.Server = server
	}
	return clientcmd.Write(*config)
}
