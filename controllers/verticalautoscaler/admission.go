package verticalautoscaler

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/vpa"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics"
	admissionmetrics "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics/admission"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/status"
	vpautil "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
)

// statusInterval is how often the admission controller reports to the updater that it runs.
const statusInterval = 10 * time.Second

// AdmissionCommand is the component vpa-admission-controller: a webhook for pods and for the objects of the autoscaler.
// The component that deploys it also registers the webhook; the command itself writes no webhook configuration.
func AdmissionCommand() *cobra.Command {
	c := config.DefaultAdmissionControllerConfig()
	var bind, holder string
	cmd := newCommand("vpa-admission-controller", "Set recommended requests on new pods", c.CommonFlags,
		func(flags *pflag.FlagSet) {
			flags.StringVar(&bind, "bind-address", "", "host:port of the webhook")
			flags.StringVar(&holder, "holder", "", "holder of the lease that says that the webhook works; empty means the name of the host")
			flags.StringVar(&c.CertsConfiguration.TlsCertFile, "tls-cert-file", "", "certificate of the webhook")
			flags.StringVar(&c.CertsConfiguration.TlsPrivateKey, "tls-private-key", "", "key of the certificate")
			flags.Var(quantity{&c.MaxAllowedCPUBoost}, "max-allowed-cpu-boost", "maximum CPU for a container while it starts; no limit if empty")
		},
		func(ctx context.Context, p *process, clients *clients) error {
			return admit(ctx, p, clients, c, bind, holder)
		})
	for _, required := range []string{"bind-address", "tls-cert-file", "tls-private-key"} {
		_ = cmd.MarkFlagRequired(required) // fails only if the flag does not exist
	}
	return cmd
}

func admit(ctx context.Context, p *process, clients *clients, c *config.AdmissionControllerConfig, bind, holder string) error {
	admissionmetrics.Register()
	certificate, err := tls.LoadX509KeyPair(c.CertsConfiguration.TlsCertFile, c.CertsConfiguration.TlsPrivateKey)
	if err != nil {
		return fmt.Errorf("read certificate of the webhook: %w", err)
	}
	if holder == "" {
		if holder, err = os.Hostname(); err != nil {
			return fmt.Errorf("find name of this host: %w", err)
		}
	}
	limits, err := limitrange.NewLimitsRangeCalculator(clients.informers)
	if err != nil {
		return fmt.Errorf("follow limit ranges: %w", err)
	}
	recommendations := recommendation.NewProvider(limits, vpautil.NewCappingRecommendationProcessor(limits))
	matcher := vpa.NewMatcher(
		vpautil.NewVpasLister(clients.vpa, ctx.Done(), c.CommonFlags.VpaObjectNamespace),
		target.NewVpaTargetSelectorFetcher(clients.config, clients.kube, clients.informers, ctx.Done()),
		controllerfetcher.NewControllerFetcher(clients.config, clients.kube, clients.informers, scaleFresh, scaleLife, scaleJitter, ctx.Done()),
	)
	if err := clients.sync(ctx); err != nil {
		return err
	}
	server := logic.NewAdmissionServer(pod.NewDefaultPreProcessor(), vpa.NewDefaultPreProcessor(), limits, matcher,
		[]patch.Calculator{patch.NewResourceUpdatesCalculator(recommendations, c.MaxAllowedCPUBoost), patch.NewObservedContainersCalculator()})
	if err := serve(ctx, bind, &http.Server{
		Handler: http.HandlerFunc(server.Serve), ReadHeaderTimeout: statusInterval,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}},
	}); err != nil {
		return err
	}
	if err := p.serveHealth(ctx, metrics.NewHealthCheck(time.Minute)); err != nil { // it is called only when pods are created
		return err
	}
	status.NewUpdater(clients.kube, status.AdmissionControllerStatusName, status.AdmissionControllerStatusNamespace, statusInterval, holder).Run(ctx.Done())
	<-ctx.Done()
	return nil
}
