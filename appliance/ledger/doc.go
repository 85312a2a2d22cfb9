// Package ledger keeps a state directory from losing something without a word. The store and a record beside the data of etcd
// know what exists that cannot be made again: keys, the data of etcds, and the content of the store itself. Each start compares
// them with what is there. The package changes nothing but its own files.
package ledger
