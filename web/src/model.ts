/**
 * Data model of a page. The program writes one PageData as JSON into
 * <script type="application/json" id="data">. All strings are untrusted and are inserted as text, never as markup.
 */

/** Little-endian numbers as base64; the element type is given at each use. */
export type Packed = string;

/** A measured number; null if it is not finite (JSON has no NaN) or was not measured. */
export type Metric = number | null;

/** Lower and upper bound; null if there is no interval. */
export type MetricInterval = [number, number] | null;

export interface PageData {
  format: 1;
  program: string; // "projnce 0.1.0"
  written: string; // last modification of the runs' files: ISO 8601, UTC
  title: string;
  /** Seconds between updates; 0 if the page is final. */
  refresh: number;
  /** One run: its report. Several: a comparison that links to the report of each run. */
  runs: RunData[];
}

export interface RunData {
  name: string; // last component of the path; unique on the page
  path: string;
  /** "stopped": unfinished, and no process is training it. */
  state: "running" | "stopped" | "finished";
  /** Command lines, one for each start or resume. */
  commands: string[];
  kind: "image" | "audio" | "vector";
  classes: string[];
  /** Contents of summary.json; null while the run is unfinished. */
  summary: Summary | null;
  curves: Curves;
  config: Setting[];
  test: SampleSet | null;
  train: SampleSet | null;
  confusion: Confusion | null;
  audit: Audit | null;
  /** Sentences that explain what is missing on the page and why. */
  missing: string[];
}

/** One setting. `standard` is its default, null if it has none. */
export interface Setting {
  key: string; // "train.epochs"
  value: string; // as TOML writes it: 8, 'cosine', [0.28]
  standard: string | null;
}

/** Columns of equal length. */
export type Columns = Record<string, Metric[]>;

/**
 * metrics.jsonl as columns. All tables have `step` and `epoch`; epochs start at 1. In `epochs`, a row is the end of an
 * epoch; in `steps`, `epoch` is fractional (2.5: halfway through the third epoch).
 */
export interface Curves {
  /** loss, alignment, uniformity, R (the adjustment term), learning_rate, gradient_norm, ... */
  steps: Columns;
  /** Same metrics, averaged over an epoch. Older runs have an mi_bound here that is not a valid bound; it is not shown. */
  epochs: Columns;
  /**
   * Per protocol ("nearest-centroid", "knn", ...): top1, low, high (95 % interval), top5, calibration_error. "information" has the
   * certified bounds on the test samples, as in Information.bounds; absent in older runs.
   */
  tests: Record<string, Columns>;
  /** Loss spikes and skipped steps. */
  events: { step: number; epoch: number; name: "spike" | "skipped_step"; loss: Metric }[];
}

export interface Protocol {
  top1: Metric;
  top1_interval: MetricInterval;
  top5: Metric;
  /** Absent for protocols that score by cosine similarity, which is not a probability. */
  calibration_error?: Metric;
}

/** Mutual information between embeddings and classes, in nats. */
export interface Information {
  samples: number;
  dimensions: number;
  label_entropy: Metric;
  /** Null if the estimate is withheld. */
  mixed_ksg: Metric;
  interval: MetricInterval;
  share: Metric;
  /** Reason why the estimate is withheld; absent in older runs. */
  withheld?: string | null;
  k: number;
  /**
   * Certified lower bounds on I(Z;C), each with a standard error "_se": mi_bound_class_fitted, mi_bound_class, mi_bound_normalized,
   * mi_bound, where applicable; also tau_fit, temperature, rows, entropy. Older runs have projnce and class_vectors, which are
   * not valid bounds.
   */
  bounds: Record<string, Metric>;
}

/** The model that a run delivers and that `predict` and `export` use. */
export interface Delivered {
  epoch: number;
  epochs: number;
  rule: "last" | "best-validation";
  readout: string; // a key of protocols
  readout_text: string; // "learned class vectors"
  top1: Metric;
  top1_interval: MetricInterval;
  top5: Metric;
  calibration_error: Metric;
  calibrated_on: "validation" | "test" | null;
  temperature: Metric;
  validation?: { samples: number; top1: Metric };
}

