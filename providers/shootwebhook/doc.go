// Package shootwebhook lets an extension admit objects in its shoots. The extension serves the webhooks in the seed. The API server of each
// shoot calls them at a Service of the seed, because it runs there, too. Objects in a shoot are configurations that a ManagedResource brings:
//
//	Serve: certificates in a Secret beside the Service ─► one server for all shoots
//	Add:   the Secret and the extension's objects ─► a ManagedResource for each shoot ─► its resource manager ─► configurations in the shoot
//
// Both may be in one process, or in two. The ManagedResources follow the Secret, so all shoots learn of a new authority. It is announced for a
// day before the server uses it.
//
// A shoot must work while the extension is down. So its webhooks never refuse what they were not asked about, and their timeouts are short.
package shootwebhook
