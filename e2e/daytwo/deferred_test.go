package daytwo

import (
	"strings"
	"time"
)

// deferKeys asks for another SSH key while a node lags. The next maintenance window is to make it.
func (u *updates) deferKeys() {
	u.t.Helper()
	key := func() string {
		return u.Kubectl(u.Garden(), "-n", project, "get", "secret", "updates.ssh-keypair", "-o", `jsonpath={.data.id_rsa\.pub}`)
	}
	before := key()
	u.Kubectl(u.Garden(), "-n", project, "annotate", "shoot", "updates", "gardener.cloud/operation=rotate-ssh-keypair")
	const path = `{.metadata.annotations.gardener\.cloud/operation} {.metadata.annotations.maintenance\.gardener\.cloud/operation} {.status.lastOperation.state}`
	u.Eventually(2*time.Minute, "the rotation is deferred", func() (bool, string) {
		got := u.get(path)
		return got == "rotate-ssh-keypair Succeeded", got
	})
	if started := u.get("{.status.credentials.rotation.sshKeypair.lastInitiationTime}"); started != "" || key() != before {
		u.t.Errorf("the rotation was started at %q, the key is another one: %t", started, key() != before)
	}
	if events := u.Kubectl(u.Garden(), "-n", project, "get", "events"); !strings.Contains(events, "SSHKeypairRotationDeferred") {
		u.t.Errorf("no event tells it:\n%s", events)
	}
	u.Kubectl(u.Garden(), "-n", project, "annotate", "shoot", "updates", "maintenance.gardener.cloud/operation-")
}
