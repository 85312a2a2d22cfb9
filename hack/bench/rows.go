package main

import (
	"github.com/gardener-up/gardener-up/hack/bench/stats"
	"github.com/gardener-up/gardener-up/hack/bench/table"
)

// rows are the figures of what is measured, with their targets. The peer has no shoots, so the rows about a shoot are compared with one more
// pair of servers.
func (b *bench) rows() []table.Row {
	f := &b.found
	peerPSS := megabytes(f.peerIdle.pss)
	var rows []table.Row
	for _, group := range []struct {
		part string
		rows []table.Row
	}{
		{starts, []table.Row{
			{What: "up, cold, until ready", Target: "≤ 8 s, then 5", Unit: table.Seconds, Values: f.cold, Peer: f.peerCold, Comparable: true},
			{What: "up, with state, until ready", Target: "≤ 5 s", Unit: table.Seconds, Values: f.restart, Peer: f.peerRestart, Comparable: true},
			{What: "idle memory without shoots, RSS", Target: "≤ 600 MB", Unit: table.Megabytes, Values: megabytes(f.idle.rss), Peer: megabytes(f.peerIdle.rss), Comparable: true},
			{What: "idle memory without shoots, PSS", Unit: table.Megabytes, Values: megabytes(f.idle.pss), Peer: peerPSS, Comparable: true},
			{What: "idle CPU without shoots, of one core", Target: "≤ 5 %", Unit: table.Percent, Values: f.idle.cpu, Peer: f.peerIdle.cpu, Comparable: true},
		}},
		{shoots, []table.Row{
			{What: "shoot, create until ready", Target: "p95 ≤ 20 s", Unit: table.Seconds, Values: f.shoot, Peer: f.peerCold, Comparable: b.measures(starts)},
			{What: "memory of one shoot with one node, PSS", Target: "≤ 350 MB", Unit: table.Megabytes, Values: megabytes(f.shootPSS), Peer: peerPSS, Comparable: b.measures(starts)},
			{What: "memory the daemon needs more for it, PSS", Unit: table.Megabytes, Values: megabytes(more(f.daemonPSS, f.idle.pss))},
			{What: "idle CPU with one shoot, of one core", Unit: table.Percent, Values: f.withShoot.cpu, Peer: f.peerIdle.cpu, Comparable: b.measures(starts)},
		}},
		{migrations, []table.Row{{What: "shoot migrate, one node, embedded seeds", Target: "≤ 30 s", Unit: table.Seconds, Values: f.migration}}},
		{backups, []table.Row{{What: "memory that backups of an etcd need, PSS", Target: "≤ 20 MB", Unit: table.Megabytes, Values: megabytes(more(f.backupPSS, f.etcdPSS))}}},
		{decision, []table.Row{{What: "seed authorizer, p99 of a decision", Target: "≤ 1 ms", Unit: table.Milliseconds, Values: f.decision}}},
		{compressed, []table.Row{{What: download(f.downloadHow), Target: "≤ 50 MB", Unit: table.Bytes, Values: f.download}}},
	} {
		if b.measures(group.part) {
			rows = append(rows, group.rows...)
		}
	}
	return rows
}

func download(how string) string {
	if how == "" {
		return "download"
	}
	return "download (" + how + ")"
}

// more returns the values less the median of a base; empty without a base.
func more(values, base stats.Sample) stats.Sample {
	if len(base) == 0 {
		return nil
	}
	var differences stats.Sample
	for _, value := range values {
		differences = append(differences, value-base.Median())
	}
	return differences
}

func megabytes(bytes stats.Sample) stats.Sample {
	var mb stats.Sample
	for _, value := range bytes {
		mb = append(mb, value/1e6)
	}
	return mb
}
