// Package backup destroys the data of a shoot's etcd and watches the shoot come back.
package backup
