#!/usr/bin/env bash
# Docker for tests: starts a private daemon if none works, and stops it without leaving anything behind.
# Needs root on a Debian-like machine. See docs/kind.md, "For tests".
set -euo pipefail

usage() {
	cat <<-TEXT
		usage: docker.sh [--dir DIR] start|hold [COMMAND...]|stop|status|env
		  start         use the Docker that works, or install what is missing and start a private daemon; may run again
		  hold [COMMAND...]  start for as long as a command runs; without one, print the line of env and wait until the input ends.
		                The last one that holds a daemon which hold has started stops it
		  stop [--purge]  end the private daemon, its containers, mounts, bridges and rules; --purge removes its files, too
		  status        tell which daemon answers; fails if none does
		  env           print the line for eval that makes docker and kind use it
		A start by the command of hold, or with GARDENER_KIND_HELD set, lets nothing stay that hold stops.
		DIR (also GARDENER_KIND_DIR) holds all files of the daemon; default \${XDG_CACHE_HOME:-~/.cache}/gardener-kind
	TEXT
	exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${GARDENER_KIND_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gardener-kind}
verb="" purge="" command=()
while [ $# -gt 0 ]; do
	case $1 in
	--dir) dir=${2:?--dir needs a directory}; shift ;;
	--purge) purge=yes ;;
	start | stop | status | env) verb=$1 ;;
	hold) verb=$1; shift; command=("$@"); break ;;
	*) usage ;;
	esac
	shift
done
[ -n "$verb" ] || usage
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac

export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
docker_dir=$dir/docker       # everything of the daemon
before=$docker_dir/before    # one file for each setting of the host that start changed, with its value before
pid_file=$docker_dir/dockerd.pid
socket=$docker_dir/docker.sock
lock=$dir/docker.lock        # held while a daemon is started or stopped
users=$dir/docker.users      # shared by those that hold the daemon; not empty if it is stopped after the last of them

# scattered lists directories that a daemon and its containerd create outside of their own, whatever their settings are.
scattered=(/run/docker /run/containerd /opt/containerd /var/lib/docker /var/lib/containerd)
for controller in /sys/fs/cgroup /sys/fs/cgroup/*/; do scattered+=("${controller%/}/docker"); done

log() { echo "docker.sh: $*" >&2; }
die() { log "$*"; exit 1; }
need_root() { [ "$(id -u)" = 0 ] || die "needs root to run a Docker daemon; or start Docker yourself and make 'docker info' work"; }

# own_pid prints the process ID of the private daemon if it is alive and really ours.
own_pid() {
	local pid
	pid=$(cat "$pid_file" 2>/dev/null) || return 1
	{ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "--data-root $docker_dir/data" || return 1
	echo "$pid"
}
answers() { command -v docker >/dev/null && timeout 20 docker "$@" version --format '{{.Server.Version}}' >/dev/null 2>&1; }
own_answers() { own_pid >/dev/null && answers --host "unix://$socket"; }

links() { ip -o link | sed -E 's/^[0-9]+: ([^:@]*).*/\1/'; }

# host_endpoint prints the address of a Docker daemon that already works.
host_endpoint() {
	answers || return 1
	echo "${DOCKER_HOST:-$(docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null || echo unix:///var/run/docker.sock)}"
}

# ---- start

