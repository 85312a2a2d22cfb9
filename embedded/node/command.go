package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"
	internal "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/util/flag"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// stopTimeout is how long the processes of pods may take when this process is stopped. It is less than the 30 s
// after which a pod is killed.
const stopTimeout = 20 * time.Second

// commandOptions of the component kubelet.
type commandOptions struct {
	kubeconfig, bootstrapKubeconfig string
	config                          string
	name, nodeIP                    string
	rootDir, certDir                string
	labels                          map[string]string
	taints                          internal.KubeletConfiguration // only its RegisterWithTaints
	providerID                      string
	kubernetesVersion               string
	podRange                        string
	inUserNamespace                 bool
	exitOnChange                    string
}

// Companion works in the process of a kubelet for the same Node.
type Companion interface {
	// Flags declares its flags.
	Flags(*pflag.FlagSet)
	// Run works for the Node of a name until ctx ends.
	Run(ctx context.Context, node string)
}

// Command is a node as a component: a kubelet for shoots whose nodes are pods of an embedded seed. Pods of shoots are their users' pods.
// So no container is a process: containers run in sandboxes if the landscape has them, and are simulated otherwise. It stops cleanly on SIGTERM and SIGINT.
func Command(companion Companion) *cobra.Command {
	o := &commandOptions{}
	cmd := &cobra.Command{
		Use:   "kubelet",
		Short: "Run a node whose containers are sandboxed or simulated",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return o.run(ctx, companion)
		},
	}
	flags := cmd.Flags()
	companion.Flags(flags)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the node; written if --bootstrap-kubeconfig is given")
	flags.StringVar(&o.bootstrapKubeconfig, "bootstrap-kubeconfig", "", "kubeconfig with which to request a client certificate")
	flags.StringVar(&o.config, "config", "", "file with a KubeletConfiguration")
	flags.StringVar(&o.name, "hostname-override", "", "name of the node (default the machine's host name)")
	flags.StringVar(&o.nodeIP, "node-ip", "", "address of the node (default $POD_IP)")
	flags.StringVar(&o.rootDir, "root-dir", "var/lib/kubelet", "directory of volumes, logs and containers")
	flags.StringVar(&o.certDir, "cert-dir", "", "directory of certificates (default <root-dir>/pki)")
	flags.StringToStringVar(&o.labels, "node-labels", nil, "labels to register the node with")
	flags.Var(&flag.RegisterWithTaintsVar{Value: &o.taints.RegisterWithTaints}, "register-with-taints", "taints to register the node with, <key>=<value>:<effect>")
	flags.StringVar(&o.providerID, "provider-id", "", "identity of the machine at its provider")
	flags.StringVar(&o.kubernetesVersion, "kubernetes-version", "", "version that the Node shows, if the cluster emulates one (default this binary's)")
	flags.StringVar(&o.podRange, "pod-range", "", "addresses of pods, a CIDR (default derived from the node's address)")
	flags.BoolVar(&o.inUserNamespace, "in-user-namespace", false, "tell the kubelet that it runs in a user namespace, if it cannot see that")
	flags.StringVar(&o.exitOnChange, "exit-on-change", "", "file whose change ends this process, so that it is started again")
	return cmd
}

func (o *commandOptions) run(ctx context.Context, companion Companion) error {
	config, err := o.complete()
	if err != nil {
		return err
	}
	n := New(config)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.exitOnChange != "" {
		if err := onChange(ctx, o.exitOnChange, stop); err != nil {
			return err
		}
	}
	if err := n.Start(ctx); err != nil {
		return err
	}
	beside, endBeside := context.WithCancel(ctx)
	var companions sync.WaitGroup
	companions.Go(func() { companion.Run(beside, config.Name) })
	defer func() { endBeside(); companions.Wait() }()
	select {
	case <-ctx.Done():
	case <-n.Done():
	}
	stopCtx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return n.Stop(stopCtx)
}

func (o *commandOptions) complete() (Config, error) {
	c := Config{
		Name: o.name, Kubeconfig: o.kubeconfig, BootstrapKubeconfig: o.bootstrapKubeconfig, Labels: o.labels, ProviderID: o.providerID,
		KubernetesVersion: o.kubernetesVersion,
		InUserNamespace:   o.inUserNamespace, Taints: o.taints.RegisterWithTaints,
		SharedVolumes: sharedvolume.Dir(os.Getenv(layout.ClusterVariable)),
		StartsNothing: os.Getenv(EmbeddedVariable) != "",
		Version:       image.Version, ShutdownTimeout: stopTimeout, Log: klog.Background(),
	}
	var problems []error
	try := func(err error) { problems = append(problems, err) }
	try(o.completeName(&c))
	try(o.completeAddresses(&c))
	try(o.completePaths(&c))
	try(o.completeKubelet(&c))
	try(completeSandboxes(&c))
	return c, errors.Join(problems...)
}

func (o *commandOptions) completeName(c *Config) (err error) {
	if c.Name != "" {
		return nil
	}
	if c.Name, err = os.Hostname(); err != nil {
		return fmt.Errorf("read host name: %w", err)
	}
	c.Name = strings.ToLower(c.Name)
	return nil
}

func (o *commandOptions) completeAddresses(c *Config) (err error) {
	address := o.nodeIP
	if address == "" {
		address = os.Getenv("POD_IP")
	}
	if c.NodeIP, err = netip.ParseAddr(address); err != nil {
		return fmt.Errorf("node address (--node-ip or $POD_IP): %w", err)
	}
	if o.podRange == "" {
		c.PodRange, err = DefaultPodRange(c.NodeIP)
		return err
	}
	if c.PodRange, err = netip.ParsePrefix(o.podRange); err != nil {
		return fmt.Errorf("--pod-range: %w", err)
	}
	return nil
}

func completeSandboxes(c *Config) (err error) {
	c.Sandboxes, err = sandboxesOfShoot()
	return err
}

func (o *commandOptions) completePaths(c *Config) (err error) {
	if c.RootDir, err = filepath.Abs(o.rootDir); err != nil {
		return fmt.Errorf("--root-dir: %w", err)
	}
	if o.certDir == "" {
		return nil
	}
	if c.CertDir, err = filepath.Abs(o.certDir); err != nil {
		return fmt.Errorf("--cert-dir: %w", err)
	}
	return nil
}

func (o *commandOptions) completeKubelet(c *Config) error {
	c.Kubelet = &kubeletconfig.KubeletConfiguration{}
	if o.config == "" {
		return nil
	}
	data, err := os.ReadFile(o.config)
	if err != nil {
		return fmt.Errorf("read kubelet configuration: %w", err)
	}
	_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return fmt.Errorf("make scheme of kubelet configuration: %w", err)
	}
	// not the defaulting decoder: what the file leaves open gets this package's defaults first
	if err := runtime.DecodeInto(codecs.UniversalDeserializer(), data, c.Kubelet); err != nil {
		return fmt.Errorf("decode kubelet configuration: %w", err)
	}
	absolute(&c.Kubelet.Authentication.X509.ClientCAFile)
	absolute(&c.Kubelet.TLSCertFile)
	absolute(&c.Kubelet.TLSPrivateKeyFile)
	absolute(&c.Kubelet.StaticPodPath)
	return nil
}

// absolute resolves files of a pod relative to its working directory.
func absolute(path *string) {
	if *path == "" {
		return
	}
	if full, err := filepath.Abs(*path); err == nil {
		*path = full
	}
}
