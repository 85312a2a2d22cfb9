package bastion

import "fmt"

// userData creates a single user who may log in with the given SSH key only.
func userData(publicKey string) []byte {
	return fmt.Appendf(nil, `#!/bin/bash -eu
user=gardener
getent passwd "$user" >/dev/null || useradd --create-home --user-group "$user"
home=$(getent passwd "$user" | cut -d: -f6)
install -d -m 0700 -o "$user" -g "$user" "$home/.ssh"
cat >"$home/.ssh/authorized_keys" <<'KEY'
%s
KEY
chmod 0600 "$home/.ssh/authorized_keys"
chown "$user:$user" "$home/.ssh/authorized_keys"
`, publicKey)
}
