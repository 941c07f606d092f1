package realkafka

import (
	"fmt"
	"maps"
)

// Option changes how a cluster is started.
type Option func(*options)

type options struct {
	brokers int
	props   map[string]string
	dir     string
	logf    func(format string, args ...any)
	ports   func(n int) (*ports, error)
	proxy   string
	heap    string

	// archiveTo makes the JVM write its class data archive there when it
	// ends; such a cluster starts without an archive itself.
	archiveTo string
}

// Brokers sets the number of brokers, 1 (the default) or 3. Each of them is a
// controller too.
func Brokers(n int) Option { return func(o *options) { o.brokers = n } }

// Props adds lines to every broker's server.properties, over the ones chosen
// here.
func Props(props map[string]string) Option {
	return func(o *options) { maps.Copy(o.props, props) }
}

// Proxied gives the broker a second listener, at Broker.BehindProxy, whose clients are told
// to come to addr: a proxy there sees all they send and get. For one broker only.
func Proxied(addr string) Option { return func(o *options) { o.proxy = addr } }

// Heap makes the brokers such as serve a load: with that heap ("1g"), the JVM's own
// collector and its second compiler. Without it they are such as start fast.
func Heap(size string) Option { return func(o *options) { o.heap = size } }

// DataDir makes Start use dir, and keep it, instead of a temporary directory.
// A directory that holds an earlier cluster's data is opened again.
func DataDir(dir string) Option { return func(o *options) { o.dir = dir } }

// Logf sets where progress is told; Start uses the test's log.
func Logf(logf func(format string, args ...any)) Option {
	return func(o *options) { o.logf = logf }
}

func newOptions(opts []Option) (options, error) {
	o := options{
		brokers: 1,
		props:   map[string]string{},
		logf:    func(string, ...any) {},
		ports:   holdPorts,
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.brokers != 1 && o.brokers != 3 {
		return o, fmt.Errorf("realkafka: %d brokers asked for, only 1 or 3 are supported", o.brokers)
	}
	if o.proxy != "" && o.brokers != 1 {
		return o, fmt.Errorf("realkafka: a proxy in front of %d brokers asked for, only 1 is supported", o.brokers)
	}
	return o, nil
}
