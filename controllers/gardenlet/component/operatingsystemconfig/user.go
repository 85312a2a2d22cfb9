package operatingsystemconfig

import (
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	// pathUser is the script that maintains the user for SSH.
	pathUser = "/var/lib/gardener-user/run.sh"
	unitUser = "gardener-user.service"
)

// userScript gives the user gardener the keys of the file, and takes back what else is in its authorized_keys.
const userScript = `#!/bin/bash
set -o nounset
keys=${GARDENER_USER_KEYS:-` + pathAuthorized + `}
home=${GARDENER_USER_HOME:-/home/gardener}
sudoers=${GARDENER_USER_SUDOERS:-/etc/sudoers.d}
interval=${GARDENER_USER_INTERVAL:-30}

reconcile() {
  id -u gardener >/dev/null 2>&1 || useradd --home-dir "$home" --create-home --shell /bin/bash gardener || return
  install -d -m 0700 -o gardener "$home/.ssh" || return
  cmp -s "$keys" "$home/.ssh/authorized_keys" || install -m 0600 -o gardener "$keys" "$home/.ssh/authorized_keys" || return
  if [[ -d $sudoers && ! -e $sudoers/99-gardener-user ]]; then
    echo "gardener ALL=(ALL) NOPASSWD:ALL" >"$sudoers/99-gardener-user"
  fi
}

while true; do
  reconcile || echo "the user gardener could not be maintained"
  sleep "$interval"
done
`

// userUnit is the service that maintains the user.
func userUnit() extensionsv1alpha1.Unit {
	return extensionsv1alpha1.Unit{
		Name: unitUser, Command: ptr.To(extensionsv1alpha1.CommandStart), Enable: ptr.To(true), FilePaths: []string{pathUser, pathAuthorized},
		Content: ptr.To(`[Unit]
Description=Maintains the user for SSH
[Install]
WantedBy=multi-user.target
[Service]
Restart=always
RestartSec=10
EnvironmentFile=-/etc/environment
ExecStart=` + pathUser + `
`),
	}
}
