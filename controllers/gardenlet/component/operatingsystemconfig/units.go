package operatingsystemconfig

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	// binaryKubelet is the path of the kubelet; machines whose image contains it need not download it.
	binaryKubelet = "/opt/bin/kubelet"
	// kubeletImage contains the kubelet of the version in its tag.
	kubeletImage = "europe-docker.pkg.dev/gardener-project/releases/hyperkube"
	// BinaryPath is where extensions install the programs of further container runtimes; containerd searches it first.
	BinaryPath = "/var/bin/containerruntimes"
	// pathMonitor is the script that restarts a hanging service; its argument is kubelet or containerd.
	pathMonitor = "/opt/bin/health-monitor"
)

// monitorScript restarts a service after four failed probes in a row. It is a script, since it always runs. If a
// service has not answered since its restart, systemd is responsible: the service may lack something it needs.
const monitorScript = `#!/bin/bash
set -o nounset
service=$1
interval=${HEALTH_MONITOR_INTERVAL:-20}

probe() {
  case $service in
  containerd) timeout 15 ctr --namespace=k8s.io containers list --quiet >/dev/null ;;
  kubelet)
    exec 3<>/dev/tcp/127.0.0.1/10248 || return 1
    printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3
    read -r -t 15 _ code _ <&3
    local result=$?
    exec 3>&-
    [[ $result == 0 && $code == 200 ]]
    ;;
  *) echo "unknown service $service"; exit 2 ;;
  esac
}

answered=0 failures=0
while true; do
  if (probe) 2>/dev/null; then
    answered=1 failures=0
  elif ((answered)) && ((++failures > 3)); then
    echo "restarting $service, which does not answer"
    systemctl restart "$service.service"
    answered=0 failures=0
  fi
  sleep "$interval"
done
`

// units are the services of a machine, in the order in which they start.
func (v Values) units() []extensionsv1alpha1.Unit {
	out := []extensionsv1alpha1.Unit{
		{Name: unitSysctl, Command: ptr.To(extensionsv1alpha1.CommandRestart), FilePaths: []string{pathSysctl}},
		{
			Name: unitContainerd, Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true),
			DropIns: []extensionsv1alpha1.DropIn{
				{Name: "10-limits.conf", Content: "[Service]\nLimitMEMLOCK=67108864\nLimitNOFILE=1048576\n"},
				{Name: "30-env_config.conf", Content: "[Service]\nEnvironment=\"PATH=" + BinaryPath + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n"},
			},
		},
		{
			Name: unitKubelet, Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true),
			Content: ptr.To(v.kubeletUnit()), FilePaths: []string{binaryKubelet, pathConfig, pathCA},
		},
		monitor("containerd", unitContainerd),
		monitor("kubelet", unitKubelet),
		{
			Name: config.Unit, Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true),
			Content: ptr.To(agentUnit), FilePaths: []string{config.PathConfig, config.Binary},
		},
		sshdUnit(),
	}
	if len(v.SSHPublicKeys) > 0 {
		out = append(out, userUnit())
	}
	return out
}

// monitor is the service that monitors another one.
func monitor(name, of string) extensionsv1alpha1.Unit {
	return extensionsv1alpha1.Unit{
		Name: name + "-monitor.service", Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true), FilePaths: []string{pathMonitor},
		Content: ptr.To(fmt.Sprintf(`[Unit]
Description=Restarts %s when it does not answer
After=%s
[Install]
WantedBy=multi-user.target
[Service]
Restart=always
RestartSec=10
EnvironmentFile=-/etc/environment
ExecStart=%s %s
`, name, of, pathMonitor, name)),
	}
}

const agentUnit = `[Unit]
Description=Gardener Node Agent
After=network-online.target gardener-node-init.service
Wants=network-online.target
[Install]
WantedBy=multi-user.target
[Service]
Restart=always
RestartSec=5
EnvironmentFile=-/etc/environment
ExecStart=` + config.Binary + ` component node-agent --config=` + config.PathConfig + `
`