export interface Summary {
  run: string;
  version: string;
  dataset: string;
  loss: string;
  encoder: string;
  seed: number;
  label_noise: number;
  wrong_labels: number;
  samples: { train: number; test: number; skipped: number };
  /** Hashes of sample names and labels; absent in older runs. */
  data?: { train_fingerprint?: string; test_fingerprint?: string };
  classes: number;
  /** Absent in older runs. */
  test_classes?: { with_samples: number; with_few_samples: number; few_below: number };
  epochs: number;
  protocol: string;
  /** Absent in older runs. */
  delivered?: Delivered;
  accuracy: {
    last: Metric;
    last_top5: Metric;
    best: Metric;
    best_epoch: Metric;
    reported: Metric;
    reported_epoch: "last" | "best" | "validation";
    /** "best-test-epoch" is the paper's rule. Absent in older runs. */
    report?: "delivered" | "best-test-epoch";
  };
  protocols: Record<string, Protocol>;
  retrieval: Record<string, Metric> | null;
  information: Information | null;
  images_per_second: Metric;
  seconds: { train: Metric; waiting_for_data: Metric; eval: Metric; total: Metric };
  ranks?: number;
}

/** Rows are labels, columns predictions. */
export interface Confusion {
  protocol: string;
  counts: Packed; // Uint32, classes x classes
}

export const NO_CLASS = 0xffff;

/** Samples on a map. All arrays have `count` entries. */
export interface SampleSet {
  count: number;
  /** Size of the split; larger than `count` if the map shows a random subset. */
  total: number;
  how: string; // "t-SNE, perplexity 30, KL 1.234"
  x: Packed; // Uint16, 0..65535 from left to right
  y: Packed; // Uint16, 0..65535 from bottom to top, same scale as x
  index: Packed; // Uint32, index of the sample in its split
  label: Packed; // Uint16, the label used by the run
  predicted: Packed; // Uint16
  /** Uint8, 0..255 for 0..1: calibrated probability of the predicted class; in older runs its cosine similarity. */
  similarity: Packed;
  /** Uint16, the true label, if label noise was injected; else null. */
  truth: Packed | null;
  /** Uint8, 0..255 for 0..1: probability that the given label is wrong; null without an audit. */
  audit_score: Packed | null;
  /** Uint16, the label that the audit suggests; null without an audit. */
  suggested: Packed | null;
  /** File names, separated by line feeds; null if samples have only an index. */
  names: string | null;
  images: Images | null;
}

/** Square thumbnails (spectrograms for audio) in sprite sheets, row by row. */
export interface Images {
  side: number; // side length of an image in pixels
  columns: number; // images per row of a sheet
  perSheet: number; // images per sheet; image i is on sheet floor(i / perSheet)
  sheets: string[]; // JPEG files as base64
}

export interface Audit {
  samples: number;
  flagged: number; // with a score above 0.5
  /** Estimated fraction of wrong labels; null if the features do not separate the classes. */
  noise_rate: Metric;
  /** Expected fraction of flagged labels that are wrong; null if none is flagged. Absent in older runs. */
  expected_precision?: Metric;
  /** The audited splits. Absent in older runs, which audited the training split. */
  splits?: { split: string; samples: number; audited: number }[];
  /** How well held-out labels can be predicted from the features. Absent in older runs. */
  skill?: { informative: boolean; held_out_accuracy: Metric; chance_accuracy: Metric; too_few_samples?: boolean };
  mistakes: { class: string; labeled: string; share: Metric }[];
  /** Quality of the audit, if the wrong labels are known. */
  check: {
    wrong: number;
    precision: Metric;
    recall: Metric;
    average_precision: Metric;
  } | null;
  /** Flagged samples, highest score first. */
  worst: {
    /** "train", "test" or "validation", which is not on a map; absent in older runs, which means "train". */
    split?: string;
    index: number;
    name: string;
    given: string;
    suggested: string;
    score: Metric;
    wrong: boolean | null; // whether the label is wrong; null if unknown
  }[];
  images: Images | null; // image i belongs to worst[i]
  /** Clip i belongs to worst[i], null beyond the size limit. Absent in pages of older versions. */
  clips?: (Clip | null)[] | null;
}

/** Excerpt of an audio sample. */
export interface Clip {
  wav: string; // WAV file as base64
  seconds: number;
  whole: number; // length of the original recording
}
