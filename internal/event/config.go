package event

import "errors"

// Limits that apply where the Config has a zero.
const (
	// DefaultMaxRecord is the largest record value, in bytes.
	DefaultMaxRecord = 1 << 20
	// DefaultMaxItems is the largest number of items of one event.
	DefaultMaxItems = 1000
	// DefaultMaxName is the longest name after unescaping, in bytes.
	DefaultMaxName = 1024
	// DefaultMaxQuantity is the largest quantity of one item.
	DefaultMaxQuantity = 1_000_000
)

// The names of an order's members, besides the time: where they are by default.
const (
	nameItems    = "items"
	nameDrink    = "drink"
	nameQuantity = "quantity"
)

// Config says where in a record the time and the items are found and how large it may
// be. The zero value is an order without a time: items, each with drink and quantity.
type Config struct {
	// TimeField is the path to the time. "" means that the record's timestamp is
	// always used.
	TimeField string
	// TimeUnit is the unit of a time written as a number. The default is
	// Milliseconds.
	TimeUnit Unit
	// TimeLayout is how times are written: "rfc3339" (with zone, or a whole number),
	// "iso" (also with a space, without zone, with -0700, without seconds or time of
	// day; or a number, whole or decimal, even in quotes), or a layout of Go's package
	// time. "" is rfc3339 for orders and iso for anything else.
	TimeLayout string
	// TimeZone is the IANA zone of times without one, by default UTC.
	TimeZone string

	// Items is the path to the array of items, or through arrays to every item
	// (baskets[].lines). "" means that the record itself is one item, unless Names is
	// empty too: then it is "items".
	Items string
	// Names are the paths in an item to the parts of its name, by default "drink".
	// "." is the item itself, "key" the record's key and "header:x" its header x.
	Names []string
	// NameSeparator is put between the parts.
	NameSeparator string
	// Quantity is the path in an item to its quantity; "1" counts one of each. "" is
	// "1" if there are Names, else "quantity".
	Quantity string
	// Split, if it is not empty, makes several items of one: its name is a list with
	// this between the names.
	Split string
	// Envelope is what the document is wrapped in.
	Envelope Envelope

	// MaxRecord is the largest record value in bytes; 0 means DefaultMaxRecord.
	MaxRecord int
	// MaxItems is the largest number of items; 0 means DefaultMaxItems.
	MaxItems int
	// MaxName is the longest name in bytes after unescaping; 0 means
	// DefaultMaxName.
	MaxName int
	// MaxQuantity is the largest quantity of an item; 0 means
	// DefaultMaxQuantity.
	MaxQuantity int64
}

// WithDefaults fills in what is not said about items. Limits stay as they are.
func (c Config) WithDefaults() Config {
	if len(c.Names) > 0 {
		if c.Quantity == "" {
			c.Quantity = oneOfEach
		}
		return c
	}
	c.Names = []string{nameDrink}
	if c.Items == "" {
		c.Items = nameItems
	}
	if c.Quantity == "" {
		c.Quantity = nameQuantity
	}
	return c
}

// limits returns the limits with their defaults.
func (c *Config) limits() (limits, error) {
	if c.MaxRecord < 0 || c.MaxItems < 0 || c.MaxName < 0 || c.MaxQuantity < 0 {
		return limits{}, errors.New("event: a limit cannot be negative")
	}
	return limits{
		record: orDefault(c.MaxRecord, DefaultMaxRecord), items: orDefault(c.MaxItems, DefaultMaxItems),
		name: orDefault(c.MaxName, DefaultMaxName), quantity: orDefault(c.MaxQuantity, DefaultMaxQuantity),
	}, nil
}

func orDefault[T int | int64](limit, value T) T {
	if limit == 0 {
		return value
	}
	return limit
}
