package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/apply"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/condition"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/entrance"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/examine"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/proof"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// runtimeFlags choose the runtime cluster. All verbs of bootstrap have them.
type runtimeFlags struct{ kubeconfig, context string }

func (r *runtimeFlags) open() (*cluster.Cluster, error) {
	c, err := cluster.Open(r.kubeconfig, r.context)
	if err != nil {
		return nil, usageError(err, "name the kubeconfig of an administrator of the runtime cluster with --kubeconfig, and its context with --context")
	}
	return c, nil
}

// bootstrapFlags are those of "gardener bootstrap".
type bootstrapFlags struct {
	runtimeFlags
	image        imageFlags
	name, domain string
	storageClass string
	serviceType  string
	pods         string
	services     string
	protectEtcds bool
	dryRun       bool
	timeout      time.Duration
}

// serviceTypes are the ways by which users reach a garden.
var serviceTypes = []string{string(corev1.ServiceTypeClusterIP), string(corev1.ServiceTypeNodePort), string(corev1.ServiceTypeLoadBalancer)}

// protectEtcdsFlag is off where nobody says otherwise, now or in an earlier bootstrap.
const protectEtcdsFlag = "etcd-component-protection"

func newBootstrap(global *globalFlags) *cobra.Command { return (&bootstrapFlags{}).command(global) }

func (b *bootstrapFlags) command(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "bootstrap", GroupID: "landscape", Short: "Make a garden on a cluster of your own", Args: needsNone,
		Long: `Make a garden on a cluster of your own, the runtime cluster: check the cluster, push the images of a bundle to its registry or load them into its nodes, show by a pod that its nodes
get the image and run it, install the operator, and wait until the garden is ready. The same command goes on after an interruption, and brings a garden to the version of
this binary. docs/bootstrap.md shows the whole way.`,
		Example: `  gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1 --dry-run
  gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1
  gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --load`,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd, global) },
	}
	p := cmd.PersistentFlags()
	p.StringVar(&b.kubeconfig, "kubeconfig", "", "kubeconfig of an administrator of the runtime cluster (default $KUBECONFIG, or the usual file)")
	p.StringVar(&b.context, "context", "", "context of the kubeconfig (default its current one)")
	_ = cmd.MarkPersistentFlagFilename("kubeconfig")
	f := cmd.Flags()
	f.StringVar(&b.domain, "domain", "", "domain of the garden, whose API server is api.DOMAIN")
	f.StringVar(&b.name, "name", "garden", "name of the Garden")
	b.image.add(cmd)
	f.StringVar(&b.storageClass, "storage-class", "", "storage class of the volumes of etcd (default that of the cluster)")
	f.StringVar(&b.serviceType, "service-type", "", "Service by which users reach the garden: one of "+strings.Join(serviceTypes, ", ")+" (default: that of the garden, or "+serviceTypes[0]+")")
	_ = cmd.RegisterFlagCompletionFunc("service-type", cobra.FixedCompletions(serviceTypes, cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&b.pods, "pod-network", "", "range of the pods of the runtime cluster (default: looked up)")
	f.StringVar(&b.services, "service-network", "", "range of the Services of the runtime cluster (default: looked up)")
	f.BoolVar(&b.protectEtcds, protectEtcdsFlag, false, "let nobody but the druid of the operator change the objects of the etcds of the garden (default: that of the garden, or false)")
	f.BoolVar(&b.dryRun, "dry-run", false, "check the cluster and print every object, and change nothing")
	f.DurationVar(&b.timeout, "timeout", 15*time.Minute, "how long to wait until the garden is ready")
	cmd.AddCommand(newBootstrapStatus(global, &b.runtimeFlags), newBootstrapKubeconfig(&b.runtimeFlags), newBootstrapRemove(global, &b.runtimeFlags))
	return cmd
}

