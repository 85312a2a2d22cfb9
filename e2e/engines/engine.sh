#!/usr/bin/env bash
# Podman and nerdctl for tests: private ones, with images, containers and networks of their own, which leave nothing behind.
# "hack/kind/docker.sh start" comes first, since it prepares the host and the node image is built with Docker. See docs/kind.md,
# "For tests".
set -euo pipefail

usage() {
	cat <<-TEXT
		usage: engine.sh [--dir DIR] podman|nerdctl start|load IMAGE|env|stop
		  start         install what is missing and make the engine work; may run again
		  load IMAGE    copy an image of Docker into the engine, unless it is there
		  env           print the line for eval that makes gardener and kind use the engine
		  stop [--purge]  remove its containers and networks, end its processes; --purge removes its files, too
		DIR (also GARDENER_KIND_DIR) is that of docker.sh
	TEXT
	exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${GARDENER_KIND_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gardener-kind}
engine="" verb="" image="" purge=""
while [ $# -gt 0 ]; do
	case $1 in
	--dir) dir=${2:?--dir needs a directory}; shift ;;
	--purge) purge=yes ;;
	podman | nerdctl) engine=$1 ;;
	start | env | stop) verb=$1 ;;
	load) verb=load image=${2:?load needs an image}; shift ;;
	*) usage ;;
	esac
	shift
done
[ -n "$engine" ] && [ -n "$verb" ] || usage
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac

export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
own=$dir/$engine # everything of the engine

# nerdctl_version is the module that nerdctl is built from where there is no package of it.
nerdctl_version=v2.1.2

log() { echo "engine.sh: $*" >&2; }
die() { log "$*"; exit 1; }

# missing prints the packages of those programs that are not there; arguments are program:package.
missing() {
	local pair
	for pair in "$@"; do
		command -v "${pair%%:*}" >/dev/null || [ -x "${pair%%:*}" ] || echo "${pair##*:}"
	done
}

