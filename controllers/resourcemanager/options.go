package resourcemanager

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// options are the values of flags and file; AddToManager gets the Config in them.
type options struct {
	Config
	sourceKubeconfig string
	targetKubeconfig string
	namespace        string
	targetNamespace  string
	bindAddress      string
	metricsAddress   string
	leaderElect      bool
	leaseName        string
	leaseNamespace   string
	leaseDuration    time.Duration
	renewDeadline    time.Duration
	retryPeriod      time.Duration
	source, target   componentconfig.Requests
	rootCAFile       string
	webhookService   string // <namespace>/<name>[:<port>]
	cacheSyncTimeout time.Duration
	fromFile         bool
	withoutEffect    []string // keys of the file

	// worker counts from before configuration files; more than 0 turns the controller on
	tokenRequestorWorkers int
	rootCAWorkers         int
}

// unlimited makes clients send requests without a rate limit.
const unlimited = -1

// newOptions does not limit requests: API servers protect themselves by priority and fairness, and shoots wait for
// their first objects. The defaults of a configuration file are 100 requests per second and a burst of 130.
func newOptions() *options {
	return &options{
		source: componentconfig.Requests{QPS: unlimited}, target: componentconfig.Requests{QPS: unlimited},
		leaseName: "gardener-resource-manager", leaseDuration: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 2 * time.Second,
	}
}

func (o *options) bind(flags *pflag.FlagSet) {
	flags.StringVar(&o.sourceKubeconfig, "source-kubeconfig", "", "kubeconfig of the cluster with the ManagedResources; empty means the pod's own service account")
	flags.StringVar(&o.sourceKubeconfig, "kubeconfig", "", "the same as --source-kubeconfig")
	flags.StringVar(&o.targetKubeconfig, "target-kubeconfig", "", "kubeconfig of the cluster to apply them to; empty means the source cluster")
	flags.StringVar(&o.namespace, "namespace", "", "namespace of the source cluster to look at; empty means all")
	flags.StringVar(&o.targetNamespace, "target-namespace", "", "namespace of the target cluster for tokens and webhooks; empty means all")
	flags.StringVar(&o.bindAddress, "bind-address", ":8081", "address of the health endpoint")
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "0", "address of the metrics endpoint; 0 means none")
	flags.BoolVar(&o.leaderElect, "leader-elect", false, "elect a leader before acting")
	flags.StringVar(&o.Class, "resource-class", "", `class of ManagedResources to handle (default "resources")`)
	flags.StringVar(&o.ClusterID, "cluster-id", "", "identity for the origin annotation: literal, <cluster>, or <default>")
	flags.StringVar(&o.ManagedByLabel, "managed-by-label", "", `value of the managed-by label (default "gardener")`)
	flags.DurationVar(&o.SyncPeriod, "sync-period", 0, "period of comparing healthy resources (default 1m)")
	flags.BoolVar(&o.AlwaysUpdate, "always-update", false, "write resources at every sync")
	flags.IntVar(&o.ConcurrentSyncs, "max-concurrent-workers", 0, "number of ManagedResources handled at a time (default 5)")
	flags.DurationVar(&o.GarbageCollectorPeriod, "garbage-collector-sync-period", 0, "period of deleting unused Secrets and ConfigMaps; 0 means never")
	flags.BoolVar(&o.TokenRequestor, "token-requestor", false, "fill Secrets with tokens of the target cluster")
	flags.IntVar(&o.tokenRequestorWorkers, "token-requestor-max-concurrent-workers", 0, "more than 0 turns the token requestor on")
	flags.StringVar(&o.TokenRequestorClass, "token-requestor-class", "", "class of token Secrets to fill besides those without one")
	flags.IntVar(&o.TokenInvalidatorSyncs, "token-invalidator-max-concurrent-workers", 0, "number of static tokens invalidated at a time; 0 means none")
	flags.StringVar(&o.rootCAFile, "root-ca-file", "", "certificate to publish in all namespaces")
	flags.IntVar(&o.rootCAWorkers, "root-ca-publisher-max-concurrent-workers", 1, "0 turns the root CA publisher off")
	flags.BoolVar(&o.CSRApprover, "csr-approver", false, "approve serving certificates of kubelets of the target cluster")
	flags.StringVar(&o.MachineNamespace, "machine-namespace", "", "namespace of the Machines whose nodes get certificates; empty means every node")
	flags.BoolVar(&o.NodeController, "node-controller", false, "remove the taint of new nodes when their critical components run")
	flags.DurationVar(&o.NodeBackoff, "node-backoff", 0, "interval for checking a node that is not ready yet (default 10s)")
	o.bindWebhooks(flags)
}