func (b *bootstrapFlags) run(cmd *cobra.Command, global *globalFlags) error {
	if b.domain == "" {
		return usageError(fmt.Errorf("%q needs the domain of the garden", cmd.CommandPath()), "name it with --domain, such as --domain garden.example.org")
	}
	if b.serviceType != "" && !slices.Contains(serviceTypes, b.serviceType) {
		return usageError(fmt.Errorf("unknown type of Service %q", b.serviceType), "--service-type accepts one of "+strings.Join(serviceTypes, ", "))
	}
	c, err := b.open()
	if err != nil {
		return err
	}
	reference, err := b.image.reference(cmd.ErrOrStderr(), global.display)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), b.timeout)
	defer cancel()
	show := newProgress(global.display, os.Stdout)
	if b.dryRun {
		show = newProgress(&display{progress: progressNone}, os.Stdout)
	}
	defer show.live.clear()
	facts, err := b.examine(ctx, cmd.ErrOrStderr(), c, show)
	if err != nil {
		return b.ended(ctx, err)
	}
	all, err := objects.All(b.inputs(reference.image, facts, cmd.Flags().Changed(protectEtcdsFlag)))
	if err != nil {
		return err
	}
	if b.dryRun {
		if reference.load != nil {
			if err := reference.load.announce(ctx, func(text string) { global.display.remark(cmd.ErrOrStderr(), "dry run", text) }, facts.Nodes); err != nil {
				return b.ended(ctx, err)
			}
		}
		return printObjects(cmd.OutOrStdout(), all)
	}
	steps := bootstrapSteps{cluster: c, show: show, image: reference, facts: facts, all: all, garden: b.name}
	if err := steps.run(ctx); err != nil {
		return b.ended(ctx, err)
	}
	show.live.clear()
	warn(cmd.ErrOrStderr(), global.display, entrance.Look(ctx, entrance.Inputs{Client: c.Client, Domain: b.domain})) // now that the Service is there
	global.display.tell(cmd.OutOrStdout(), event{Object: "garden " + b.name, State: "ready"}, b.next())
	return nil
}

// examine checks the cluster. Problems are printed as a table, as "gardener doctor" does.
func (b *bootstrapFlags) examine(ctx context.Context, w io.Writer, c *cluster.Cluster, show *progress) (facts examine.Facts, err error) {
	begin := time.Now()
	var findings []doctor.Finding
	show.live.during("preflight", nil, func() {
		findings, facts = examine.All(ctx, examine.Inputs{
			Cluster: c, Garden: b.name, StorageClass: b.storageClass, Pods: b.pods, Services: b.services, Domain: b.domain, Version: Version, Kubernetes: kubernetesVersion(),
		})
	})
	if ctx.Err() != nil {
		return facts, ctx.Err()
	}
	for _, f := range findings {
		if f.State == doctor.Problem {
			if err := show.live.display.printAs(w, uncut("table"), findings, func() [][]string { return findingRows(findings) }); err != nil {
				return facts, err
			}
			return facts, &exitError{code: codeFailure, err: fault.New(fault.Runtime, errors.New("the runtime cluster cannot hold a garden as it is")), hint: "the table lists a fix for each problem; nothing was changed"}
		}
	}
	warn(w, show.live.display, findings)
	show.done("preflight", time.Since(begin))
	return facts, nil
}

// inputs are the flags. What a flag does not say stays as an earlier bootstrap has made it.
func (b *bootstrapFlags) inputs(image string, facts examine.Facts, saysProtection bool) objects.Inputs {
	protect := facts.ProtectsEtcds
	if saysProtection {
		protect = b.protectEtcds
	}
	return objects.Inputs{
		Image: image, ServiceType: corev1.ServiceType(cmp.Or(b.serviceType, facts.ServiceType, serviceTypes[0])), ProtectEtcds: protect, Garden: b.garden(facts),
	}
}

func (b *bootstrapFlags) garden(facts examine.Facts) objects.Garden {
	return objects.Garden{
		Name: b.name, Domain: b.domain, Identity: b.name + "-" + shorten(strings.ReplaceAll(facts.ID, "-", ""), 8), Version: kubernetesVersion(),
		Pods: facts.Pods, Services: facts.Services, VirtualServices: objects.VirtualServices, Zones: facts.Zones, StorageClass: b.storageClass,
	}
}

// kubernetesVersion is that of the virtual garden: the one of the servers in this binary.
func kubernetesVersion() string { return strings.TrimPrefix(version.Get().GitVersion, "v") }

