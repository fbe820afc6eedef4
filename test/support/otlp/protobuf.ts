/** The value of a field: a number (varint or fixed), or bytes. */
type Value = bigint | Uint8Array;

/** A protobuf message by field number, decoded without a schema (https://protobuf.dev/programming-guides/encoding/). */
export type Message = ReadonlyMap<number, readonly Value[]>;

export function decodeMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<number, Value[]>();
  let at = 0;
  while (at < bytes.length) {
    const key = Number(varint());
    const values = fields.get(key >> 3) ?? [];
    values.push(value(key & 7));
    fields.set(key >> 3, values);
  }
  return fields;

  function varint(): bigint {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at);
      at += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  }

  function value(wireType: number): Value {
    switch (wireType) {
      case 0:
        return varint();
      case 1:
        at += 8;
        return view.getBigUint64(at - 8, true);
      case 2: {
        const length = Number(varint());
        at += length;
        return bytes.subarray(at - length, at);
      }
      case 5:
        at += 4;
        return BigInt(view.getUint32(at - 4, true));
      default:
        throw new Error(`no wire type of protobuf: ${wireType}`);
    }
  }
}

export function messagesOf(message: Message, field: number): Message[] {
  return bytesOf(message, field).map(decodeMessage);
}

export function textOf(message: Message, field: number): string {
  return new TextDecoder().decode(bytesOf(message, field)[0]);
}

export function hexOf(message: Message, field: number): string {
  return Buffer.from(bytesOf(message, field)[0] ?? []).toString('hex');
}

export function numberOf(message: Message, field: number): bigint {
  const value = message.get(field)?.[0] ?? 0n;
  if (typeof value !== 'bigint') throw new Error(`field ${field} is no number`);
  return value;
}

function bytesOf(message: Message, field: number): Uint8Array[] {
  return (message.get(field) ?? []).map((value) => {
    if (typeof value === 'bigint') throw new Error(`field ${field} has no bytes`);
    return value;
  });
}
