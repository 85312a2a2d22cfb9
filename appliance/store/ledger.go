package store

// Ledger names what a state directory holds that cannot be made again.
type Ledger struct {
	// Keys are fingerprints of keys, by their files below the directory of the PKI. A key that is being changed has two, with a blank
	// between them.
	Keys map[string]string `json:"keys,omitempty"`
	// Etcds are the IDs of the clusters of etcds, by the names of the etcds.
	Etcds map[string]string `json:"etcds,omitempty"`
}

// Ledger returns the ledger. ok is false for directories that are new or older than this note.
func (s *Store) Ledger() (ledger Ledger, ok bool, err error) { return get[Ledger](s, "ledger") }

// SetLedger writes the ledger. Call it when what it names exists, and before that is used.
func (s *Store) SetLedger(ledger Ledger) error { return put(s, "ledger", ledger) }
