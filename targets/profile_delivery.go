package targets

// Delivery is what a receiver of webhooks must know of the sender. The event's identity is its key: a repeat must be
// answered like the first delivery and must not act twice.
type Delivery struct {
	Identity Strings  `yaml:"identity"` // what identifies an event: header:NAME or JSON pointers; several form one key
	Fact     Strings  `yaml:"fact"`     // what identifies the fact, where one fact may come as two events
	Ack      Ints     `yaml:"ack"`      // the statuses that acknowledge a delivery; empty: any 2xx
	Deadline Duration `yaml:"deadline"` // an acknowledgement that takes longer counts as none
	Horizon  Duration `yaml:"horizon"`  // how long the sender redelivers: evidence must be kept longer
	Tries    int      `yaml:"tries"`    // how often it delivers at most; 0: not documented
	Attempt  string   `yaml:"attempt"`  // where the number of the delivery stands, 0 for the first: header:NAME or a JSON pointer
	Renewed  Strings  `yaml:"renewed"`  // what is new in each delivery: header:NAME or JSON pointers
	Memory   Duration `yaml:"memory"`   // how long the source advises to remember an event
	Sign     *Signing `yaml:"sign"`
	Claim    `yaml:",inline"`
}

// Signing is how the sender of events signs them. The secret is each receiver's own: see Sign.
type Signing struct {
	Scheme Scheme `yaml:"scheme"`
	Header string `yaml:"header"` // default: the scheme's own
	Claim  `yaml:",inline"`
}
