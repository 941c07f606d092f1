"""Sends orders with the serializers of confluent-kafka: in Avro, Protobuf and JSON Schema.

Arguments: brokers, topic, registry address, orders of each format. Prints what it has sent
as one JSON object: portions by drink.
"""

import json
import random
import sys
from collections import Counter

from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

AVRO = """{"type":"record","name":"Order","namespace":"brew.avro","fields":[
  {"name":"order_id","type":"long"},
  {"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},
  {"name":"notes","type":{"type":"map","values":"string"}},
  {"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[
    {"name":"drink","type":"string"},{"name":"size","type":["null","double"]},{"name":"quantity","type":"int"}]}}}]}"""

JSON_SCHEMA = """{"title":"Order","type":"object","required":["items"],"properties":{
  "ts":{"type":"integer"},
  "items":{"type":"array","items":{"type":"object","properties":{"drink":{"type":"string"},"quantity":{"type":"integer"}}}}}}"""


def protobuf_order():
    """The class of an order, which is a message inside of the file's second message."""
    file = descriptor_pb2.FileDescriptorProto(
        name="brew/order.proto", package="brew.proto", syntax="proto3", dependency=["google/protobuf/timestamp.proto"]
    )
    file.message_type.add(name="Other")
    outer = file.message_type.add(name="Orders")
    order = outer.nested_type.add(name="Order")
    item = order.nested_type.add(name="Item")
    field = descriptor_pb2.FieldDescriptorProto
    item.field.add(name="drink", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    item.field.add(name="quantity", number=2, type=field.TYPE_UINT64, label=field.LABEL_OPTIONAL)
    order.field.add(name="order_id", number=1, type=field.TYPE_FIXED64, label=field.LABEL_OPTIONAL)
    order.field.add(
        name="ts", number=2, type=field.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp", label=field.LABEL_OPTIONAL
    )
    order.field.add(
        name="items", number=3, type=field.TYPE_MESSAGE, type_name=".brew.proto.Orders.Order.Item", label=field.LABEL_REPEATED
    )
    pool = descriptor_pool.Default()
    timestamp_pb2.Timestamp()  # so that the pool has its file
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("brew.proto.Orders.Order"))


def main(brokers, topic, registry, count):
    client = SchemaRegistryClient({"url": registry})
    # Several formats cannot share the subject of the topic.
    by_record = {"subject.name.strategy": record_subject_name_strategy}
    order = protobuf_order()
    formats = {
        "avro": (AvroSerializer(client, AVRO, conf=by_record), dict),
        "json": (JSONSerializer(JSON_SCHEMA, client, conf=by_record), lambda o: {k: o[k] for k in ("ts", "items")}),
        "proto": (
            ProtobufSerializer(order, client, {**by_record, "use.deprecated.format": False}),
            lambda o: order(
                order_id=o["order_id"],
                ts=timestamp_pb2.Timestamp(seconds=o["ts"] // 1000, nanos=o["ts"] % 1000 * 1000000),
                items=[order.Item(drink=i["drink"], quantity=i["quantity"]) for i in o["items"]],
            ),
        ),
    }
    producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True})
    chance = random.Random(7)
    sent = Counter()
    failed = []
    for n in range(count):
        for name, (serialize, shape) in formats.items():
            items = [
                {"drink": f"{name} café {chance.randrange(20)}", "quantity": chance.randrange(1, 5), "size": chance.choice([None, 0.5])}
                for _ in range(chance.randrange(1, 6))
            ]
            value = {"order_id": n, "ts": 1772366400000 + n * 7, "notes": {"till": "front"}, "items": items}
            for i in items:
                sent[i["drink"]] += i["quantity"]
            if name == "json":
                value["items"] = [{k: i[k] for k in ("drink", "quantity")} for i in items]
            data = serialize(shape(value), SerializationContext(topic, MessageField.VALUE))
            producer.produce(topic, data, partition=n % 2, on_delivery=lambda err, _: err and failed.append(str(err)))
        producer.poll(0)
    producer.flush(60)
    if failed:
        sys.exit(f"{len(failed)} orders were not delivered: {failed[0]}")
    json.dump({"orders": 3 * count, "drinks": sent}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