install() {
	local want
	mapfile -t want < <(missing "$@" | sort -u)
	[ ${#want[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || die "missing: ${want[*]}; install them (there is no apt-get here)"
	log "installing ${want[*]}"
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${want[@]}" >&2
}

build_runtime() { (cd "$here/../../hack/kind" && CGO_ENABLED=0 go build -trimpath -o "$own/runtime" ./runtime); }

use() { eval "$("env_$engine")"; }
client() { (use && "$engine" "$@"); }

# ---- podman, which is no daemon: its configuration is all there is

env_podman() {
	echo "export KIND_EXPERIMENTAL_PROVIDER=podman CONTAINERS_CONF=$own/containers.conf CONTAINERS_STORAGE_CONF=$own/storage.conf"
}

start_podman() {
	install podman:podman conmon:conmon runc:runc iptables:iptables /usr/lib/podman/netavark:netavark /usr/lib/podman/aardvark-dns:aardvark-dns
	mkdir -p "$own"
	[ -e "$own/containers.conf" ] || ! iptables -S 2>/dev/null | grep NETAVARK >/dev/null || touch "$own/foreign-rules"
	build_runtime
	# no systemd, no journal, nothing shared with the machine's own podman; a node is more than the 2048 processes of podman's default
	cat >"$own/containers.conf" <<-TOML
		[containers]
		log_driver = "k8s-file"
		pids_limit = 0
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		image_copy_tmp_dir = "$own"
		lock_type = "file"
		runtime = "$own/runtime"
		tmp_dir = "$own/tmp"
		volume_path = "$own/volumes"
		[network]
		network_backend = "netavark"
		network_config_dir = "$own/networks"
	TOML
	cat >"$own/storage.conf" <<-TOML
		[storage]
		driver = "overlay"
		graphroot = "$own/data"
		runroot = "$own/run"
	TOML
}

stop_podman() {
	client rm --all --force --time 2 >/dev/null || true
	client volume rm --all --force >/dev/null || true
	client network prune --force >/dev/null || true
	rm -rf "$own/tmp" "$own/run"
	[ -e "$own/foreign-rules" ] || drop_chains NETAVARK
	remove_cgroups libpod_parent
}

# ---- nerdctl, with a containerd of its own: that of the node image, since Debian's may be too old to restart nodes

env_nerdctl() {
	echo "export KIND_EXPERIMENTAL_PROVIDER=nerdctl NERDCTL_TOML=$own/nerdctl.toml PATH=$own/bin:\$PATH"
}

start_nerdctl() {
	install runc:runc iptables:iptables /usr/lib/cni/bridge:containernetworking-plugins
	[ -x "$dir/bin/containerd" ] || die "there is no $dir/bin/containerd; build the node image first: make kind-image"
	mkdir -p "$own/bin" "$own/shim"
	[ -e "$own/nerdctl.toml" ] || ! iptables -S 2>/dev/null | grep -- '-N CNI-' >/dev/null || touch "$own/foreign-rules"
	[ -x "$own/bin/nerdctl" ] || build_nerdctl
	build_runtime
	printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$PATH" "$own/runtime" >"$own/shim/runc" # containerd's shim looks for runc by its name
	chmod 755 "$own/shim/runc"
	cat >"$own/nerdctl.toml" <<-TOML
		address = "$own/containerd.sock"
		namespace = "gardener"
		data_root = "$own/nerdctl"
		cni_path = "/usr/lib/cni"
		cni_netconfpath = "$own/networks"
		cgroup_manager = "cgroupfs"
		snapshotter = "overlayfs"
	TOML
	cat >"$own/containerd.toml" <<-TOML
		version = 2
		root = "$own/data"
		state = "$own/state"
		disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"]
		[grpc]
		address = "$own/containerd.sock"
	TOML
	client info >/dev/null 2>&1 && return 0
	log "starting a private containerd in $own"
	PATH=$own/shim:$dir/bin:$PATH setsid nohup "$dir/bin/containerd" --config "$own/containerd.toml" >"$own/containerd.log" 2>&1 </dev/null &
	echo $! >"$own/containerd.pid"
	for _ in $(seq 120); do
		! client info >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	tail -n 20 "$own/containerd.log" >&2
	die "containerd did not start; its log is $own/containerd.log"
}

build_nerdctl() {
	if command -v nerdctl >/dev/null; then
		ln -sf "$(command -v nerdctl)" "$own/bin/nerdctl"
		return 0
	fi
	log "building nerdctl $nerdctl_version"
	local source
	source=$(cd "$here" && GOFLAGS=-mod=mod go mod download -json "github.com/containerd/nerdctl/v2@$nerdctl_version" | sed -nE 's/.*"Dir": "(.*)".*/\1/p')
	[ -n "$source" ] || die "the module of nerdctl $nerdctl_version cannot be had"
	(cd "$source" && CGO_ENABLED=0 GOWORK=off nice go build -trimpath -mod=readonly \
		-ldflags "-s -w -X github.com/containerd/nerdctl/v2/pkg/version.Version=$nerdctl_version" -o "$own/bin/nerdctl" ./cmd/nerdctl)
}

stop_nerdctl() {
	if client info >/dev/null 2>&1; then
		client ps --all --quiet | while read -r id; do client rm --force --volumes "$id" >/dev/null || true; done
		client volume prune --all --force >/dev/null || true
		client network prune --force >/dev/null || true
	fi
	local pid
	for pid in $(pids "$own/containerd.toml") $(pids "$own/containerd.sock"); do kill "$pid" 2>/dev/null || true; done
	for _ in $(seq 50); do
		[ -n "$(pids "$own/containerd.toml")$(pids "$own/containerd.sock")" ] || break
		sleep 0.2
	done
	for pid in $(pids "$own/containerd.sock"); do kill -KILL "$pid" 2>/dev/null || true; done
	rm -rf "$own/state" "$own/containerd.sock" "$own/containerd.sock.ttrpc" "$own/containerd.pid"
	[ -e "$own/foreign-rules" ] || drop_chains CNI-
	ip link delete nerdctl0 2>/dev/null || true
	remove_cgroups gardener
}

# pids prints the processes of containerd that name a file of ours.
pids() {
	local pid
	for pid in $(ls /proc | grep -E '^[0-9]+$'); do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in containerd*) ;; *) continue ;; esac
		if { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$1"; then echo "$pid"; fi
	done
}

# ---- both

load() {
	client image inspect "$image" >/dev/null 2>&1 && return 0
	log "loading $image"
	docker save "$image" | client load >&2
}

drop_chains() { # what their names begin with
	local table rule chain
	for table in nat filter mangle; do
		iptables -t "$table" -S 2>/dev/null | sed -nE "/$1/s/^-A/-D/p" | while read -r rule; do eval "iptables -t $table $rule" 2>/dev/null || true; done
		for chain in $(iptables -t "$table" -S 2>/dev/null | sed -nE "s/^-N ($1.*)/\1/p"); do iptables -t "$table" -F "$chain" 2>/dev/null || true; done
		for chain in $(iptables -t "$table" -S 2>/dev/null | sed -nE "s/^-N ($1.*)/\1/p"); do iptables -t "$table" -X "$chain" 2>/dev/null || true; done
	done
}

remove_cgroups() {
	local path
	for path in /sys/fs/cgroup/"$1" /sys/fs/cgroup/*/"$1"; do
		[ ! -d "$path" ] || find "$path" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
}

unmount_all() {
	awk -v dir="$own/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r point; do
		umount "$point" 2>/dev/null || umount -l "$point" || true
	done
}

case $verb in
start)
	[ "$(id -u)" = 0 ] || die "needs root"
	"start_$engine"
	;;
env) "env_$engine" ;;
load) load ;;
stop)
	[ -d "$own" ] || exit 0
	"stop_$engine"
	unmount_all
	[ -z "$purge" ] || rm -rf "$own"
	;;
esac
