package order

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits that apply where the Config has a zero.
const (
	// DefaultMaxRecord is the largest record value, in bytes.
	DefaultMaxRecord = 1 << 20
	// DefaultMaxItems is the largest number of items in one order.
	DefaultMaxItems = 1000
	// DefaultMaxDrink is the longest drink name after unescaping, in bytes.
	DefaultMaxDrink = 1024
	// DefaultMaxQuantity is the largest quantity of one item.
	DefaultMaxQuantity = 1_000_000
)

// Config says where an order's time is found and how large an order may be.
type Config struct {
	// TimeField names the top-level member with the order's time. It is matched
	// exactly. "" means that orders carry no time and the record's timestamp is
	// always used.
	TimeField string
	// TimeUnit is the unit of a time written as an integer. The default is
	// Milliseconds.
	TimeUnit Unit

	// MaxRecord is the largest record value in bytes; 0 means DefaultMaxRecord.
	MaxRecord int
	// MaxItems is the largest number of items; 0 means DefaultMaxItems.
	MaxItems int
	// MaxDrink is the longest drink name in bytes after unescaping; 0 means
	// DefaultMaxDrink.
	MaxDrink int
	// MaxQuantity is the largest quantity of an item; 0 means
	// DefaultMaxQuantity.
	MaxQuantity int64
}

// complete returns the configuration with its defaults filled in.
func (c Config) complete() (Config, error) {
	switch {
	case c.TimeField == nameItems:
		return c, fmt.Errorf("order: the time field cannot be %q: that member holds the items", nameItems)
	case !utf8.ValidString(c.TimeField):
		return c, fmt.Errorf("order: the time field %q is not valid UTF-8", c.TimeField)
	case c.TimeUnit > Nanoseconds:
		return c, fmt.Errorf("order: %d is no time unit", c.TimeUnit)
	case c.MaxRecord < 0 || c.MaxItems < 0 || c.MaxDrink < 0 || c.MaxQuantity < 0:
		return c, errors.New("order: a limit cannot be negative")
	}
	setDefault(&c.MaxRecord, DefaultMaxRecord)
	setDefault(&c.MaxItems, DefaultMaxItems)
	setDefault(&c.MaxDrink, DefaultMaxDrink)
	setDefault(&c.MaxQuantity, DefaultMaxQuantity)
	return c, nil
}

func setDefault[T int | int64](limit *T, value T) {
	if *limit == 0 {
		*limit = value
	}
}
