// Package owner asks a TXT record in the DNS which cluster owns an etcd. An etcd whose control plane has moved to another cluster must
// stop, even if nobody can reach its own cluster to stop it. The package only asks. Package member stops the etcd, and remembers answers.
//
// # Without an answer
//
// Usually an etcd whose owner cannot be found out for some minutes stops, since it may have another owner. That is wrong where the cluster goes on
// while its name server rests: a kind cluster has the etcds of its shoots, and the name server is in the process of the landscape, which may be
// down for days. There, Check.Keep makes the last clear answer count until there is another one:
//
//   - Only the landscape moves a control plane: its gardenlets publish the owner by its own name server, and all of them are one process. While that
//     does not run, no owner changes, so the last answer is still true.
//   - Once it runs again, its name server answers, and an etcd stops at the next check that names another owner. A container that was paused
//     meanwhile has a timer that is overdue, so it checks when it goes on, before the next pause.
//   - An etcd that the landscape runs beside, but that does not reach its name server, may go on although its control plane has moved. This is the
//     price. So no control plane is taken from such a seed without its help, unless an operator says that its nodes do not run: the Seed has an annotation
//     (AnnotationKeepsOwners), and package takeover reads it. In an ordinary migration the API server is gone before another seed becomes the owner, so nobody writes.
//   - Only clusters that the landscape has made keep answers. The machines of a cluster elsewhere obey a controller there, which nobody would stop.
//   - Answers must survive the process. Otherwise an etcd that has stopped would begin again with its container while the name server rests. So
//     package member remembers the last clear answer beside the data. An etcd that remembers none waits for the first one: a new one, whose
//     landscape runs, and one whose volume was lost.
//   - An etcd with several members serves while a majority runs, so it is not enough that the one stops that has heard of another owner: the others may hear
//     nothing. What they share for certain is the store of their backups. The next owner needs it, too. So a member that hears of another owner leaves a note there,
//     and members that hear nothing read the notes at each check (Others). Without the store they do what each of them knows.
//   - A note counts until a member hears of the expected owner. A member reads the notes before it asks, and then removes only those that it has read: they are
//     older than its answer. A note that comes meanwhile may be newer and stays. So members rather stop once too often than go on for a former owner.
//
// An answer that there is no record, or that it has several values, is no silence: a name server has been reached, and it knows no owner. This ends
// the etcd after the usual time, and the member remembers it until there is an owner. Others are not told: each of them stops when it gets that answer itself.
package owner
