// Package patch writes objects with as few requests as possible: whole objects by server-side apply, and the status
// once, at the end of a reconciliation. It makes no decisions about the content.
package patch
