// Package protobuf reads events from Protobuf's binary encoding, by descriptors that are
// known only at run time. It compiles a message and a mapping into a program that looks
// at the fields the mapping wants, hands them to an event.Builder and passes all others.
package protobuf

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Schema is a file of message types. It does not change and is safe for concurrent use.
type Schema struct{ file protoreflect.FileDescriptor }

// Import is a file that others import by its name.
type Import struct{ Name, Text string }

// rootName is the name of the file itself, which no import has.
const rootName = "<root>.proto"

// Parse reads a file with those it imports, which may import each other; the files of
// google/protobuf are known. A text is the file's source, or its descriptor in base64. An
// error says that the schema cannot be used, ever.
func Parse(text string, imports []Import) (*Schema, error) {
	texts := map[string]string{rootName: text}
	for _, i := range imports {
		texts[i.Name] = i.Text
	}
	known := protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
		text, ok := texts[name]
		if !ok {
			return protocompile.SearchResult{}, fmt.Errorf("%q is imported and not among the references: %w", name, os.ErrNotExist)
		}
		if file := descriptor(name, text); file != nil {
			return protocompile.SearchResult{Proto: file}, nil
		}
		return protocompile.SearchResult{Source: io.NopCloser(strings.NewReader(text))}, nil
	})
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(known), MaxParallelism: 1}
	files, err := compiler.Compile(context.Background(), rootName)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), rootName, "the schema"))
	}
	return &Schema{files[0]}, nil
}

// descriptor reads a text that is a descriptor in base64, as some clients register it;
// nil if it is not.
func descriptor(name, text string) *descriptorpb.FileDescriptorProto {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) == 0 {
		return nil
	}
	file := new(descriptorpb.FileDescriptorProto)
	if proto.Unmarshal(raw, file) != nil {
		return nil
	}
	file.Name = &name
	nameInJSON(file.Extension)
	nameAllInJSON(file.MessageType)
	return file
}

func nameAllInJSON(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		nameInJSON(m.Field)
		nameInJSON(m.Extension)
		nameAllInJSON(m.NestedType)
	}
}

// nameInJSON gives fields the name in JSON that they have by default: descriptors that are
// not made by the compiler lack it, and it would take that for a name of their own.
func nameInJSON(fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		if f.GetJsonName() != "" {
			continue
		}
		var name []byte
		for i, c := range []byte(f.GetName()) {
			switch {
			case c == '_':
			case i > 0 && f.GetName()[i-1] == '_' && 'a' <= c && c <= 'z':
				name = append(name, c-'a'+'A')
			default:
				name = append(name, c)
			}
		}
		f.JsonName = proto.String(string(name))
	}
}

// message finds the message at a path of places: in the file, then in the messages.
func (s *Schema) message(path []int) protoreflect.MessageDescriptor {
	var found protoreflect.MessageDescriptor
	within := s.file.Messages()
	for _, at := range path {
		if at < 0 || at >= within.Len() {
			return nil
		}
		found = within.Get(at)
		within = found.Messages()
	}
	return found
}
