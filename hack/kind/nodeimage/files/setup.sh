# Runs once inside the build container, on the Debian root with the files of kind and all programs. It does what the
# Dockerfile of kind's base image does after installing packages, and loads the container images.
set -eu
. /kind/build/settings
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# units: a node starts only the units that it needs
find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete
rm -f /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/* /lib/systemd/system/local-fs.target.wants/*
rm -f /lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl*
rm -f /lib/systemd/system/basic.target.wants/*
mkdir -p /etc/systemd
echo ReadKMsg=no >>/etc/systemd/journald.conf
ln -sf /usr/lib/systemd/systemd /sbin/init
systemctl enable kubelet.service containerd.service undo-mount-hacks.service
systemctl mask systemd-binfmt.service
mkdir -p /etc/kubernetes/manifests /var/local-path-provisioner
: >/etc/machine-id # each node gets its own

# units: kubelet, containerd and what they start
if [ -n "$GOGC_OF_UNITS" ]; then
	mkdir -p /etc/systemd/system.conf.d
	printf '[Manager]\nDefaultEnvironment=GOGC=%s\n' "$GOGC_OF_UNITS" >/etc/systemd/system.conf.d/collections.conf
fi

# SSH: machines of shoots start the server, users have keys only, and each node makes its own host key
rm -f /etc/ssh/ssh_host_*
printf 'HostKey /etc/ssh/ssh_host_ed25519_key\nPasswordAuthentication no\nPermitRootLogin no\n' >/etc/ssh/sshd_config.d/node.conf
mkdir -p /etc/systemd/system/ssh.service.d
cat >/etc/systemd/system/ssh.service.d/node.conf <<'UNIT'
[Service]
ExecStartPre=
ExecStartPre=/bin/sh -c 'test -e /etc/ssh/ssh_host_ed25519_key || ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key'
ExecStartPre=/usr/sbin/sshd -t
UNIT
systemctl disable ssh.service

# containerd: the spec of every container and the sandbox image
capability='.'
if [ "$RESTRICTED" = true ]; then
	capability='.process.capabilities |= map_values(map(select(. != "CAP_SYS_RESOURCE")))'
	sed -i 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' /etc/containerd/config.toml
fi
ctr oci spec | jq ".hooks.createContainer += [{path: \"/kind/bin/mount-product-files.sh\"}] | del(.process.rlimits) | $capability" >/etc/containerd/cri-base.json
sed -i "s#sandbox_image = .*#sandbox_image = \"$PAUSE\"#" /etc/containerd/config.toml

# images
containerd >/kind/build/containerd.log 2>&1 &
pid=$!
for _ in $(seq 100); do ctr version >/dev/null 2>&1 && break || sleep 0.2; done
ctr --namespace=k8s.io images import --no-unpack /kind/build/images.tar || { cat /kind/build/containerd.log; exit 1; }
kill $pid
wait $pid || true
rm -rf /kind/build /run/containerd /tmp/* /var/log/*