// ended gives errors of a bootstrap that did not come to its end their exit codes and hints.
func (b *bootstrapFlags) ended(ctx context.Context, err error) error {
	const again = "the same command goes on where it stopped"
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &exitError{code: codeTimeout, err: fmt.Errorf("the garden is not ready after %s: %w", b.timeout, err), hint: again + `; see "gardener bootstrap status"`}
	case ctx.Err() != nil:
		return &exitError{code: codeInterrupted, err: ctx.Err(), hint: again + `; "gardener bootstrap remove" takes away what is there`}
	case errors.Is(err, apply.ErrForeign):
		return cured(err, "remove it, or take another cluster; hand over what you made yourself with the label "+objects.LabelManagedBy+"="+objects.ManagedBy)
	}
	return cured(err, "correct what the message names; "+again)
}

// next says what can be done with a garden that is ready.
func (b *bootstrapFlags) next() string {
	own := ""
	if b.kubeconfig != "" {
		own += " --kubeconfig " + b.kubeconfig
	}
	if b.context != "" {
		own += " --context " + b.context
	}
	return fmt.Sprintf("\nThe garden %q is ready. Its API server is https://api.%s.\n\n  gardener bootstrap kubeconfig%s > garden.yaml\n  gardener bootstrap status%s\n", b.name, b.domain, own, own)
}

func printObjects(w io.Writer, all []client.Object) error {
	for _, object := range all {
		content, err := apply.Unstructured(object)
		if err != nil {
			return err
		}
		text, err := yaml.Marshal(content.Object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

// bootstrapSteps are what changes the cluster and the registry.
type bootstrapSteps struct {
	cluster *cluster.Cluster
	show    *progress
	image   imageReference
	facts   examine.Facts
	all     []client.Object
	garden  string
}

func (s bootstrapSteps) run(ctx context.Context) error {
	for _, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"images", s.images},
		{"nodes run the image", s.prove},
		{"operator", s.install},
		{"garden", s.wait},
	} {
		if step.title == "images" && s.image.push == nil && s.image.load == nil {
			continue
		}
		begin := time.Now()
		s.show.live.draw(step.title)
		if err := step.do(ctx); err != nil {
			return err
		}
		s.show.done(step.title, time.Since(begin))
	}
	return nil
}

func (s bootstrapSteps) images(ctx context.Context) error {
	if s.image.load != nil {
		return s.image.load.run(ctx, s.facts.Nodes, s.show.live.draw)
	}
	return s.image.push(ctx)
}

func (s bootstrapSteps) prove(ctx context.Context) error {
	if err := apply.All(ctx, s.cluster.Client, []client.Object{objects.Namespace()}, func(client.Object) {}); err != nil {
		return err
	}
	in := proof.Inputs{Cluster: s.cluster, Image: s.image.image, Version: Version, Architectures: s.facts.Architectures}
	if s.image.onNodes() {
		for _, node := range s.facts.Nodes {
			in.Nodes = append(in.Nodes, node.Name)
		}
	}
	err := proof.Run(ctx, in)
	if errors.Is(err, proof.ErrAbsent) && ctx.Err() == nil {
		return cured(fault.New(fault.Runtime, err), byHand+"; nodes of kind on this machine get it with --load; the same command goes on then")
	}
	if err != nil && ctx.Err() == nil {
		return cured(fault.New(fault.Runtime, err), "push the image for these nodes to a registry that they reach, as docs/bootstrap.md shows; the same command goes on then")
	}
	return err
}

func (s bootstrapSteps) install(ctx context.Context) error {
	return apply.All(ctx, s.cluster.Client, s.all, func(object client.Object) { s.show.live.draw(objects.Describe(object)) })
}

func (s bootstrapSteps) wait(ctx context.Context) error {
	return condition.Until(ctx, s.cluster.Client, s.garden, func(state condition.State) bool { return state.Ready && state.Version() == Version }, func(state condition.State) {
		s.show.live.draw(fmt.Sprintf("garden %d%%: %s", state.Percent, cmp.Or(state.Doing, "it begins")))
	})
}
