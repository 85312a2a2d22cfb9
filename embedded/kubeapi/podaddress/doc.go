// Package podaddress lets Endpoints and EndpointSlices hold the addresses of pods and nodes of embedded clusters. These are loopback
// addresses, which the validation of Kubernetes refuses there.
//
// The validation sees a stand-in for each such address. Admission puts it in place after all mutating plugins, and
// the storage, and validating plugins, get the address itself. So clients, webhooks and etcd never see a stand-in.
//
// The subresource proxy of pods and Services refuses loopback addresses, too. It reads stand-ins, and whoever dials for it has to restore them.
//
// Nobody may trust the addresses in these objects: users write them, too. 127.0.0.0/16, where servers of the machine listen, stays refused.
package podaddress
