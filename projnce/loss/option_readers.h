#pragma once

#include "projnce/core/field_visitor.h"
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

/// The options of a loss by the names that a configuration and Python use.
void list_fields(InfonceOptions& options, FieldVisitor& fields);
void list_fields(ProjnceMedOptions& options, FieldVisitor& fields);
void list_fields(ProjnceMlpOptions& options, FieldVisitor& fields);
void list_fields(ProjnceOptions& options, FieldVisitor& fields);
void list_fields(ProjncePerpOptions& options, FieldVisitor& fields);
void list_fields(RinceOptions& options, FieldVisitor& fields);
void list_fields(SceOptions& options, FieldVisitor& fields);
void list_fields(GeneralizedInfoNCEOptions& options, FieldVisitor& fields);
void list_fields(SupConOptions& options, FieldVisitor& fields);
void list_fields(SymnceOptions& options, FieldVisitor& fields);

}  // namespace projnce
