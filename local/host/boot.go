package host

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/local/containerd"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// Paths in a machine.
const (
	binaryDir    = "/opt/gardener/bin"
	binaryName   = "gardener"
	pathUserData = "/var/lib/gardener-node-init/user-data"
	unitInit     = "gardener-node-init.service"
	unitAgent    = "gardener-node-agent.service"
)

// bootTimeout bounds the wait for the machine's system, and for its boot.
const bootTimeout = 3 * time.Minute

// boot makes the system of a running container boot from the user data once, and keeps its copy of this program up
// to date.
func (r *Reconciler) boot(ctx context.Context, s *scope, found containers.Container) error {
	digest, err := r.binaryDigest()
	if err != nil {
		return err
	}
	if s.memory.Booted && s.memory.Binary == digest {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, bootTimeout)
	defer cancel()
	if s.existed && !s.memory.Booted && r.hasBooted(ctx, found.Name, digest) {
		s.memory.Booted, s.memory.Binary = true, digest
		return nil
	}
	for _, step := range []struct {
		what string
		do   func(context.Context, *scope, string) error
	}{
		{"wait for the system", r.awaitSystem},
		{"copy this program", r.copyBinary},
		{"bring the appliance image", r.importImage},
		{"boot", r.runInit},
	} {
		if err := step.do(ctx, s, found.Name); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	s.memory.Booted, s.memory.Binary = true, digest
	return nil
}

// hasBooted reports whether a container runs with this program already, so that nothing in it has to be disturbed.
func (r *Reconciler) hasBooted(ctx context.Context, name, digest string) bool {
	out, err := r.Engine.Exec(ctx, name, nil, "sh", "-c", "systemctl is-active --quiet "+unitInit+" && sha256sum "+binaryDir+"/"+binaryName)
	return err == nil && strings.HasPrefix(string(out), digest)
}

// awaitSystem waits until systemd has started the units that start by default.
func (r *Reconciler) awaitSystem(ctx context.Context, _ *scope, name string) error {
	_, err := r.Engine.Exec(ctx, name, nil, "sh", "-c",
		`for i in $(seq 480); do systemctl is-active --quiet multi-user.target && exit 0; sleep 0.25; done; systemctl list-jobs >&2; exit 1`)
	return err
}

func (r *Reconciler) copyBinary(ctx context.Context, _ *scope, name string) error {
	file, err := os.Open(r.Binary)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	reader, writer := io.Pipe()
	defer reader.Close() // ends the goroutine, whatever the engine does
	go func() {
		archive := tar.NewWriter(writer)
		err := archive.WriteHeader(&tar.Header{Name: binaryName, Mode: 0o755, Size: info.Size()})
		if err == nil {
			_, err = io.Copy(archive, file)
		}
		if err == nil {
			err = archive.Close()
		}
		writer.CloseWithError(err)
	}()
	return r.Engine.CopyTo(ctx, name, reader, binaryDir)
}

// importImage loads the appliance image, which is in no registry, into the machine's containerd. It replaces an
// older image of the same name.
func (r *Reconciler) importImage(ctx context.Context, _ *scope, name string) error {
	if r.Image == nil {
		return nil
	}
	path, err := r.Image(ctx)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = r.Engine.Exec(ctx, name, file, "sh", "-c",
		`snapshotter=$(sed -n 's/^ *snapshotter = "\(.*\)"$/\1/p' /etc/containerd/config.toml | head -n 1); `+
			`exec ctr --namespace=k8s.io images import --all-platforms --digests --snapshotter="${snapshotter:-overlayfs}" -`)
	return err
}

// runInit writes the user data, settings of containerd and the unit that applies it at every start, and starts that unit for the first time.
func (r *Reconciler) runInit(ctx context.Context, s *scope, name string) error {
	files, err := archive(
		tarFile{pathUserData, 0o600, s.order.UserData}, // it holds a token
		tarFile{"/etc/systemd/system/" + unitInit, 0o644, []byte(initUnit(s.order))},
		tarFile{containerd.Path, 0o644, []byte(containerd.File)},
	)
	if err != nil {
		return err
	}
	if err := r.Engine.CopyTo(ctx, name, files, "/"); err != nil {
		return err
	}
	script := `systemctl daemon-reload && systemctl enable --quiet ` + unitInit + ` && systemctl restart ` + unitInit +
		` || { journalctl --unit=` + unitInit + ` --lines=5 --no-pager --output=cat >&2; exit 1; }`
	if s.memory.Binary != "" { // a new version of this program
		script += "; systemctl try-restart " + unitAgent + " || true"
	}
	_, err = r.Engine.Exec(ctx, name, nil, "sh", "-c", script)
	return err
}

// initUnit runs before the kubelet. So the kubelet knows the machine's address, which may change with each start.
func initUnit(order container.Order) string {
	return fmt.Sprintf(`[Unit]
Description=Boots this machine from its user data
After=network.target containerd.service
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
Restart=on-failure
RestartSec=5
ExecStart=%s/%s component node-init --user-data=%s --node-name=%s --provider-id=%s
[Install]
WantedBy=multi-user.target
`, binaryDir, binaryName, pathUserData, order.Node, order.ProviderID)
}

// hosts maps the names of API servers to the gateways in /etc/hosts. It does so again after each start of the
// container and when the gateways have changed. Pods in the network of the machine have copies of the file, which the kubelet made when
// they started. The files can only be written, not replaced, since they are mounted.
func (r *Reconciler) hosts(ctx context.Context, s *scope, found containers.Container) error {
	gateways, err := r.Gateways(ctx)
	if err != nil {
		return fmt.Errorf("find the front door: %w", err)
	}
	known := strings.Join(gateways, " ")
	if s.memory.Hosts == known && s.memory.StartedAt == found.StartedAt {
		return nil
	}
	document, err := userdata.Decode(s.order.UserData)
	if err != nil {
		return err
	}
	names := document.Servers()
	if len(names) == 0 {
		return nil
	}
	const mark = "# gardener"
	var lines strings.Builder
	for _, gateway := range gateways {
		fmt.Fprintf(&lines, "%s %s %s\n", gateway, strings.Join(names, " "), mark)
	}
	_, err = r.Engine.Exec(ctx, found.Name, strings.NewReader(lines.String()), "sh", "-c",
		`lines=$(cat); for file in /etc/hosts /var/lib/kubelet/pods/*/etc-hosts; do `+
			`[ "$file" = /etc/hosts ] || grep -qs "`+mark+`$" "$file" || continue; `+
			`{ grep -v "`+mark+`$" "$file"; echo "$lines"; } >/run/hosts.gardener && cat /run/hosts.gardener >"$file" || exit 1; done`)
	if err != nil {
		return fmt.Errorf("write the address of the API server into /etc/hosts: %w", err)
	}
	s.memory.Hosts, s.memory.StartedAt = known, found.StartedAt
	return nil
}

// binaryDigest is computed once. A program that is replaced while it runs is used from the next start on.
func (r *Reconciler) binaryDigest() (string, error) {
	r.binary.Do(func() {
		file, err := os.Open(r.Binary)
		if err != nil {
			r.failed = fmt.Errorf("read this program: %w", err)
			return
		}
		defer file.Close()
		h := sha256.New()
		if _, err := io.Copy(h, file); err != nil {
			r.failed = fmt.Errorf("read this program: %w", err)
			return
		}
		r.digest = hex.EncodeToString(h.Sum(nil))[:16]
	})
	return r.digest, r.failed
}

// tarFile is a small file of an archive.
type tarFile struct {
	path    string
	mode    int64
	content []byte
}

// archive makes a tar stream.
func archive(files ...tarFile) (io.Reader, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: strings.TrimPrefix(f.path, "/"), Mode: f.mode, Size: int64(len(f.content))}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(f.content); err != nil {
			return nil, err
		}
	}
	return &out, writer.Close()
}
