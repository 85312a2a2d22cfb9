package server

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// answers writes the answers of the server.
type answers struct{ Config }

// health says whether etcd serves. With the query serializable=true, as etcd's own endpoints have it, the other members do not matter.
func (a answers) health(w http.ResponseWriter, r *http.Request) {
	var healthy bool
	if r.URL.Query().Get("serializable") == "true" {
		healthy = a.State.Started()
	} else {
		healthy = a.State.Healthy(r.Context())
	}
	status := http.StatusOK
	if !healthy {
		status = http.StatusServiceUnavailable
	}
	write(w, status, map[string]bool{"health": healthy})
}

func (a answers) initialization(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(a.State.Initialization()))
}

// Snapshot is a snapshot as etcd-backup-restore writes it in JSON.
type Snapshot struct {
	Kind              string    `json:"kind"`
	StartRevision     int64     `json:"startRevision"`
	LastRevision      int64     `json:"lastRevision"`
	CreatedOn         time.Time `json:"createdOn"`
	SnapDir           string    `json:"snapDir"`
	SnapName          string    `json:"snapName"`
	CompressionSuffix string    `json:"compressionSuffix"`
	IsFinal           bool      `json:"isFinal"`
	Size              int64     `json:"size,omitempty"` // in bytes; etcd-backup-restore has none
}

// Latest is the answer of /snapshot/latest: the newest full snapshot and the deltas after it.
type Latest struct {
	FullSnapshot   *Snapshot  `json:"fullSnapshot"`
	DeltaSnapshots []Snapshot `json:"deltaSnapshots"`
	// OwnKeys tells whether the keys of the store decrypt the full snapshot, or it is not encrypted. etcd-backup-restore has none.
	OwnKeys bool `json:"ownKeys,omitempty"`
}

func describe(s snapshot.Snapshot) Snapshot {
	return Snapshot{
		Kind: string(s.Kind), StartRevision: s.Start, LastRevision: s.End, CreatedOn: s.Created,
		SnapDir: path.Dir(s.Key()), SnapName: path.Base(s.Key()), CompressionSuffix: s.Suffix, IsFinal: s.Final, Size: s.Size,
	}
}

func (a answers) latest(w http.ResponseWriter, r *http.Request) {
	all, err := a.State.Snapshots(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out := Latest{DeltaSnapshots: []Snapshot{}}
	if chains := snapshot.Chains(all); len(chains) > 0 {
		full := describe(chains[0].Full)
		out.FullSnapshot = &full
		if err := a.State.DecryptsAlone(r.Context(), chains[0].Full); err == nil {
			out.OwnKeys = true
		}
		for _, delta := range chains[0].Deltas {
			out.DeltaSnapshots = append(out.DeltaSnapshots, describe(delta))
		}
	}
	write(w, http.StatusOK, out)
}

// take makes a snapshot. GET is allowed, because Gardener uses it.
func (a answers) take(kind snapshot.Kind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodPost {
			http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
			return
		}
		final, err := strconv.ParseBool(r.URL.Query().Get("final"))
		if err != nil && r.URL.Query().Get("final") != "" {
			http.Error(w, "final is true or false", http.StatusBadRequest)
			return
		}
		made, err := a.State.Take(r.Context(), kind, final)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case made == nil:
			write(w, http.StatusOK, nil)
		default:
			write(w, http.StatusOK, describe(*made))
		}
	}
}

func (a answers) owner(w http.ResponseWriter, r *http.Request) {
	is, err := a.State.CheckOwner(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, http.StatusOK, is)
}

func (a answers) config(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, a.Flags) }

func write(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(content)
}
