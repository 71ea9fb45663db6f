/** Decodes base64-encoded little-endian arrays. */
import type { Packed } from "./model";

function bytes(packed: Packed): Uint8Array {
  const text = atob(packed);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

export const unpack8 = bytes;

export function unpack16(packed: Packed): Uint16Array {
  const view = new DataView(bytes(packed).buffer);
  const out = new Uint16Array(view.byteLength >> 1);
  for (let i = 0; i < out.length; i++) out[i] = view.getUint16(2 * i, true);
  return out;
}

export function unpack32(packed: Packed): Uint32Array {
  const view = new DataView(bytes(packed).buffer);
  const out = new Uint32Array(view.byteLength >> 2);
  for (let i = 0; i < out.length; i++) out[i] = view.getUint32(4 * i, true);
  return out;
}
