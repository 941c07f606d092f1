package api

import (
	"fmt"
	"strings"
	"unicode"
)

// Words are what people call the things that are counted, in tables, on the page and in
// the header of CSV. The names of JSON members are not among them: those never change.
type Words struct {
	Noun     string `json:"noun"`
	Nouns    string `json:"nouns"`
	Record   string `json:"record"`
	Records  string `json:"records"`
	Portion  string `json:"portion"`
	Portions string `json:"portions"`
}

var drinkWords = Words{Noun: "drink", Nouns: "drinks", Record: "order", Records: "orders", Portion: "portion", Portions: "portions"}

// maxNoun is the longest noun in bytes.
const maxNoun = 40

// NewWords are the words for a noun such as page, or one whose plural cannot be guessed,
// such as city,cities. They are nil for a drink, of which there are portions in orders;
// of anything else there are items in records.
func NewWords(noun string) (*Words, error) {
	one, many, ok := strings.Cut(noun, ",")
	if !ok {
		many = plural(one)
	}
	for _, word := range []string{one, many} {
		if word == "" || len(word) > maxNoun || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '-' }) {
			return nil, fmt.Errorf("%q is no noun: letters, spaces and dashes, at most %d bytes", word, maxNoun)
		}
	}
	if one == drinkWords.Noun && many == drinkWords.Nouns {
		return nil, nil
	}
	return &Words{Noun: one, Nouns: many, Record: "record", Records: "records", Portion: "item", Portions: "items"}, nil
}

// plural is right for most English nouns.
func plural(noun string) string {
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	if before, ok := strings.CutSuffix(noun, "y"); ok && before != "" && !strings.ContainsRune("aeiou", rune(before[len(before)-1])) {
		return before + "ies"
	}
	return noun + "s"
}

// OrDefault are the words, or those of drinks.
func (w *Words) OrDefault() *Words {
	if w == nil {
		return &drinkWords
	}
	return w
}
