// Conformance runs Kubernetes' own conformance tests against a shoot, and writes docs/conformance.md from what they report. It makes the images
// of the tests itself, brings up a landscape of its own and removes it. With -kubeconfig it uses a cluster that is there. See docs/conformance.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/hack/conformance/images"
	"github.com/gardener-up/gardener-up/hack/conformance/results"
)

const module = "hack/conformance/suite"

type options struct {
	groups, focus, skip, kubeconfig, work, binary, page string
	reports                                             string // directory in that for programs
	procs, nodes                                        int
	limit                                               time.Duration
	imagesOnly, pageOnly, quick                         bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{reports: "reports"}
	flag.StringVar(&o.groups, "groups", "", "the groups to run, such as sig-apps,sig-node; all if empty")
	flag.StringVar(&o.focus, "focus", "", "a regular expression: run only tests whose names match")
	flag.StringVar(&o.skip, "skip", "", "a regular expression: do not run tests whose names match")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "run against this cluster, which has the images; without it a landscape is made and removed")
	flag.StringVar(&o.work, "work", "bin/conformance", "the directory for programs, images and reports")
	flag.StringVar(&o.page, "page", "docs/conformance.md", "the page to write")
	flag.IntVar(&o.procs, "procs", 4, "how many tests run side by side")
	flag.IntVar(&o.nodes, "nodes", 2, "how many nodes the shoot has")
	flag.DurationVar(&o.limit, "limit", time.Hour, "the time for one group")
	flag.BoolVar(&o.imagesOnly, "images-only", false, "only make the images and print the path of their archive")
	flag.BoolVar(&o.pageOnly, "page-only", false, "only write the page, from the reports that are there")
	flag.BoolVar(&o.quick, "quick", false, "run one test that needs no image, on one node, and expect that it passes: to try this program; the page is written into the directory for programs")
	flag.Parse()
	if o.quick {
		o.shorten()
	}
	o.binary = os.Getenv("GARDENER_BIN")
	if err := conformance(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func conformance(ctx context.Context, o options) error {
	var err error
	if o.work, err = filepath.Abs(o.work); err != nil {
		return err
	}
	kubernetes, err := source(ctx)
	if err != nil {
		return err
	}
	names, err := list(kubernetes)
	if err != nil {
		return err
	}
	reports := filepath.Join(o.work, o.reports)
	if o.quick {
		// An older report says nothing about this run.
		if err := os.RemoveAll(reports); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(reports, 0o755); err != nil {
		return err
	}
	if !o.pageOnly {
		if err := o.run(ctx, kubernetes, names, reports); err != nil || o.imagesOnly {
			return err
		}
	}
	all, err := results.Read(reports, names)
	if err != nil {
		return err
	}
	if err := results.Write(o.page, all); err != nil || !o.quick {
		return err
	}
	return passed(all)
}

// source is the directory with the source of Kubernetes.
func source(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	cmd.Dir, cmd.Stderr = module, os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find the source of Kubernetes: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

func (o options) run(ctx context.Context, kubernetes string, names []string, reports string) (err error) {
	archive := ""
	if (o.kubeconfig == "" && !o.quick) || o.imagesOnly {
		file, made, err := images.Write(images.Folders{Suite: module, Kubernetes: kubernetes, Work: filepath.Join(o.work, "images")})
		if err != nil {
			return err
		}
		fmt.Println(file)
		fmt.Fprintln(os.Stderr, "images:", strings.Join(made, " "))
		archive = file
	}
	if o.imagesOnly {
		return nil
	}
	s, err := compile(ctx, module, o.work)
	if err != nil {
		return err
	}
	if o.binary == "" && o.kubeconfig == "" {
		return errors.New("GARDENER_BIN names no binary of gardener; make conformance sets it")
	}
	if o.kubeconfig != "" {
		return o.groupsOf(ctx, s, names, reports)
	}
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, err := landscape(o.binary, dir, !o.quick)
	if err != nil {
		return err
	}
	defer l.Release()
	defer func() { err = errors.Join(err, down(l)) }()
	if o.kubeconfig, err = up(ctx, l, archive, o.nodes); err != nil {
		return err
	}
	return o.groupsOf(ctx, s, names, reports)
}

// groupsOf runs one group after the other.
func (o options) groupsOf(ctx context.Context, s suite, names []string, reports string) error {
	chosen := groups(names)
	if o.groups != "" {
		wanted := strings.Split(o.groups, ",")
		for _, group := range wanted {
			if !slices.Contains(chosen, group) {
				return fmt.Errorf("there is no group %s; the groups are %s", group, strings.Join(chosen, ", "))
			}
		}
		chosen = wanted
	}
	for _, group := range chosen {
		focus := regexp.QuoteMeta("["+group+"]") + ".*" + o.focus + ".*" + regexp.QuoteMeta("[Conformance]")
		fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), "group", group)
		err := s.start(ctx, run{group, o.kubeconfig, focus, o.skip, o.procs, o.nodes, o.limit}, reports)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return nil
}
