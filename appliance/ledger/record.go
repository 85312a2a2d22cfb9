package ledger

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// record is what the file beside the data of etcd holds.
type record struct {
	// Landscape is the ID of the landscape.
	Landscape string `json:"landscape"`
	// Store is the seal of the store when the record was written. The store may have changed since, but not back.
	Store store.Seal `json:"store"`
	store.Ledger
}

// readRecord returns nil for a file that is missing or damaged: it is written again from the store.
func readRecord(file string) *record {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	r := &record{}
	if json.Unmarshal(text, r) != nil || r.Landscape == "" {
		return nil
	}
	return r
}

func (r record) write(file string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := pki.WriteFile(file, append(text, '\n')); err != nil {
		return fmt.Errorf("record what cannot be made again: %w", err)
	}
	return nil
}
