#pragma once

#include "projnce/core/table_reader.h"
#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/infonce.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/rince.h"
#include "projnce/loss/sce.h"
#include "projnce/loss/supcon.h"
#include "projnce/loss/symnce.h"

namespace projnce {

/// Reads options from a configuration table, strictly: an unknown key or a value out of range
/// throws an Error. Absent keys keep their defaults and are written into the table. The key `name`
/// is ignored: the registry reads it.
void read_options(Table& table, InfonceOptions& options);
void read_options(Table& table, ProjnceMedOptions& options);
void read_options(Table& table, ProjnceMlpOptions& options);
void read_options(Table& table, ProjnceOptions& options);
void read_options(Table& table, ProjncePerpOptions& options);
void read_options(Table& table, RinceOptions& options);
void read_options(Table& table, SceOptions& options);
void read_options(Table& table, SupConOptions& options);
void read_options(Table& table, SymnceOptions& options);

/// The same without `reader.done()`, so that the caller can read more fields.
void read_fields(TableReader& reader, ProjnceOptions& options);
void read_fields(TableReader& reader, GeneralizedInfoNCEOptions& options);
void read_fields(TableReader& reader, SupConOptions& options);

/// A reader of [loss] that ignores `name`.
TableReader loss_reader(Table& table);

}  // namespace projnce
