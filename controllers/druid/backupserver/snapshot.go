package backupserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// Kind is the kind of a snapshot.
type Kind string

// Kinds of snapshots.
const (
	// Full is a snapshot of everything, Delta one of the changes since the last one.
	Full  Kind = "full"
	Delta Kind = "delta"
)

// Snapshot is what the backup server tells of a snapshot.
type Snapshot struct {
	SnapName     string `json:"snapName"`
	LastRevision int64  `json:"lastRevision"`
	IsFinal      bool   `json:"isFinal"`
	Size         int64  `json:"size"` // in bytes
}

// Latest are the newest full snapshot, nil if there is none, and the deltas after it.
type Latest struct {
	FullSnapshot   *Snapshot  `json:"fullSnapshot"`
	DeltaSnapshots []Snapshot `json:"deltaSnapshots"`
	// OwnKeys means that the full snapshot needs no keys but those of its own store, if any. Members of former versions do not tell.
	OwnKeys bool `json:"ownKeys"`
}

// Final reports whether nothing was stored after a final snapshot.
func (l Latest) Final() bool {
	return l.FullSnapshot != nil && l.FullSnapshot.IsFinal && len(l.DeltaSnapshots) == 0
}

// Take makes a snapshot. It returns nil if there was nothing to store. A final snapshot is kept by all later deletions of old ones.
func (c *Connection) Take(ctx context.Context, kind Kind, final bool) (made *Snapshot, err error) {
	where := url.URL{Path: "/snapshot/" + string(kind)}
	if final {
		where.RawQuery = "final=true"
	}
	if err := c.ask(ctx, http.MethodPost, where, &made); err != nil { // null means that there was nothing to store
		return nil, fmt.Errorf("ask for a backup: %w", err)
	}
	return made, nil
}

// Latest lists the newest snapshots.
func (c *Connection) Latest(ctx context.Context) (latest Latest, err error) {
	if err := c.ask(ctx, http.MethodGet, url.URL{Path: "/snapshot/latest"}, &latest); err != nil {
		return Latest{}, fmt.Errorf("ask for the latest backup: %w", err)
	}
	return latest, nil
}

// Ownership is what a member knows about its owner.
type Ownership struct {
	// Owner is "self", or "other" if the record names another owner.
	Owner string `json:"owner"`
	// Released means that the data are not newer than the final snapshot.
	Released bool `json:"released"`
}

// Given reports whether the member has another owner, and has made sure that all its data are in a final snapshot.
func (o Ownership) Given() bool { return o.Owner == "other" && o.Released }

// CheckOwner makes the member check its owner at once. No client may write to the etcd any more.
func (c *Connection) CheckOwner(ctx context.Context) (is Ownership, err error) {
	if err := c.ask(ctx, http.MethodPost, url.URL{Path: "/owner/check"}, &is); err != nil {
		return Ownership{}, fmt.Errorf("ask for the owner: %w", err)
	}
	return is, nil
}

// refusal is an answer of a backup server that is not what was asked for.
type refusal struct{ status, text string }

func (r *refusal) Error() string { return r.status + ": " + r.text }

func (c *Connection) ask(ctx context.Context, method string, where url.URL, answer any) error {
	where.Scheme, where.Host = "https", c.address
	request, err := http.NewRequestWithContext(ctx, method, where.String(), nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: c.transport}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err == nil && response.StatusCode != http.StatusOK {
		err = &refusal{status: response.Status, text: strings.TrimSpace(string(body))}
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read the answer of the backup server: %w", err)
	}
	return nil
}