func (o *options) bindWebhooks(flags *pflag.FlagSet) {
	w := &o.Webhooks
	flags.StringVar(&o.Webhook.Name, "webhook-configuration-name", "", "name of the webhook configurations in the target cluster; empty means no webhooks")
	flags.StringVar(&o.Webhook.BindAddress, "webhook-bind-address", ":10250", "address of the webhook server")
	flags.StringVar(&o.Webhook.URL, "webhook-url", "", "https://host:port by which API servers reach the webhook server; empty means the address it listens on")
	flags.StringVar(&o.Webhook.CertDir, "tls-cert-dir", "", "directory with tls.crt, tls.key and optionally ca.crt of the webhook server; empty means that it makes its own certificate")
	flags.StringVar(&o.webhookService, "webhook-service", "", "Service for the same, <namespace>/<name>[:<port>]")
	flags.BoolVar(&w.ProjectedTokenMount.Enabled, "webhook-projected-token-mount", false, "give pods tokens that expire")
	flags.Int64Var(&w.ProjectedTokenMount.ExpirationSeconds, "projected-token-mount-expiration-seconds", 43200, "validity of tokens of pods that do not specify it")
	flags.BoolVar(&w.PodTopologySpreadConstraints.Enabled, "webhook-pod-topology-spread-constraints", false, "let constraints count pods of one ReplicaSet only")
	flags.BoolVar(&w.HighAvailabilityConfig.Enabled, "webhook-high-availability-config", false, "spread replicated workloads")
	flags.BoolVar(&w.SeccompProfile.Enabled, "webhook-seccomp-profile", false, "set the default seccomp profile")
	flags.BoolVar(&w.PodZoneAffinity.Enabled, "webhook-pod-zone-affinity", false, "keep pods of namespaces that ask for it in one zone")
	flags.BoolVar(&w.ExtensionValidation.Enabled, "webhook-extension-validation", false, "refuse invalid extension objects")
	flags.BoolVar(&w.EndpointSliceHints.Enabled, "webhook-endpoint-slice-hints", false, "keep traffic of labelled endpoint slices in zones")
	flags.BoolVar(&w.TokenInvalidator.Enabled, "webhook-token-invalidator", false, "invalidate labelled static tokens before they are stored")
	flags.StringVar(&w.KubernetesServiceHost.Host, "kubernetes-service-host", "", "host of the API server for pods; empty means that it is not set")
	flags.StringVar(&w.PodSchedulerName.SchedulerName, "pod-scheduler-name", "", "scheduler of pods that name none; empty means the default scheduler")
	c := &w.SystemComponentsConfig
	flags.BoolVar(&c.Enabled, "webhook-system-components-config", false, "let system components run on their nodes")
	flags.StringToStringVar(&c.NodeSelector, "system-components-node-selector", nil, "labels of the nodes whose taints system components tolerate")
	flags.StringToStringVar(&c.PodNodeSelector, "system-components-pod-node-selector", nil, "labels of the nodes system components run on")
}

