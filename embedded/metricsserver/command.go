package metricsserver

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// Name of the component.
const Name = "metrics-server"

// defaultInterval is long enough for a meaningful mean of CPU usage and short enough for autoscalers.
const defaultInterval = 15 * time.Second

// Command is the component: an API server for aggregation into a cluster. It ends when the context of the command does.
func Command() *cobra.Command {
	c := Config{}
	cmd := &cobra.Command{
		Use: Name, Short: "Serve the CPU and memory usage of nodes and pods (metrics.k8s.io)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if c.Kubeconfig != "" {
				c.Cluster, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
			} else {
				c.Cluster, _, err = incluster.Config()
			}
			if err != nil {
				return fmt.Errorf("find the cluster: %w", err)
			}
			c.Cluster.UserAgent, c.Log = Name, log.Log.WithName(Name)
			return Run(cmd.Context(), c)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of the cluster; the pod's own service account if empty")
	flags.IPVar(&c.BindAddress, "bind-address", net.IPv4zero, "IP address to listen on")
	flags.IntVar(&c.Port, "secure-port", 10250, "port to serve HTTPS on")
	flags.StringVar(&c.CertFile, "tls-cert-file", "", "certificate to serve with")
	flags.StringVar(&c.KeyFile, "tls-private-key-file", "", "key of the certificate")
	flags.StringVar(&c.Kubelet.CAFile, "kubelet-certificate-authority", "", "CA of kubelets; they are not checked if empty")
	flags.StringVar(&c.Kubelet.CertFile, "kubelet-client-certificate", "", "client certificate for kubelets; they get the cluster's token if empty")
	flags.StringVar(&c.Kubelet.KeyFile, "kubelet-client-key", "", "key of the client certificate")
	flags.StringVar(&c.Kubelet.Name, "kubelet-name", "", "name whose addresses are those of the kubelets: no other address is asked; all addresses of Nodes are asked if empty")
	flags.DurationVar(&c.Interval, "metric-resolution", defaultInterval, "time between two questions to a kubelet")
	for _, required := range []string{"tls-cert-file", "tls-private-key-file"} {
		_ = cmd.MarkFlagRequired(required) // fails only if the flag does not exist
	}
	return cmd
}
