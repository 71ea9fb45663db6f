/**
 * What a page shows. The program writes one PageData as JSON into the page, in
 * <script type="application/json" id="data">; every text in it is data from files of others and
 * goes into the page as text only, never as markup.
 */

/** base64 of little-endian numbers; the type is said where it is used. */
export type Packed = string;

/** A measured number; null if it is not finite (JSON has no NaN) or was not measured. */
export type Metric = number | null;

/** Lower and upper end of an interval; null if there is none. */
export type MetricInterval = [number, number] | null;

export interface PageData {
  format: 1;
  program: string; // "projnce 0.1.0"
  written: string; // when the newest of the runs' files changed: ISO 8601, UTC
  title: string;
  /** Seconds after which a newer page is worth a look; 0: this one is final. */
  refresh: number;
  /** One: the page of a run. Several: a comparison, with a page for each behind it. */
  runs: RunData[];
}

export interface RunData {
  name: string; // last part of the path; no two on a page are alike
  path: string;
  /** stopped: not finished, and nobody works on it. */
  state: "running" | "stopped" | "finished";
  /** What was typed, one line for each time that it was started or resumed. */
  commands: string[];
  kind: "image" | "sound" | "vector";
  classes: string[];
  /** summary.json as it is; null while the run goes on. */
  summary: Summary | null;
  curves: Curves;
  config: Setting[];
  test: SampleSet | null;
  train: SampleSet | null;
  confusion: Confusion | null;
  audit: Audit | null;
  /** What is not on the page and why, a sentence each. */
  missing: string[];
}

/** One setting; `standard` is what it is by default, null where there is no default. */
export interface Setting {
  key: string; // "train.epochs"
  value: string; // as TOML writes it: 8, 'cosine', [0.28]
  standard: string | null;
}

/** Columns of equal length. */
export type Columns = Record<string, Metric[]>;

/**
 * Lines of metrics.jsonl as columns. All have `step` and `epoch`; epochs are counted from 1 here:
 * in `epochs` a row is the end of an epoch, in `steps` `epoch` is the position within training
 * (2.5: in the middle of the third epoch).
 */
export interface Curves {
  /** loss, alignment, uniformity, R (the adjustment term), learning_rate, gradient_norm, ... */
  steps: Columns;
  /** The same as means of an epoch. Older runs have an mi_bound here, which is not a bound: it is not shown. */
  epochs: Columns;
  /**
   * By protocol ("zero-shot", "knn", ...): top1, low, high (95 % interval), top5, calibration_error. Under "information" the
   * certified bounds of the test samples, as in Information.bounds; older runs do not have them.
   */
  tests: Record<string, Columns>;
  /** Steps where the loss was far above those before it, and those that were passed over. */
  events: { step: number; epoch: number; name: "spike" | "passed_over"; loss: Metric }[];
}

export interface Protocol {
  top1: Metric;
  top1_interval: MetricInterval;
  top5: Metric;
  /** Missing for protocols that compare cosines, which are no probabilities. */
  calibration_error?: Metric;
}

/** What embeddings know about the class, in nats. */
export interface Information {
  samples: number;
  dimensions: number;
  label_entropy: Metric;
  /** Null if the estimate is withheld. */
  mixed_ksg: Metric;
  interval: MetricInterval;
  share: Metric;
  /** Why there is no estimate; older runs do not have it. */
  withheld?: string | null;
  k: number;
  /**
   * Certified lower bounds on I(Z;C), each with a standard error "_se": mi_bound_class_fitted, mi_bound_class, mi_bound_normalized,
   * mi_bound, as far as they apply; tau_fit, temperature, rows, entropy. Older runs have projnce and class_vectors, which are not.
   */
  bounds: Record<string, Metric>;
}

/** The one model that a run delivers: what `predict` and `export` use. */
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
  /** Hashes of names and labels of the samples; older runs do not have them. */
  data?: { train_fingerprint?: string; test_fingerprint?: string };
  classes: number;
  /** Older runs do not have it. */
  test_classes?: { with_samples: number; with_few_samples: number; few_below: number };
  epochs: number;
  protocol: string;
  /** Missing in runs of older versions. */
  delivered?: Delivered;
  accuracy: {
    last: Metric;
    last_top5: Metric;
    best: Metric;
    best_epoch: Metric;
    reported: Metric;
    reported_epoch: "last" | "best" | "validation";
    /** best-test-epoch: the paper's rule. Missing in runs of older versions. */
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
  /** How many the part has: more than `count` where a random choice of them is shown. */
  total: number;
  how: string; // "t-SNE, perplexity 30, KL 1.234"
  x: Packed; // Uint16, 0..65535 from left to right
  y: Packed; // Uint16, 0..65535 from the bottom up, in the scale of x
  index: Packed; // Uint32, the sample's number in its part
  label: Packed; // Uint16, the label that the run was given
  predicted: Packed; // Uint16
  /** Uint8, 0..255 for 0..1: calibrated probability of the predicted class; in runs of older versions its cosine. */
  similarity: Packed;
  /** Uint16, the label that the files give, where some were made wrong on purpose; else null. */
  truth: Packed | null;
  /** Uint8, 0..255 for 0..1: how likely the given label is wrong; null where nobody asked. */
  suspicion: Packed | null;
  /** Uint16, the label that the audit suggests; there with `suspicion`. */
  suggested: Packed | null;
  /** File names, joined by line feeds; null where samples have numbers only. */
  names: string | null;
  images: Images | null;
}

/** Small square images (of sounds: their spectrograms) in sheets, row by row. */
export interface Images {
  side: number; // pixels of a image
  columns: number; // images in a row of a sheet
  perSheet: number; // images on a sheet; image i is on sheet floor(i / perSheet)
  sheets: string[]; // base64 of JPEG files
}

export interface Audit {
  samples: number;
  flagged: number; // with a score above 0.5
  /** Estimated share of wrong labels; null if the features cannot tell the classes apart. */
  noise_rate: Metric;
  /** Share of the flagged that is expected to be wrong; null if none is flagged. Absent in old runs. */
  expected_precision?: Metric;
  /** The parts of the data that were audited. Absent in old runs: the training samples. */
  parts?: { part: string; samples: number; audited: number }[];
  /** How well held-out labels can be predicted from the features. Absent in old runs. */
  skill?: { informative: boolean; held_out_accuracy: Metric; chance_accuracy: Metric };
  mistakes: { class: string; labeled: string; share: Metric }[];
  /** How good the audit was, where the wrong labels are known. */
  check: {
    wrong: number;
    precision: Metric;
    recall: Metric;
    average_precision: Metric;
  } | null;
  /** The most suspect first. */
  worst: {
    /** "train" or "test"; absent in old runs: "train". */
    part?: string;
    index: number;
    name: string;
    given: string;
    suggested: string;
    score: Metric;
    wrong: boolean | null; // whether it really is, where that is known
  }[];
  images: Images | null; // image i is that of worst[i]
  /** Sound i is that of worst[i], null where there is no room for more; pages of earlier versions do not have it. */
  sounds?: (Sound | null)[] | null;
}

/** A short piece of a sound. */
export interface Sound {
  wav: string; // base64 of a WAV file
  seconds: number;
  whole: number; // length of the sound that the piece was cut out of
}