// apply sets all values of the file.
func (o *options) apply(file *config.ResourceManagerConfiguration) {
	o.fromFile, o.withoutEffect = true, file.WithoutEffect()
	o.target = componentconfig.Requests{QPS: 100, Burst: 130}
	o.sourceKubeconfig, o.source = file.SourceClientConnection.Kubeconfig, file.SourceClientConnection.Requests
	o.Namespaces = file.SourceClientConnection.Namespaces
	if target := file.TargetClientConnection; target != nil {
		o.targetKubeconfig, o.target, o.TargetNamespaces = target.Kubeconfig, target.Requests, target.Namespaces
	}
	election := file.LeaderElection
	o.leaderElect, o.leaseName, o.leaseNamespace = *election.LeaderElect, election.ResourceName, election.ResourceNamespace
	o.leaseDuration, o.renewDeadline, o.retryPeriod = election.LeaseDuration.Duration, election.RenewDeadline.Duration, election.RetryPeriod.Duration
	o.bindAddress = file.Server.HealthProbes.Address()
	if file.Server.Metrics != nil && file.Server.Metrics.Port != 0 {
		o.metricsAddress = file.Server.Metrics.Address()
	}
	c := file.Controllers
	o.Class, o.ClusterID = c.ResourceClass, ptr.Deref(c.ClusterID, "")
	o.SyncPeriod, o.AlwaysUpdate = c.ManagedResource.SyncPeriod.Duration, c.ManagedResource.AlwaysUpdate
	o.ManagedByLabel, o.ConcurrentSyncs = c.ManagedResource.ManagedByLabelValue, c.ManagedResource.ConcurrentSyncs
	if c.GarbageCollector.Enabled {
		o.GarbageCollectorPeriod = c.GarbageCollector.SyncPeriod.Duration
	}
	o.TokenRequestor, o.TokenRequestorSyncs = c.TokenRequestor.Enabled, c.TokenRequestor.ConcurrentSyncs
	if c.TokenInvalidator.Enabled {
		o.TokenInvalidatorSyncs = c.TokenInvalidator.ConcurrentSyncs
	}
	if c.RootCAPublisher.Enabled {
		o.rootCAFile, o.RootCASyncs = c.RootCAPublisher.RootCAFile, c.RootCAPublisher.ConcurrentSyncs
	}
	o.CSRApprover, o.MachineNamespace, o.CSRApproverSyncs = c.CSRApprover.Enabled, c.CSRApprover.MachineNamespace, c.CSRApprover.ConcurrentSyncs
	o.NodeController, o.NodeBackoff = c.NodeCriticalComponents.Enabled, c.NodeCriticalComponents.Backoff.Duration
	o.NodeSyncs = c.NodeCriticalComponents.ConcurrentSyncs
	o.Webhooks = file.Webhooks
	o.Webhook.BindAddress = file.Server.Webhooks.Address()
	if tls := file.Server.Webhooks.TLS; tls != nil {
		o.Webhook.CertDir = tls.ServerCertDir
	}
	o.cacheSyncTimeout, o.NetworkPolicies = c.CacheSyncTimeout.Duration, c.NetworkPolicy
}

// complete derives settings that follow from several options.
func (o *options) complete() error {
	if o.namespace != "" {
		o.Namespaces = []string{o.namespace}
	}
	if o.targetNamespace != "" {
		o.TargetNamespaces = []string{o.targetNamespace}
	}
	o.TokenRequestor = o.TokenRequestor || o.tokenRequestorWorkers > 0
	if !o.fromFile { // flags turn these on by their value
		o.Webhooks.KubernetesServiceHost.Enabled = o.Webhooks.KubernetesServiceHost.Host != ""
		o.Webhooks.PodSchedulerName.Enabled = o.Webhooks.PodSchedulerName.SchedulerName != ""
	}
	if o.leaseNamespace == "" && len(o.Namespaces) > 0 {
		o.leaseNamespace = o.Namespaces[0]
	}
	if o.rootCAFile != "" && o.rootCAWorkers > 0 {
		raw, err := os.ReadFile(o.rootCAFile)
		if err != nil {
			return fmt.Errorf("read root certificate: %w", err)
		}
		o.RootCA = raw
	}
	if o.Webhook.Name == "" && len(hooks(o.Config, nil)) > 0 {
		o.Webhook.Name = "gardener-resource-manager"
	}
	if o.Webhook.Namespace = "garden"; len(o.Namespaces) > 0 {
		o.Webhook.Namespace = o.Namespaces[0]
	}
	var err error
	o.Webhook.Service, err = webhook.ParseService(o.webhookService)
	return err
}
