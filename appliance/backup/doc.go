// Package backup makes and restores backups of a whole landscape: all etcds, the store, keys, backups and volumes of shoots, DNS records and
// the configuration, in one archive (package archive). It knows the state directory. It does not know the parts of a running landscape, and
// reaches their etcds as a client.
package backup
