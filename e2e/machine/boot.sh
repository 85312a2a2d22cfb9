#!/bin/sh
# Boots systemd on the files of this machine, in namespaces of its own: boot.sh ROOT GROUP BINARY. The machine sees its own changes below ROOT, also after
# it has booted again. GROUP is a control group. Needs root, and a mount namespace that nobody else is in.
set -e
root=$1 group=$2 binary=$3
if [ "$4" != inside ]; then
	mkdir -p "$root/groups" "$root/upper" "$root/work" "$root/merged"
	mount -t cgroup2 none "$root/groups"
	mkdir -p "$root/groups/$group"
	echo $$ >"$root/groups/$group/cgroup.procs"
	exec unshare --fork --kill-child --pid --mount --uts --ipc --net --cgroup "$0" "$root" "$group" "$binary" inside
fi

mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/merged"
cd "$root/merged"
touch usr/local/bin/gardener
mount --bind "$binary" usr/local/bin/gardener
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 none sys/fs/cgroup
for dir in run tmp dev; do mount -t tmpfs none $dir; done
for device in null zero full random urandom tty; do
	touch dev/$device
	mount --bind /dev/$device dev/$device
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx

# Of the units of this machine only those that log in users, and keep a journal for each of them.
rm -f etc/systemd/system/*.wants/* lib/systemd/system/*.target.wants/*
for unit in dbus.socket systemd-journald.socket systemd-journald-dev-log.socket; do
	ln -s "../$unit" lib/systemd/system/sockets.target.wants/
done
ln -s ../systemd-journal-flush.service lib/systemd/system/sysinit.target.wants/
ln -s ../systemd-logind.service ../systemd-user-sessions.service lib/systemd/system/multi-user.target.wants/
mkdir -p var/log/journal
chroot . id "$NAME" >/dev/null 2>&1 || chroot . useradd --create-home --shell /bin/sh "$NAME"
ip link set lo up
# In a chroot nobody may make a user namespace.
pivot_root . mnt
cd /
umount -l /mnt
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target --show-status=no
