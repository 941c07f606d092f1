package event

import "bytes"

// match reads a record's value as one of the given shape, into d.order. It
// reports false unless the strict decoder would accept it and find the
// same in it.
func (d *Decoder) match(s *shape, r *Record) bool {
	value := r.Value
	d.items, d.arena = d.items[:0], d.arena[:0]
	d.time.found = false
	if d.plan == d.plans[1] {
		d.spare.found = false
	}
	at := -1
	if len(s.item) > 0 {
		at = d.matchMembers(s.head, value, 0)
		if at >= 0 {
			at = d.matchAll(s, value, at)
		}
		if at >= 0 {
			at = d.matchMembers(s.tail, value, at)
		}
	} else {
		at = d.matchItem(s.head, s.head[0].literal.end(value, 0), value)
	}
	if at < 0 {
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
	return d.matchEnd(r.Timestamp)
}

// matchEnd is End for a record without faults.
func (d *Decoder) matchEnd(recordTime int64) bool {
	switch {
	case d.time.found:
		d.event = Event{Time: d.time.ms, Local: d.time.local, Items: d.items}
	case d.spare.found:
		d.event = Event{Time: d.spare.ms, Items: d.items}
		return d.spare.fault == ""
	default:
		d.event = Event{Time: recordTime, Items: d.items}
		return recordTime >= 0 && inRange(recordTime)
	}
	return true
}

// matchMembers reads the values before or after the items. Like all functions
// here it begins at at and returns where it ended, or -1.
func (d *Decoder) matchMembers(steps []step, value []byte, at int) int {
	for i := range steps {
		s := &steps[i]
		if at = s.literal.end(value, at); at < 0 {
			return -1
		}
		if s.kind == kindSkipped {
			at = scalarEnd(value, at)
		} else {
			at = d.matchOutside(s.kind, value, at)
		}
		if at < 0 {
			return -1
		}
	}
	return at
}

// matchOutside reads a value that is no part of an item.
func (d *Decoder) matchOutside(k kind, value []byte, at int) int {
	switch k {
	case kindSkipped:
		return scalarEnd(value, at)
	case kindTime:
		return d.matchTime(value, at)
	case kindSpareTime:
		return d.matchSpareTime(value, at)
	}
	if end := literalEnd(value, at, `"c"`); end >= 0 {
		return end
	}
	return literalEnd(value, at, `"r"`)
}

// matchAll reads all items. Like matchItems it begins before the first one's first value
// and returns the end of the last one's last.
func (d *Decoder) matchAll(s *shape, value []byte, at int) int {
	if d.lone && s.pairs() {
		if end := d.matchPairs(s, value, at); end >= 0 {
			return end
		}
		d.items = d.items[:0]
	}
	return d.matchItems(s, value, at)
}

// matchPairs is matchItems for items that are a name and a quantity and nothing else, as
// most are, and the name a string. With all of it in one place it takes half the time.
func (d *Decoder) matchPairs(s *shape, value []byte, at int) int {
	items, scope, middle := d.items, &d.m.scope, &s.item[1].literal
	at = s.item[0].literal.end(value, at)
	for at >= 0 && at < len(value) && value[at] == '"' && len(items) < scope.items {
		start := at + 1
		end := textEnd(value, start)
		if end <= start || end-start > scope.name {
			return -1
		}
		begin := middle.end(value, end+1)
		if begin < 0 {
			return -1
		}
		var quantity int64
		for at = begin; at < len(value) && isDigit(value[at]); at++ {
			quantity = quantity*10 + int64(value[at]-'0') // it may overflow if there are too many
		}
		if quantity < 1 || quantity > scope.quantity || at-begin > quantityDigits || value[begin] == '0' {
			return -1
		}
		items = append(items, Item{value[start:end:end], quantity})
		next := s.between.end(value, at)
		if next < 0 {
			d.items = items
			return at
		}
		at = next
	}
	return -1
}

// matchItems reads the items, from the bytes before the first one's first value
// to the end of the last one's last value.
func (d *Decoder) matchItems(s *shape, value []byte, at int) int {
	at = s.item[0].literal.end(value, at)
	if at < 0 {
		return -1
	}
	for {
		if at = d.matchItem(s.item, at, value); at < 0 {
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
func (d *Decoder) matchItem(steps []step, at int, value []byte) int {
	if at < 0 || len(d.items) == d.m.scope.items {
		return -1
	}
	var item Item
	if !d.lone {
		clear(d.parts)
	}
	for i := range steps {
		s := &steps[i]
		if i > 0 {
			if at = s.literal.end(value, at); at < 0 {
				return -1
			}
		}
		switch s.kind {
		case kindName:
			var name []byte
			if name, at = d.matchName(value, at); d.lone {
				item.Name = name
			} else {
				d.parts[s.part] = name
			}
		case kindQuantity:
			item.Quantity, at = d.matchQuantity(value, at)
		default:
			at = d.matchOutside(s.kind, value, at)
		}
		if at < 0 {
			return -1
		}
	}
	if !d.matchItemEnd(item) {
		return -1
	}
	return at
}

// matchItemEnd is EndItem for an item without faults.
func (d *Decoder) matchItemEnd(item Item) bool {
	if d.m.Quantity == nil {
		item.Quantity = 1
	}
	if d.lone {
		if item.Name == nil || item.Quantity == 0 {
			return false
		}
		d.items = append(d.items, item)
		return true
	}
	d.quantity = item.Quantity
	return d.finishItem() == nil
}

func (d *Decoder) matchName(value []byte, at int) (name []byte, end int) {
	if at == len(value) {
		return nil, -1
	}
	if value[at] != '"' {
		return d.matchOtherName(value, at)
	}
	start := at + 1
	end = textEnd(value, start)
	if end <= start || end-start > d.m.scope.name {
		return nil, -1
	}
	return value[start:end:end], end + 1
}

// matchOtherName reads a name that is no string.
func (d *Decoder) matchOtherName(value []byte, at int) (name []byte, end int) {
	if d.m.Plain || value[at] == 'n' {
		return nil, -1
	}
	end = scalarEnd(value, at)
	if end < 0 || end-at > d.m.scope.name {
		return nil, -1
	}
	return value[at:end:end], end
}

func (d *Decoder) matchQuantity(value []byte, at int) (quantity int64, end int) {
	quantity, end = readDigits(value, at, quantityDigits)
	if quantity < 1 || quantity > d.m.scope.quantity {
		return 0, -1
	}
	return quantity, end
}

// matchTime reads the time. A null leaves it to the envelope or the record.
func (d *Decoder) matchTime(value []byte, at int) int {
	if at == len(value) {
		return -1
	}
	f := &d.m.times
	switch value[at] {
	case 'n':
		return literalEnd(value, at, "null")
	case '"':
		d.time.found = true
		if f.form == formLayout {
			return d.matchLayout(value, at+1)
		}
		d.time.ms, d.time.local, at = d.hour.read(f, value, at+1)
		return at
	}
	n, end := readDigits(value, at, timeDigits)
	if end < 0 || f.form == formLayout {
		return -1
	}
	d.time.found, d.time.local = true, Exact
	var ok bool
	if d.time.ms, ok = f.unit.millis(n); ok && plausibleFrom <= d.time.ms && d.time.ms < plausibleTo &&
		(end == len(value) || endsLiteral(value[end])) {
		return end
	}
	return d.matchNumber(value, at)
}

// matchNumber reads a time that is a decimal number, or long ago.
func (d *Decoder) matchNumber(value []byte, at int) int {
	end := numberEnd(value, at)
	if end < 0 {
		return -1
	}
	var fault string
	if d.time.ms, fault = d.m.times.number(value[at:end]); fault != "" {
		return -1
	}
	return end
}

// matchLayout reads a time of a configured layout. Records that follow each other often
// have the same.
func (d *Decoder) matchLayout(value []byte, at int) int {
	end := textEnd(value, at)
	if end < 0 {
		return -1
	}
	text := value[at:end]
	if last := &d.last; len(text) == 0 || !bytes.Equal(text, last.text) {
		ms, local, fault := d.m.times.text(text)
		if fault != "" {
			return -1
		}
		last.text, last.ms, last.local = append(last.text[:0], text...), ms, local
	}
	d.time.ms, d.time.local = d.last.ms, d.last.local
	return end + 1
}

func (d *Decoder) matchSpareTime(value []byte, at int) int {
	end := scalarEnd(value, at)
	if end < 0 || value[at] != '"' {
		return -1
	}
	if d.spare.text(&envelopeTimes, value[at+1:end-1]); d.spare.fault != "" {
		return -1
	}
	return end
}
