package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// print writes a line for each figure: the Shoot, the ConfigMap, and their ratio.
func (b *bench) print(out io.Writer, shoots, configMaps *kind) error {
	fmt.Fprintf(out, "%s/%s, %d CPUs; %d objects of each kind, %d and %d bytes of JSON; %d requests at a time; watched while created\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.objects, shoots.size, configMaps.size, b.workers)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\ttarget\tShoot: p50\tp99\tConfigMap: p50\tp99\tp50 times\t")
	line := func(what, target string, shoot, configMap stats.Sample, format string, scale, times float64) {
		value := func(v float64) string { return fmt.Sprintf(format, v*scale) }
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t\n", what, target, value(shoot.Median()), value(shoot.Percentile(99)),
			value(configMap.Median()), value(configMap.Percentile(99)), times)
	}
	ratio := func(a, b stats.Sample) float64 { return a.Median() / b.Median() }
	const target, milliseconds = "≤ 2 times", "%.1f ms"
	for _, v := range []verb{create, patch} {
		shoot, configMap := shoots.done(v), configMaps.done(v)
		line(v.name+", requests per second", target, shoot.rate, configMap.rate, "%.0f", 1, ratio(configMap.rate, shoot.rate))
		line(v.name, target, shoot.took, configMap.took, milliseconds, 1000, ratio(shoot.took, configMap.took))
		if v.name == create.name {
			line(v.name+" until watched", target, shoots.events, configMaps.events, milliseconds, 1000, ratio(shoots.events, configMaps.events))
		}
		line(v.name+", processor time", "-", shoot.cpu, configMap.cpu, "%.2f ms", 1000, ratio(shoot.cpu, configMap.cpu))
		line(v.name+", allocated memory", "-", shoot.bytes, configMap.bytes, "%.0f kB", 1e-3, ratio(shoot.bytes, configMap.bytes))
	}
	line("list of all", "≤ 1500 ms", shoots.lists, configMaps.lists, milliseconds, 1000, ratio(shoots.lists, configMaps.lists))
	line("list of all, processor time", "-", shoots.listsCPU, configMaps.listsCPU, milliseconds, 1000, ratio(shoots.listsCPU, configMaps.listsCPU))
	line("list in pages of 500", target, shoots.pages, configMaps.pages, milliseconds, 1000, ratio(shoots.pages, configMaps.pages))
	line("list in pages of 500, processor time", "-", shoots.pagesCPU, configMaps.pagesCPU, milliseconds, 1000, ratio(shoots.pagesCPU, configMaps.pagesCPU))
	line("memory of the server for each", "-", shoots.memory, configMaps.memory, "%.1f kB", 1e-3, ratio(shoots.memory, configMaps.memory))
	return w.Flush()
}
