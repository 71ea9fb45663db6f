import type { Images, SampleSet } from "../model";
import { unpack16, unpack32, unpack8 } from "../packed";
import type { Box } from "./view";

export type Split = "train" | "test";

/** The decoded samples of one split. */
export interface Points {
  count: number;
  total: number;
  how: string;
  x: Uint16Array;
  y: Uint16Array;
  box: Box;
  index: Uint32Array;
  label: Uint16Array;
  predicted: Uint16Array;
  similarity: Uint8Array;
  truth: Uint16Array | null;
  audit_score: Uint8Array | null;
  suggested: Uint16Array | null;
  names: string[] | null;
  images: Images | null;
}

/** Scores are bytes; labels with a score above this are flagged (probability of an error above 0.5). */
export const FLAGGED = 127;

function boundsOf(x: Uint16Array, y: Uint16Array): Box {
  if (x.length === 0) return { left: 0, right: 65535, bottom: 0, top: 65535 };
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let i = 0; i < x.length; ++i) {
    box.left = Math.min(box.left, x[i]!);
    box.right = Math.max(box.right, x[i]!);
    box.bottom = Math.min(box.bottom, y[i]!);
    box.top = Math.max(box.top, y[i]!);
  }
  return box;
}

export function unpackPoints(set: SampleSet): Points {
  const x = unpack16(set.x);
  const y = unpack16(set.y);
  return {
    count: set.count,
    total: set.total,
    how: set.how,
    x,
    y,
    box: boundsOf(x, y),
    index: unpack32(set.index),
    label: unpack16(set.label),
    predicted: unpack16(set.predicted),
    similarity: unpack8(set.similarity),
    truth: set.truth === null ? null : unpack16(set.truth),
    audit_score: set.audit_score === null ? null : unpack8(set.audit_score),
    suggested: set.suggested === null ? null : unpack16(set.suggested),
    names: set.names === null ? null : set.names.split("\n"),
    images: set.images,
  };
}

/** Name of a sample: its file name, or its index. */
export function nameOf(points: Points, i: number): string {
  return points.names?.[i] || `#${points.index[i]}`;
}
