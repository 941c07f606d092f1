package order

// match reads value as an order of the given shape, into d.items and d.time. It
// reports false unless the strict decoder would accept the order and find the
// same in it.
func (d *Decoder) match(s *shape, value []byte, recordTime int64) bool {
	d.items = d.items[:0]
	d.time, d.timed = recordTime, false
	at := d.matchMembers(s.head, value, 0)
	if at < 0 {
		return false
	}
	if at = d.matchItems(s, value, at); at < 0 {
		return false
	}
	if at = d.matchMembers(s.tail, value, at); at < 0 {
		return false
	}
	if at = s.end.end(value, at); at < 0 {
		return false
	}
	for _, c := range value[at:] {
		if !isSpace(c) {
			return false
		}
	}
	return d.timed || recordTime >= 0 && inRange(recordTime)
}

// matchMembers reads the values before or after the items. Like all functions
// here it begins at at and returns where it ended, or -1.
func (d *Decoder) matchMembers(steps []step, value []byte, at int) int {
	for i := range steps {
		s := &steps[i]
		if at = s.literal.end(value, at); at < 0 {
			return -1
		}
		if s.kind == kindTime {
			at = d.matchTime(value, at)
		} else {
			at = scalarEnd(value, at)
		}
		if at < 0 {
			return -1
		}
	}
	return at
}

// matchItems reads the items, from the bytes before the first one's first value
// to the end of the last one's last value.
func (d *Decoder) matchItems(s *shape, value []byte, at int) int {
	at = s.item[0].literal.end(value, at)
	if at < 0 {
		return -1
	}
	for {
		if len(d.items) == d.config.MaxItems {
			return -1
		}
		if at = d.matchItem(s.item, value, at); at < 0 {
			return -1
		}
		next := s.between.end(value, at)
		if next < 0 {
			return at
		}
		at = next
	}
}

// matchItem reads one item, from its first value to the end of its last.
func (d *Decoder) matchItem(steps []step, value []byte, at int) int {
	var item Item
	for i := range steps {
		s := &steps[i]
		if i > 0 {
			if at = s.literal.end(value, at); at < 0 {
				return -1
			}
		}
		switch s.kind {
		case kindDrink:
			item.Drink, at = d.matchDrink(value, at)
		case kindQuantity:
			item.Quantity, at = d.matchQuantity(value, at)
		default:
			at = scalarEnd(value, at)
		}
		if at < 0 {
			return -1
		}
	}
	d.items = append(d.items, item)
	return at
}

func (d *Decoder) matchDrink(value []byte, at int) (drink []byte, end int) {
	if at == len(value) || value[at] != '"' {
		return nil, -1
	}
	start := at + 1
	end = textEnd(value, start)
	if end <= start || end-start > d.config.MaxDrink {
		return nil, -1
	}
	return value[start:end:end], end + 1
}

func (d *Decoder) matchQuantity(value []byte, at int) (quantity int64, end int) {
	quantity, end = readDigits(value, at, quantityDigits)
	if quantity < 1 || quantity > d.config.MaxQuantity {
		return 0, -1
	}
	return quantity, end
}

// matchTime reads the time member. A null leaves the record's time in place.
func (d *Decoder) matchTime(value []byte, at int) int {
	if at == len(value) {
		return -1
	}
	switch value[at] {
	case 'n':
		return literalEnd(value, at, "null")
	case '"':
		d.timed = true
		d.time, at = d.hour.read(value, at+1)
		return at
	}
	n, end := readDigits(value, at, timeDigits)
	if end < 0 {
		return -1
	}
	d.time, d.timed = d.config.TimeUnit.millis(n)
	if !d.timed {
		return -1
	}
	return end
}
