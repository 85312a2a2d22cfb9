package operatingsystemconfig

import (
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	// pathSSHD is the script that starts or stops the SSH server.
	pathSSHD = "/var/lib/sshd-ensurer/run.sh"
	unitSSHD = "sshd-ensurer.service"
)

// Debian calls the service ssh, most other systems call it sshd. A name that a system does not have is passed over.
const (
	sshdLoop = `interval=${SSHD_ENSURER_INTERVAL:-15}
while true; do
  for name in ssh sshd; do
    systemctl cat "$name.service" >/dev/null 2>&1 && ensure "$name"
  done
  sleep "$interval"
done
`
	sshdRuns = `  systemctl is-active --quiet "$1.service" || systemctl enable --now "$1.service"
`
	// sshdStops ends connections, too, which outlive the server.
	sshdStops = `  systemctl is-active --quiet "$1.service" || return 0
  systemctl disable --now "$1.service"
  pkill -x sshd
`
)

// sshdScript keeps the SSH server of a machine running, or stopped.
func sshdScript(runs bool) string {
	body := sshdStops
	if runs {
		body = sshdRuns
	}
	return "#!/bin/bash\nset -o nounset\nensure() {\n" + body + "}\n" + sshdLoop
}

// sshdUnit is the service that runs the script.
func sshdUnit() extensionsv1alpha1.Unit {
	return extensionsv1alpha1.Unit{
		Name: unitSSHD, Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true), FilePaths: []string{pathSSHD},
		Content: ptr.To(`[Unit]
Description=Keeps the SSH server running, or stopped, as the Shoot says
[Install]
WantedBy=multi-user.target
[Service]
Restart=always
RestartSec=10
EnvironmentFile=-/etc/environment
ExecStart=` + pathSSHD + `
`),
	}
}