install_missing() {
	local want=() name
	for name in dockerd:docker.io containerd:containerd runc:runc iptables:iptables ip:iproute2 docker:docker.io; do
		command -v "${name%%:*}" >/dev/null || want+=("${name##*:}")
	done
	[ ${#want[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || die "missing: ${want[*]}; install them (there is no apt-get here)"
	log "installing ${want[*]}"
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${want[@]}" ca-certificates >&2
	# newer Debian has the client in a package of its own
	command -v docker >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker-cli >&2
}

# mount_cgroups mounts the cgroup hierarchies that containers need on a host without any; other hosts keep theirs.
mount_cgroups() {
	grep -qE ' - cgroup2? ' /proc/self/mountinfo && return 0
	log "mounting cgroups"
	local v1
	v1=$(awk '!/^#/ && $4 == 1 && $2 != 0 { print $1 }' /proc/cgroups)
	if [ -z "$v1" ] && mount -t cgroup2 cgroup2 /sys/fs/cgroup; then
		echo /sys/fs/cgroup >"$before/mounts"
		return 0
	fi
	mountpoint -q /sys/fs/cgroup || { mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup && echo /sys/fs/cgroup >>"$before/mounts"; }
	for name in $v1 systemd; do
		mkdir -p "/sys/fs/cgroup/$name"
		local options=$name
		[ "$name" != systemd ] || options=none,name=systemd
		mount -t cgroup -o "$options" cgroup "/sys/fs/cgroup/$name" && echo "/sys/fs/cgroup/$name" >>"$before/mounts"
	done
}

# setting raises a kernel setting to at least a value and saves the former value.
setting() {
	local file=/proc/sys/$1 now
	now=$(cat "$file" 2>/dev/null) || return 0
	[ "$now" -lt "$2" ] || return 0
	[ -e "$before/${1//\//.}" ] || echo "$now" >"$before/${1//\//.}"
	echo "$2" >"$file" || log "cannot set $1 to $2"
}

prepare_host() {
	mkdir -p "$before"
	mount_cgroups
	setting fs/inotify/max_user_instances 1024 # each node's systemd, kubelet and containerd watch files
	setting fs/inotify/max_user_watches 524288
	setting net/ipv4/ip_forward 1
	if iptables -S 2>/dev/null | grep DOCKER >/dev/null && [ ! -e "$before/forward" ]; then touch "$before/foreign-rules"; fi
	[ -e "$before/forward" ] || iptables -S FORWARD | sed -n 's/^-P FORWARD //p' >"$before/forward"
	[ -e "$before/links" ] || links >"$before/links"
	[ -e "$before/absent" ] || for path in "${scattered[@]}"; do [ -e "$path" ] || echo "$path"; done >"$before/absent"
}

# prefer_containers gives all containers together three times the processor time of a process that competes with them. By default they have as
# much as that one process, and a kubelet restarts the servers of a cluster that others starve. The daemon finds its group there.
prefer_containers() {
	if [ -e /sys/fs/cgroup/cpu/cpu.shares ]; then weigh /sys/fs/cgroup/cpu/docker cpu.shares 3072
	elif [ -e /sys/fs/cgroup/cgroup.controllers ]; then weigh /sys/fs/cgroup/docker cpu.weight 300; fi
}

# weigh writes a weight to a group, where the kernel has that file.
weigh() { # group, file, weight
	mkdir -p "$1"
	[ ! -e "$1/$2" ] || echo "$3" >"$1/$2" || log "cannot give containers more processor time"
}

# mtu prints the packet size of the default route, which must not be smaller than that of the bridges.
mtu() {
	local device
	device=$(ip route show default 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
	cat "/sys/class/net/${device:-lo}/mtu" 2>/dev/null | awk '$1 > 1500 { $1 = 1500 } { print $1 }'
}

start() {
	if own_answers; then log "already running"; return 0; fi
	if [ "${GARDENER_KIND_DOCKER:-}" != own ] && host_endpoint >/dev/null; then log "using the Docker of this machine"; return 0; fi
	need_root
	install_missing
	if [ "${GARDENER_KIND_DOCKER:-}" != own ] && host_endpoint >/dev/null; then log "using the Docker of this machine"; return 0; fi
	[ ! -e "$pid_file" ] || stop # what a killed daemon left behind
	mkdir -p "$docker_dir"
	prepare_host
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -o "$docker_dir/runtime" ./runtime)
	echo '{}' >"$docker_dir/daemon.json" # instead of what the machine's own daemon would read
	prefer_containers
	log "starting a private daemon in $docker_dir"
	setsid nohup dockerd \
		--host "unix://$socket" --data-root "$docker_dir/data" --exec-root "$docker_dir/exec" --pidfile "$pid_file" \
		--config-file "$docker_dir/daemon.json" --storage-driver overlay2 --shutdown-timeout 20 --mtu "$(mtu)" \
		--add-runtime "gardener=$docker_dir/runtime" --default-runtime gardener \
		--log-opt max-size=10m --log-opt max-file=2 \
		>"$docker_dir/dockerd.log" 2>&1 </dev/null 8>&- 9>&- &
	local child=$!
	for _ in $(seq 120); do
		if own_answers; then log "ready: $(docker --host "unix://$socket" version --format '{{.Server.Version}}')"; return 0; fi
		kill -0 "$child" 2>/dev/null || break
		sleep 0.5
	done
	tail -n 20 "$docker_dir/dockerd.log" >&2
	die "the daemon did not start; its log is $docker_dir/dockerd.log"
}

# ---- stop

end_process() { # pid, seconds to wait before it is killed
	kill "$1" 2>/dev/null || return 0
	for _ in $(seq $(($2 * 5))); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.2
	done
	kill -KILL "$1" 2>/dev/null || true
}

# end_strays ends the processes that a killed daemon leaves: the first process of each container, its shim, and containerd.
end_strays() {
	local pid child
	for pid in $(ls /proc | grep -E '^[0-9]+$'); do
		{ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$docker_dir/exec/" || continue
		for child in $(cat "/proc/$pid/comm" "/proc/$pid/task/$pid/children" 2>/dev/null | sed -n '/^containerd-shim/,$p' | sed 1d); do
			kill -KILL "$child" 2>/dev/null || true
		done
		end_process "$pid" 5
	done
}

unmount_all() {
	awk -v dir="$docker_dir/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r point; do
		umount "$point" 2>/dev/null || umount -l "$point" || true
	done
}

# drop_rules removes the rules that name a chain or a bridge of Docker, and then the chains.
drop_rules() {
	local table rule chain
	for table in nat filter raw; do
		iptables -t "$table" -S 2>/dev/null | sed -nE '/DOCKER|docker0|br-[0-9a-f]{12}/s/^-A/-D/p' | while read -r rule; do
			eval "iptables -t $table $rule" 2>/dev/null || true
		done
		for chain in $(iptables -t "$table" -S 2>/dev/null | sed -n 's/^-N \(DOCKER.*\)/\1/p'); do iptables -t "$table" -F "$chain"; done
		for chain in $(iptables -t "$table" -S 2>/dev/null | sed -n 's/^-N \(DOCKER.*\)/\1/p'); do iptables -t "$table" -X "$chain" || true; done
	done
}

restore_host() {
	[ -d "$before" ] || return 0
	local file name
	for name in $(links | sed -nE '/^(docker0|br-[0-9a-f]{12})$/p'); do
		grep -qxF "$name" "$before/links" 2>/dev/null || ip link delete "$name" 2>/dev/null || true
	done
	[ ! -s "$before/forward" ] || iptables -P FORWARD "$(cat "$before/forward")" || true
	for file in "$before"/*.*; do
		[ -e "$file" ] || continue
		name=${file##*/}
		cat "$file" >"/proc/sys/${name//.//}" || true
	done
	[ ! -e "$before/absent" ] || while read -r path; do # cgroups are directories that only rmdir removes
		case $path in
		/sys/*) find "$path" -depth -type d -exec rmdir {} + 2>/dev/null || true ;;
		*) rm -rf "$path" ;;
		esac
	done <"$before/absent"
	if [ -e "$before/mounts" ]; then sort -r "$before/mounts" | while read -r point; do umount "$point" || true; done; fi
	rm -rf "$before"
}

stop() {
	[ -d "$docker_dir" ] || return 0
	need_root
	local pid
	if pid=$(own_pid); then
		docker --host "unix://$socket" ps --quiet 2>/dev/null | xargs -r docker --host "unix://$socket" kill >/dev/null 2>&1 || true
		end_process "$pid" 40
	fi
	end_strays
	unmount_all
	[ ! -d "$before" ] || [ -e "$before/foreign-rules" ] || drop_rules
	restore_host
	rm -rf "$pid_file" "$socket" "$docker_dir/exec"
	log "stopped"
}

# ---- hold

# alone waits until nobody else starts or stops a daemon.
alone() {
	mkdir -p "$dir"
	exec 8>>"$lock"
	flock 8
}

hold() {
	alone
	exec 9>>"$users"
	if ! own_answers && ! { [ "${GARDENER_KIND_DOCKER:-}" != own ] && host_endpoint >/dev/null; }; then
		start
		echo "stop it" >"$users"
	fi
	flock --shared 9
	flock --unlock 8
	local code=0
	if [ ${#command[@]} -gt 0 ]; then
		eval "$(endpoint)"
		GARDENER_KIND_HELD=yes "${command[@]}" 8>&- || code=$?
	else
		endpoint
		cat >/dev/null # the input ends with the process at its other end, however that ended
	fi
	flock 8
	if flock --nonblock 9 && [ -s "$users" ]; then
		stop
		: >"$users"
	fi
	return "$code"
}

# endpoint prints the line that makes docker and kind use the daemon that answers.
endpoint() {
	local host
	if own_answers; then echo "export DOCKER_HOST=unix://$socket"
	elif host=$(host_endpoint); then echo "export DOCKER_HOST=$host"
	else die "no Docker answers; run: hack/kind/docker.sh start"; fi
}

# ---- main

case $verb in
start)
	alone
	start
	[ -n "${GARDENER_KIND_HELD:-}" ] || : >"$users" # somebody wants it to stay
	;;
hold) hold ;;
stop)
	alone
	stop
	: >"$users"
	if [ -n "$purge" ]; then
		rm -rf "$docker_dir" "$lock" "$users"
		rmdir "$dir" 2>/dev/null || true
	fi
	;;
status)
	if own_answers; then echo "private daemon, process $(own_pid), unix://$socket"
	elif endpoint=$(host_endpoint); then echo "Docker of this machine, $endpoint"
	else die "no Docker answers; run: hack/kind/docker.sh start"; fi
	;;
env) endpoint ;;
esac
