// Command k8s-dns-node-cache is the DNS cache on the nodes of test clusters: CoreDNS that listens on addresses which it
// adds to the node itself. It accepts the flags that DaemonSets pass to the public image of this name, so that it can
// replace the image.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/coredns/caddy"
	_ "github.com/coredns/caddy/onevent"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/debug"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
	_ "github.com/coredns/coredns/plugin/rewrite"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	localIPs := flag.String("localip", "", "addresses to listen at, separated by commas")
	upstream := flag.String("upstreamsvc", "kube-dns", "Service that leads to the DNS server of the cluster")
	base := flag.String("basecorefile", "/etc/coredns/Corefile.base", "configuration with placeholders")
	flag.String("health-port", "8080", "port of the health check; it must match the configuration")
	flag.Parse()
	if err := prepare(strings.Split(*localIPs, ","), *upstream, *base, flag.Lookup("conf").Value.String()); err != nil {
		fmt.Fprintln(os.Stderr, "k8s-dns-node-cache:", err)
		os.Exit(1)
	}
	coremain.Run()
}

// prepare writes the configuration for CoreDNS, and adds the addresses to the node until the process ends.
func prepare(addresses []string, upstream, base, conf string) error {
	template, err := os.ReadFile(base)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	config, err := render(string(template), os.Getenv(hostVariable(upstream)))
	if err != nil {
		return err
	}
	if err := os.WriteFile(conf, []byte(config), 0o644); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	if err := takeAddresses(addresses); err != nil {
		return err
	}
	caddy.OnProcessExit = append(caddy.OnProcessExit, func() { releaseAddresses(addresses) })
	return nil
}

// render replaces placeholders: the DNS server of the cluster, and those of the node.
func render(template, clusterDNS string) (string, error) {
	const pillar = "__PILLAR__CLUSTER__DNS__"
	if strings.Contains(template, pillar) && clusterDNS == "" {
		return "", fmt.Errorf("the Service of the DNS server is not known yet") // the next container knows it
	}
	return strings.NewReplacer(pillar, clusterDNS, "__PILLAR__UPSTREAM__SERVERS__", "/etc/resolv.conf").Replace(template), nil
}

// hostVariable is the name of the environment variable with the address of a Service.
func hostVariable(service string) string {
	return strings.ToUpper(strings.ReplaceAll(service, "-", "_")) + "_SERVICE_HOST"
}
