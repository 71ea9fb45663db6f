"""Reads TensorBoard event files with the standard library only.

Written from the formats' descriptions, not from the program that writes them: TFRecord framing
with masked CRC-32C checksums, the wire format of Protocol Buffers, and the fields of event.proto
and summary.proto.
"""
import struct
from collections import namedtuple

Scalar = namedtuple("Scalar", "tag step value plugin wall_time")
Image = namedtuple("Image", "tag step width height png")
Events = namedtuple("Events", "version starts scalars images")


def crc32c(data):
    """Computes CRC-32C bit by bit from the polynomial."""
    rest = 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def masked(crc):
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def read_records(data):
    """Returns the contents of all records. Raises ValueError if a checksum or a length is wrong."""
    position = 0
    while position < len(data):
        if position + 12 > len(data):
            raise ValueError(f"half a record at byte {position}")
        length, length_crc = struct.unpack_from("<QI", data, position)
        if length_crc != masked(crc32c(data[position:position + 8])):
            raise ValueError(f"wrong checksum of a length at byte {position}")
        content = data[position + 12:position + 12 + length]
        if position + 16 + length > len(data):
            raise ValueError(f"half a record at byte {position}")
        (content_crc,) = struct.unpack_from("<I", data, position + 12 + length)
        if content_crc != masked(crc32c(content)):
            raise ValueError(f"wrong checksum of a record at byte {position}")
        yield content
        position += 16 + length


def read_varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def read_fields(data):
    """Returns {field number: list of values}: integers, floats or bytes."""
    fields, position = {}, 0
    while position < len(data):
        key, position = read_varint(data, position)
        kind = key & 7
        if kind == 0:
            value, position = read_varint(data, position)
        elif kind in (1, 5):
            form, size = ("<d", 8) if kind == 1 else ("<f", 4)
            (value,) = struct.unpack_from(form, data, position)
            position += size
        elif kind == 2:
            size, position = read_varint(data, position)
            value = data[position:position + size]
            if len(value) != size:
                raise ValueError("a field is longer than its message")
            position += size
        else:
            raise ValueError(f"unknown wire type {kind}")
        fields.setdefault(key >> 3, []).append(value)
    return fields


def one(fields, number, otherwise=None):
    values = fields.get(number, [otherwise])
    if len(values) != 1:
        raise ValueError(f"field {number} stands {len(values)} times")
    return values[0]


def read_value(value, step, wall_time, events):
    tag = one(value, 1).decode()
    if 2 in value:
        metadata = read_fields(one(value, 9, b""))
        plugin = one(read_fields(one(metadata, 1, b"")), 1, b"").decode()
        events.scalars.append(Scalar(tag, step, one(value, 2), plugin, wall_time))
    if 4 in value:
        image = read_fields(one(value, 4))
        events.images.append(Image(tag, step, one(image, 2), one(image, 1), one(image, 4)))


def read_event_file(path):
    events = Events([], [], [], [])
    for record in read_records(path.read_bytes()):
        event = read_fields(record)
        step = one(event, 2, 0)
        if 3 in event:
            events.version.append(one(event, 3).decode())
        if 7 in event and one(read_fields(one(event, 7)), 1, 0) == 1:
            events.starts.append(step)
        for value in read_fields(one(event, 5, b"")).get(1, []):
            read_value(read_fields(value), step, one(event, 1), events)
    return events


def event_files(run):
    return sorted(run.glob("events.out.tfevents.*"))


def png_size(png):
    """Returns width and height from the file header."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or png[12:16] != b"IHDR":
        raise ValueError("no PNG")
    return struct.unpack_from(">II", png, 16)
