package flags

// Kubelets are how a server reaches the nodes of its cluster.
type Kubelets struct {
	CA           string
	Cert, Key    string // client certificate
	AddressTypes []string
}

func (k Kubelets) add(a *args) {
	a.text("kubelet-certificate-authority", k.CA)
	a.text("kubelet-client-certificate", k.Cert)
	a.text("kubelet-client-key", k.Key)
	a.list("kubelet-preferred-address-types", k.AddressTypes)
}
