"""Audits of whole tables: data frames, and files that pandas reads.

>>> import numpy as np, pandas as pd
>>> from projnce.tables import audit_table
>>> rng = np.random.default_rng(0)
>>> table = pd.DataFrame({"pet": np.repeat(["cat", "dog"], 30)})
>>> embeddings = rng.normal(size=(60, 4)) + 5 * (table.pet == "dog").to_numpy()[:, None]
>>> table.loc[3, "pet"] = "dog"  # wrong
>>> issues = audit_table(table, label="pet", embeddings=embeddings)
>>> print(issues[issues.is_label_issue].predicted_label.to_dict())
{3: 'cat'}
"""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from projnce.measures import audit

if TYPE_CHECKING:
    import pandas as pd

    Source = Union[pd.DataFrame, str, Path]

__all__ = ["audit_table", "read_table"]


def read_table(table: Source) -> pd.DataFrame:
    """Returns a data frame, or reads ``.parquet`` (which needs pyarrow), ``.csv``, ``.tsv`` or ``.jsonl``.

    Raises:
        ValueError: if the name of the file has another ending.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table
    ending = Path(table).suffix.lower()
    if ending in (".parquet", ".pq"):
        return pd.read_parquet(table)
    if ending in (".jsonl", ".ndjson"):
        return pd.read_json(table, lines=True)
    if ending in (".csv", ".tsv", ".tab"):
        return pd.read_csv(table, sep="," if ending == ".csv" else "\t")
    raise ValueError(f"{table} does not end in .parquet, .csv, .tsv or .jsonl")


def audit_table(
    table: Source,
    *,
    label: str,
    embeddings: Any = None,
    feature_column: str = "embedding",
    id: Optional[str] = None,
    folds: int = 5,
    seed: int = 0,
) -> pd.DataFrame:
    """Audits the labels of a table.

    Args:
        table: a data frame, or the path of a ``.parquet``, ``.csv``, ``.tsv`` or ``.jsonl`` file.
        label: column of the labels.
        embeddings: ``[N, D]`` matrix, or the path of a ``.npy`` file; default: ``feature_column``.
        feature_column: column with one list of numbers for each row.
        id: column of ids, different in every row.
        folds: number of cross-validation folds.
        seed: random seed of the folds.

    Returns:
        A data frame with the index of the table and the columns ``row`` (from 0), ``id`` (if given),
        ``given_label``, ``predicted_label``, ``label_quality`` and ``is_label_issue``, as the
        program's ``issues.csv``.

    Raises:
        ValueError: if a column is missing, a label is missing, an id occurs twice, or there is not
            one embedding per row.
    """
    frame = read_table(table)
    for column in (label, id, feature_column if embeddings is None else None):
        if column is not None and column not in frame.columns:
            raise ValueError(f"the table has no column {column!r}, its columns are {', '.join(map(str, frame.columns))}")
    labels = frame[label]
    if labels.isna().any():
        raise ValueError(f"row {int(labels.isna().to_numpy().argmax())} has no label in the column {label!r}")
    if id is not None and frame[id].duplicated().any():
        row = int(frame[id].duplicated().to_numpy().argmax())
        raise ValueError(f"row {row} has the id {frame[id].iloc[row]!r} of an earlier row in the column {id!r}")
    if embeddings is None:
        lengths = {len(values) for values in frame[feature_column]}
        if len(lengths) > 1:
            raise ValueError(f"the column {feature_column!r} has embeddings of {min(lengths)} and {max(lengths)} numbers")
        embeddings = np.stack([np.asarray(values, dtype=np.float64) for values in frame[feature_column]])
    elif isinstance(embeddings, (str, Path)):
        embeddings = np.load(embeddings, allow_pickle=False)
    if len(embeddings) != len(frame):
        raise ValueError(f"there are {len(embeddings)} embeddings and {len(frame)} rows, expected one for each row")
    issues = audit(embeddings, labels.to_numpy(), folds=folds, seed=seed).to_frame()
    issues.index = frame.index
    issues.insert(0, "row", np.arange(len(frame)))
    if id is not None:
        issues.insert(1, "id", frame[id].to_numpy())
    return issues
