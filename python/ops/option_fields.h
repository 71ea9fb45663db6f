#pragma once

// The options of each loss as the scalars of its operator's schema, in order. NAME_options makes
// them from names and numbers once; an operator reads them back in each call.

#include <ATen/core/ivalue.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "projnce/loss/registry.h"
#include "projnce/loss/simclr.h"

namespace projnce::ops {

struct CeFields {};

/// The projections that need only rows and labels; others are given as vectors.
enum class NamedProjection { kCentroid, kSample, kPerp, kMedian };

struct GeneralizedInfoNCEFields {
  NamedProjection projection_pos = NamedProjection::kCentroid;
  NamedProjection projection_neg = NamedProjection::kSample;
  loss::GeneralizedInfoNCEOptions options = {};
};

void list_fields(CeFields& options, FieldVisitor& fields);
void list_fields(GeneralizedInfoNCEFields& options, FieldVisitor& fields);

template <class Visit>
void visit_fields(CeFields& /*options*/, const Visit& /*visit*/) {}

template <class Visit>
void visit_fields(loss::InfonceOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("symmetric", options.symmetric);
}

template <class Visit>
void visit_fields(loss::ProjnceOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("beta", options.beta);
  visit("include_self_pos", options.include_self_pos);
  visit("include_self_denom", options.include_self_denom);
  visit("r_exclude", options.r_exclude);
  visit("r_centroid", options.r_centroid);
  visit("empty_positives", options.empty_positives);
  visit("detach_centroid", options.detach_centroid);
  visit("normalize_g", options.normalize_g);
}

template <class Visit>
void visit_fields(loss::ProjnceMedOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("median", options.median);
  visit("denominator", options.denominator);
  visit("normalize_g", options.normalize_g);
  visit("detach_g", options.detach_g);
}

template <class Visit>
void visit_fields(loss::ProjnceMlpOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("normalize_g", options.normalize_g);
  visit("denominator", options.denominator);
  visit("class_weight", options.class_weight);
}

template <class Visit>
void visit_fields(loss::ProjncePerpOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("soft_source", options.perp.soft_source);
  visit("kernel", options.perp.nw.kernel);
  visit("metric", options.perp.nw.metric);
  visit("bandwidth", options.perp.nw.bandwidth);
  visit("distance_scale", options.perp.nw.distance_scale);
  visit("nw_exclude_self", options.perp.nw.exclude_self);
  visit("detach_q", options.perp.detach_q);
  visit("denominator", options.denominator);
  visit("normalize_g", options.normalize_g);
  visit("detach_g", options.detach_g);
  visit("leave_one_out", options.leave_one_out);
  visit("priors", options.priors);
}

template <class Visit>
void visit_fields(loss::RinceOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("q", options.q);
  visit("lambda_", options.lambda_);
  visit("denominator", options.denominator);
  visit("empty_positives", options.empty_positives);
}

template <class Visit>
void visit_fields(loss::SceOptions& options, const Visit& visit) {
  visit("alpha", options.alpha);
  visit("beta", options.beta);
  visit("A", options.A);
}

template <class Visit>
void visit_fields(GeneralizedInfoNCEFields& fields, const Visit& visit) {
  visit("projection_pos", fields.projection_pos);
  visit("projection_neg", fields.projection_neg);
  visit("temperature", fields.options.temperature);
  visit("beta", fields.options.beta);
  visit("denominator", fields.options.denominator);
  visit("r_exclude", fields.options.r_exclude);
  visit("empty_positives", fields.options.empty_positives);
  visit("normalize_g", fields.options.normalize_g);
}

template <class Visit>
void visit_fields(loss::SupConOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("base_temperature", options.base_temperature);
  visit("variant", options.variant);
  visit("include_self_pos", options.include_self_pos);
  visit("include_self_denom", options.include_self_denom);
  visit("empty_positives", options.empty_positives);
  visit("detach_pos", options.detach_pos);
}

template <class Visit>
void visit_fields(loss::SymnceOptions& options, const Visit& visit) {
  visit("temperature", options.temperature);
  visit("beta", options.beta);
  visit("form", options.form);
  visit("empty_positives", options.empty_positives);
}

/// A field as a schema declares it.
struct OptionField {
  std::string name;
  std::string type;    ///< of the scalar that the loss takes: float, float?, bool or int
  std::string option;  ///< of what the caller gives and reads: the same, but str for a choice
};

template <class Options>
std::vector<OptionField> describe_fields() {
  std::vector<OptionField> fields;
  Options options;
  visit_fields(options, [&fields](const char* name, auto& value) {
    using Field = std::decay_t<decltype(value)>;
    if constexpr (std::is_enum_v<Field>) {
      fields.push_back({name, "int", "str"});
    } else {
      const std::string type = std::is_same_v<Field, double> ? "float"
                               : std::is_same_v<Field, bool> ? "bool"
                                                             : "float?";
      fields.push_back({name, type, type});
    }
  });
  return fields;
}

template <class Options>
Options read_scalars(const c10::IValue* next) {
  Options options;
  visit_fields(options, [&next](const char* /*name*/, auto& value) {
    using Field = std::decay_t<decltype(value)>;
    const auto& scalar = *next++;
    if constexpr (std::is_enum_v<Field>) {
      value = static_cast<Field>(scalar.toInt());
    } else if constexpr (std::is_same_v<Field, double>) {
      value = scalar.toDouble();
    } else if constexpr (std::is_same_v<Field, bool>) {
      value = scalar.toBool();
    } else {
      value = scalar.toOptional<double>();
    }
  });
  return options;
}

template <class Options>
std::vector<c10::IValue> write_scalars(Options options) {
  std::vector<c10::IValue> scalars;
  visit_fields(options, [&scalars](const char* /*name*/, auto& value) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      scalars.emplace_back(static_cast<int64_t>(value));
    } else {
      scalars.emplace_back(value);
    }
  });
  return scalars;
}

}  // namespace projnce::ops
